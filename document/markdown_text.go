package document

import (
	"bufio"
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	markup "github.com/yuin/goldmark/renderer/html"
)

// plainText is the text of a node without raw HTML.
func plainText(node ast.Node, source []byte) string {
	return strings.TrimSpace(textOf(node, source, ast.KindRawHTML))
}

// textOf is the text of a node as it is shown, without that of some kinds of nodes within it.
func textOf(node ast.Node, source []byte, without ...ast.NodeKind) string {
	var escaped strings.Builder
	w := bufio.NewWriterSize(&escaped, 64)
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || slices.Contains(without, n.Kind()) {
			return ast.WalkSkipChildren, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			writeText(w, n, source)
		case *ast.String:
			markup.DefaultWriter.RawWrite(w, n.Value)
		case *ast.AutoLink:
			markup.DefaultWriter.RawWrite(w, n.Label(source))
		case *ast.RawHTML:
			markup.DefaultWriter.RawWrite(w, n.Segments.Value(source))
		}
		return ast.WalkContinue, nil
	})
	_ = w.Flush() // it writes to memory
	return html.UnescapeString(escaped.String())
}

// writeText writes a text as it is rendered: with its backslashes and references resolved, and escaped as HTML.
func writeText(w *bufio.Writer, text *ast.Text, source []byte) {
	value := text.Segment.Value(source)
	if text.IsRaw() {
		markup.DefaultWriter.RawWrite(w, value)
	} else {
		markup.DefaultWriter.Write(w, value)
	}
	if text.SoftLineBreak() || text.HardLineBreak() {
		_ = w.WriteByte(' ')
	}
}
