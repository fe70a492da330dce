package document

import (
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// languages marks the blocks that are written in Japanese or Korean. Unicode
// gives these and Chinese one code for characters that each writes differently,
// and a font draws the right form only when it is told the language.
type languages struct{}

func (languages) Transform(tree *ast.Document, reader text.Reader, _ parser.Context) {
	_ = ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch node.Kind() {
			case ast.KindParagraph, ast.KindHeading, ast.KindListItem, extast.KindTableCell:
				if lang := languageOf(plainText(node, reader.Source())); lang != "" {
					node.SetAttributeString("lang", []byte(lang))
				}
			}
		}
		return ast.WalkContinue, nil
	})
}

// languageOf tells Japanese by its kana and Korean by its hangul, and says
// nothing of text that has both or neither.
func languageOf(s string) string {
	var japanese, korean bool
	for _, r := range s {
		japanese = japanese || unicode.In(r, unicode.Hiragana, unicode.Katakana)
		korean = korean || unicode.Is(unicode.Hangul, r)
	}
	switch {
	case japanese && !korean:
		return "ja"
	case korean && !japanese:
		return "ko"
	}
	return ""
}
