package document

import (
	"fmt"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const (
	// longWord is how many characters of a word a cell keeps on one line, however narrow it gets.
	longWord = 24
	// widestCell is the minimum width of a cell with a longer word; widestRow bounds the sum of these widths in a row. Both are in ems.
	widestCell, widestRow = 12.0, 32.0
	noBreak               = '\u00a0'
)

// cellMarker lets the words in a cell break anywhere if one of them is long: otherwise a table is as wide as its longest
// words, and the whole document shrinks to fit it. Other cells get no narrower than their words.
type cellMarker struct{}

func (cellMarker) Transform(tree *ast.Document, reader text.Reader, _ parser.Context) {
	_ = ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || node.Kind() != extast.KindTableCell {
			return ast.WalkContinue, nil
		}
		if hasLongWord(textOf(node, reader.Source())) {
			width := min(widestCell, widestRow/float64(node.Parent().ChildCount()))
			node.SetAttributeString("style", fmt.Appendf(nil, "overflow-wrap:anywhere;min-width:%.1fem", width))
		}
		return ast.WalkSkipChildren, nil
	})
}

// hasLongWord reports whether a text has a word that is too long for a cell. Text in Chinese, Japanese and Korean may break
// between any two characters.
func hasLongWord(text string) bool {
	length := 0
	for _, r := range text {
		if length++; unicode.IsSpace(r) && r != noBreak || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			length = 0
		}
		if length > longWord {
			return true
		}
	}
	return false
}
