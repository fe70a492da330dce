package page

import (
	"bytes"
	"compress/zlib"
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// This file leaves out a last page that is empty: a margin at the end of a document makes one, or a box of a paper's height.

// breaking reports whether the last content of a document asks for a page of its own.
//
//go:embed script/breaking.js
var breaking string

// maxPrintedTwice is how many pages a document may have that is printed again: the time of that counts, too.
const maxPrintedTwice = 200

// withoutBlankEnd returns the PDF that was printed with params without an empty last page, unless the caller says which pages to print, or a sheet has the
// number of pages: the browser would count the empty one.
func (p press) withoutBlankEnd(ctx context.Context, params printParams, pdf []byte) ([]byte, error) {
	pages := countPDFPages(pdf)
	if params.PageRanges != "" || pages > maxPrintedTwice || sheetsSayTotal(p.job.Options) || !rawPDF(pdf).endsBlank() {
		return pdf, nil
	}
	var asked bool
	if ran, err := p.run(ctx, breaking, nil, &asked); err != nil || !ran || asked {
		return pdf, err
	}
	params.PageRanges = fmt.Sprintf("1-%d", pages-1)
	return p.printAgain(ctx, params, p.job.maxBytes())
}

// endsBlank reports whether the last of several pages shows nothing.
func (p rawPDF) endsBlank() bool {
	const deepest, largest = 10, 4 << 10
	table, catalog := p.catalog()
	node := p.object(table, catalog.number("/Pages "))
	if node.number("/Count ") < 2 {
		return false
	}
	for range deepest {
		_, kids, inner := bytes.Cut(node, []byte("/Kids ["))
		if !inner {
			break
		}
		kids, _, _ = bytes.Cut(kids, []byte("]"))
		kids = bytes.TrimSuffix(kids, []byte(" 0 R"))
		last, _ := strconv.Atoi(string(kids[bytes.LastIndexByte(kids, ' ')+1:]))
		node = p.object(table, last)
	}
	if bytes.Contains(node, []byte("/Annots")) {
		return false
	}
	content := p.object(table, node.number("/Contents "))
	length := content.number("/Length ")
	_, stream, found := bytes.Cut(content, []byte("stream\n"))
	return found && length <= min(largest, len(stream)) && (length == 0 || showsNothing(stream[:length]))
}

// showsNothing reports whether a compressed content stream paints only white, on a page that is white.
func showsNothing(stream []byte) bool {
	const largest = 64 << 10
	z, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return false
	}
	content, err := io.ReadAll(io.LimitReader(z, largest))
	if err != nil || len(content) == largest {
		return false
	}
	colour, outer := "", []string(nil)
	tokens := strings.Fields(string(content))
	for i, token := range tokens {
		switch token {
		case "q":
			outer = append(outer, colour)
		case "Q":
			if len(outer) == 0 {
				return false
			}
			colour, outer = outer[len(outer)-1], outer[:len(outer)-1]
		case "rg":
			colour = strings.Join(tokens[max(0, i-3):i], " ")
		case "f", "f*":
			if colour != "1 1 1" {
				return false
			}
		default:
			if slices.Contains([]string{"S", "s", "B", "B*", "b", "b*", "sh", "Do", "Tj", "TJ", "'", `"`, "BI", "g", "k", "sc", "scn", "cs"}, token) {
				return false
			}
		}
	}
	return true
}
