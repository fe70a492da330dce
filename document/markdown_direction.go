package document

import (
	"slices"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/text/unicode/bidi"
)

// directionMarker sets dir="auto" on every block, so that the browser determines the writing direction of each from its text. For "auto", browsers
// ignore the text of blocks within that have a direction of their own, so lists, quotes and tables get dir="rtl" if their text begins with such a letter.
type directionMarker struct{}

func (directionMarker) Transform(tree *ast.Document, reader text.Reader, _ parser.Context) {
	holders := []ast.NodeKind{ast.KindBlockquote, ast.KindList, ast.KindListItem, extast.KindTable}
	blocks := append(slices.Clone(holders), ast.KindParagraph, ast.KindHeading)
	begins := map[ast.Node]bidi.Class{} // those whose text has a direction
	_ = ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return ast.WalkContinue, nil
		}
		class, found := firstDirection(node, reader.Source(), begins)
		if found {
			begins[node] = class
		}
		switch kind := node.Kind(); {
		case slices.Contains(holders, kind) && found && class != bidi.L:
			node.SetAttributeString("dir", []byte("rtl"))
		case slices.Contains(blocks, kind), kind == extast.KindTableCell && found: // a number is written as its table is
			node.SetAttributeString("dir", []byte("auto"))
		}
		return ast.WalkContinue, nil
	})
}

// firstDirection returns the class of the first character of a node that has a direction, which those within have found already.
func firstDirection(node ast.Node, source []byte, begins map[ast.Node]bidi.Class) (bidi.Class, bool) {
	if t, ok := node.(*ast.Text); ok {
		for _, r := range string(t.Segment.Value(source)) {
			p, _ := bidi.LookupRune(r)
			if class := p.Class(); class == bidi.L || class == bidi.R || class == bidi.AL {
				return class, true
			}
		}
	}
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if class, ok := begins[child]; ok {
			return class, true
		}
	}
	return 0, false
}
