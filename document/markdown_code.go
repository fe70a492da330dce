package document

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	codeSize    = 0.86 // of print.css, in ems
	codeColumns = 90   // fit between the default margins of A4 and Letter
	codeTab     = 4
)

// codeBlocks renders code. Drawings of characters become smaller, to half the size at most: with their lines broken, nobody could read them.
type codeBlocks struct{}

func (codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindCodeBlock, renderCode)
	r.Register(ast.KindFencedCodeBlock, renderCode)
}

func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<pre" + codeStyle(node.Lines(), source) + "><code>")
		writeLines(w, source, node.Lines())
		_, _ = w.WriteString("</code></pre>\n")
	}
	return ast.WalkContinue, nil
}

// codeStyle returns the attribute that makes a drawing fit, or "".
func codeStyle(lines *text.Segments, source []byte) string {
	columns := drawingColumns(lines, source)
	if columns <= codeColumns || columns > 2*codeColumns {
		return ""
	}
	return fmt.Sprintf(` style="font-size:%.3fem"`, codeSize*codeColumns/float64(columns))
}

// drawingColumns returns how wide a drawing is, such as a table of dashes or a diagram of lines; 0 for other code.
func drawingColumns(lines *text.Segments, source []byte) (widest int) {
	drawn, framed := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := strings.TrimRight(string(segment.Value(source)), " \r\n")
		if strings.ContainsFunc(line, func(r rune) bool { return r >= '─' && r <= '╿' }) {
			drawn++
		}
		if edge := strings.TrimLeft(line, " "); strings.HasPrefix(edge, "+-") && strings.HasSuffix(edge, "-+") {
			framed++
		}
		widest = max(widest, columnsOf(line))
	}
	if drawn < 3 && framed < 2 {
		return 0
	}
	return widest
}

func columnsOf(line string) (n int) {
	for _, r := range line {
		if n++; r == '\t' {
			n = (n-1)/codeTab*codeTab + codeTab
		}
	}
	return n
}
