package match

import (
	"strings"
	"testing"

	"platen.dev/document/pagetext"
)

// cell is a piece of text on a page.
type cell struct {
	left, top float64
	text      string
}

// withPage returns pages and one more that has cells.
func withPage(pages []pagetext.Page, cells ...cell) []pagetext.Page {
	p := pagetext.Page{Width: 600, Height: 800}
	for _, c := range cells {
		at := c.left
		piece := pagetext.Piece{Left: at, Top: c.top, Bottom: c.top + 10}
		for word := range strings.FieldsSeq(c.text) {
			w := pagetext.Word{Text: word, Left: at, Top: c.top, Right: at + 5*float64(len([]rune(word))), Bottom: c.top + 10}
			piece.Words, piece.Right = append(piece.Words, w), w.Right
			at = w.Right + 3
		}
		p.Pieces = append(p.Pieces, piece)
	}
	return append(copied(pages), p)
}

// What pages of other makers have beside the terms of an invoice does not contradict them; what looks alike does.
func TestInnocentText(t *testing.T) {
	all := map[string]specimen{}
	for _, s := range specimens(t) {
		all[s.name] = s
	}
	for name, c := range map[string]struct {
		specimen         string
		innocent, guilty []cell
	}{
		"the total of something else": {
			"own-de-en16931",
			[]cell{{50, 10, "Gesamtbetrag der Nachlässe"}, {400, 10, "10,00"}},
			[]cell{{50, 10, "Gesamtbetrag"}, {400, 10, "10,00"}},
		},
		"a total with a qualifier": {
			"own-de-en16931",
			[]cell{{50, 10, "Gesamt USt"}, {400, 10, "47,50"}},
			[]cell{{50, 10, "Gesamt"}, {400, 10, "47,50"}},
		},
		"a rate without a number": {
			"own-de-en16931",
			[]cell{{50, 10, "% USt"}, {400, 10, "297,50"}},
			[]cell{{50, 10, "USt"}, {400, 10, "297,50"}},
		},
		"the version of a standard": {
			"own-de-en16931",
			[]cell{{50, 10, "ZUGFeRD 2.1"}, {50, 30, "Version"}, {150, 30, ": 2.1 vom 24.03.2020"}, {50, 50, "Stylesheet-Version:"}, {250, 50, "2.1"}},
			[]cell{{50, 10, "2.1"}},
		},
		"a column with a heading that is not known": {
			"own-de-en16931",
			[]cell{{50, 10, "Satz"}, {300, 10, "USt."}, {300, 30, "Nettopreis"}, {50, 50, "19 %"}, {300, 50, "250,00"}, {400, 50, "47,50"}},
			[]cell{{50, 30, "Satz"}, {300, 30, "USt."}, {50, 50, "19 %"}, {300, 50, "250,00"}, {400, 50, "47,50"}},
		},
		"a discount of a line that the XML does not have": {
			"own-de-basicwl", []cell{{50, 10, "17 %"}}, []cell{{50, 10, "USt."}, {400, 10, "297,50"}},
		},
	} {
		s := all[c.specimen]
		for _, f := range Compare(s.invoice(t), withPage(s.pages, c.innocent...)).Findings {
			t.Errorf("%s: %s %s", name, f.Term, f)
		}
		if len(Compare(s.invoice(t), withPage(s.pages, c.guilty...)).Findings) == 0 {
			t.Errorf("%s: what contradicts is not found", name)
		}
	}
}
