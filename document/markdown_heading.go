package document

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// headingMarker gives headings the ids that links in the document use, in GitHub's form.
type headingMarker struct{}

func (headingMarker) Transform(tree *ast.Document, reader text.Reader, _ parser.Context) {
	taken := anchors{}
	_ = ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || node.Kind() != ast.KindHeading {
			return ast.WalkContinue, nil
		}
		if id := anchor(textOf(node, reader.Source(), ast.KindRawHTML, ast.KindImage)); id != "" {
			node.SetAttributeString("id", []byte(taken.next(id)))
		}
		return ast.WalkSkipChildren, nil
	})
}

// anchor is the id of a heading: its text in lower case, without punctuation, with hyphens for spaces.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// anchors maps the ids of a document to how many other headings wanted the same one.
type anchors map[string]int

// next returns an id, with a number appended if it is taken. All searches together take time linear in the number of ids: none blocks more than one other.
func (a anchors) next(id string) string {
	free := id
	for _, taken := a[free]; taken; _, taken = a[free] {
		a[id]++
		free = fmt.Sprintf("%s-%d", id, a[id])
	}
	a[free] = 0
	return free
}
