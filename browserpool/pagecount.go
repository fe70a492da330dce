package browserpool

import (
	"bytes"
	"fmt"
	"strconv"
)

// pageCount reads the number of pages from the root of a PDF's page tree, which
// takes no time where reading the whole file takes long. It knows the plain form in
// which the browser writes: objects as text and one table of their offsets at the
// end. Of any other it says 0.
func pageCount(pdf []byte) int {
	p := rawPDF(pdf)
	trailer := p.from(bytes.LastIndex(pdf, []byte("trailer")))
	table := p.from(trailer.number("startxref\n"))
	catalog := p.object(table, trailer.number("/Root "))
	return p.object(table, catalog.number("/Pages ")).number("/Count ")
}

// rawPDF is a PDF or a piece of one. Whatever is not there is empty, or 0.
type rawPDF []byte

func (p rawPDF) from(offset int) rawPDF {
	if offset < 0 || offset > len(p) {
		return nil
	}
	return p[offset:]
}

// number is what stands behind a key.
func (p rawPDF) number(key string) int {
	_, rest, _ := bytes.Cut(p, []byte(key))
	end := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	n, _ := strconv.Atoi(string(rest[:max(end, 0)]))
	return n
}

// object finds an object by way of the table, whose lines have 20 bytes each.
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
