package match

import (
	"strings"
	"testing"

	"platen.dev/document/pagetext"
	"platen.dev/einvoice/model"
	"platen.dev/events/testkit"
)

// hostile returns a page of words in lines.
func hostile(lines int, line string) []pagetext.Page {
	p := pagetext.Page{Width: 600, Height: 800}
	for n := range lines {
		piece := pagetext.Piece{Left: 40, Right: 500, Top: float64(n) * 12, Bottom: float64(n)*12 + 10}
		for i, word := range strings.Fields(line) {
			piece.Words = append(piece.Words, pagetext.Word{Text: word, Left: 40 + float64(i)*40, Right: 75 + float64(i)*40, Top: piece.Top, Bottom: piece.Bottom})
		}
		p.Pieces = append(p.Pieces, piece)
	}
	return []pagetext.Page{p}
}

// A comparison ends, whatever is on the pages: without the bounds, this would take hours.
func TestHostilePages(t *testing.T) {
	testkit.Long(t)
	var s specimen
	for _, one := range specimens(t) {
		if one.name == "own-en-extended" {
			s = one
		}
	}
	if s.xml == nil {
		s = specimens(t)[0]
	}
	invoice := s.invoice(t)
	for _, l := range invoice.Lines { // many terms
		for range 500 {
			invoice.Lines = append(invoice.Lines, l)
		}
	}
	for _, line := range []string{"lumen & larch lumen & larch lumen", "Total 19.00 VAT 7 % 12.50 5.60", "01.02.2026 – 31.02.2026 99.99.2026", "DE12 3456 7890 1234 5678 90", "1 2 3 4 5 6 7 8 9 0", "Total Total VAT Amount"} {
		c := comparison{invoice: invoice, terms: termsOf(invoice), view: viewOf(hostile(8000, line), "EUR"), work: maxWork, contradicted: map[model.Term]string{}, beside: map[model.Term]bool{}}
		if c.compare(); len(c.result().Findings) == 0 {
			t.Errorf("%s: nothing is missing", line)
		}
	}
}
