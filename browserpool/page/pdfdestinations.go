package page

import (
	"regexp"
	"strconv"
)

var (
	// namedPlace matches a named destination at a page, in the browser's form.
	namedPlace = regexp.MustCompile(`/(\S+) \[(\d+) 0 R `)
	// kids matches the children of a node of the page tree.
	kids      = regexp.MustCompile(`/Kids \[([^\]]*)\]`)
	reference = regexp.MustCompile(`(\d+) 0 R`)
	// nameEscape is a character of a name (ISO 32000-1, 7.3.5).
	nameEscape = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)
)

// destinations returns the number of the page, from 1, of each named destination of a PDF in the form that countPDFPages knows; for
// any other form, none. Names are those of the document's fragments, percent-encoded.
func destinations(pdf []byte) map[string]int {
	p := rawPDF(pdf)
	table, catalog := p.catalog()
	numbers := map[int]int{}
	p.numberPages(table, catalog.number("/Pages "), maxTreeDepth, numbers)
	all := map[string]int{}
	for _, found := range namedPlace.FindAllSubmatch(p.object(table, catalog.number("/Dests ")), -1) {
		name := nameEscape.ReplaceAllStringFunc(string(found[1]), func(s string) string {
			code, _ := strconv.ParseUint(s[1:], 16, 8) // it is two digits
			return string([]byte{byte(code)})
		})
		page, _ := strconv.Atoi(string(found[2]))
		all[name] = numbers[page]
	}
	return all
}

// maxTreeDepth exceeds the depth of any page tree.
const maxTreeDepth = 10

// numberPages numbers the objects of the pages below a node of the page tree, in their order.
func (p rawPDF) numberPages(table rawPDF, node, depth int, numbers map[int]int) {
	object := p.object(table, node)
	below := kids.FindSubmatch(object)
	switch {
	case object == nil || depth == 0 || numbers[node] > 0:
		return
	case below == nil:
		numbers[node] = len(numbers) + 1
		return
	}
	for _, kid := range reference.FindAllSubmatch(below[1], -1) {
		number, _ := strconv.Atoi(string(kid[1]))
		p.numberPages(table, number, depth-1, numbers)
	}
}
