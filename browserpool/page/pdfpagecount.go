package page

import (
	"bytes"
	"fmt"
	"strconv"
)

// countPDFPages reads the number of pages from the root of a PDF's page tree. That is
// immediate, where parsing the whole file takes long. It knows the plain form that the
// browser writes: objects as text and one table of their offsets at the end. For any
// other form it returns 0.
func countPDFPages(pdf []byte) int {
	p := rawPDF(pdf)
	table, catalog := p.catalog()
	return p.object(table, catalog.number("/Pages ")).number("/Count ")
}

// catalog returns the document's root object, and the table of offsets.
func (p rawPDF) catalog() (table, catalog rawPDF) {
	trailer := p.from(bytes.LastIndex(p, []byte("trailer")))
	table = p.from(trailer.number("startxref\n"))
	return table, p.object(table, trailer.number("/Root "))
}

// rawPDF is a PDF or a piece of one. What it does not contain reads as empty, or as 0.
type rawPDF []byte

func (p rawPDF) from(offset int) rawPDF {
	if offset < 0 || offset > len(p) {
		return nil
	}
	return p[offset:]
}

// number is the number that follows a key.
func (p rawPDF) number(key string) int {
	_, rest, _ := bytes.Cut(p, []byte(key))
	end := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	n, _ := strconv.Atoi(string(rest[:max(end, 0)]))
	return n
}

// object finds an object by its line in the table of offsets; each line has 20 bytes.
func (p rawPDF) object(table rawPDF, number int) rawPDF {
	const line = 20
	_, lines, _ := bytes.Cut(table, []byte("xref\n0 "))
	lines = rawPDF(lines).from(bytes.IndexByte(lines, '\n') + 1 + number*line)
	offset, _ := strconv.Atoi(string(lines[:min(10, len(lines))]))
	object := p.from(offset)
	if number == 0 || !bytes.HasPrefix(object, fmt.Appendf(nil, "%d 0 obj", number)) {
		return nil
	}
	body, _, _ := bytes.Cut(object, []byte("endobj"))
	return body
}
