package document

import (
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// languageMarker sets the attribute lang of blocks in Japanese or Korean. Unicode unifies
// characters that Japanese, Korean and Chinese write differently; the browser chooses
// the right glyph only if it knows the language.
type languageMarker struct{}

func (languageMarker) Transform(tree *ast.Document, reader text.Reader, _ parser.Context) {
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

// languageOf is "ja" for text with kana, "ko" for text with hangul, and "" for text with
// both or neither.
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
