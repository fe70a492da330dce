package match

import (
	"slices"
	"strings"
	"unicode"
)

// strayAmounts finds unexplained amounts that nearly equal a term's. If a page has too many other unexplained amounts, none counts: they may have other reasons.
func (c *comparison) strayAmounts() {
	type pair struct {
		t *term
		a *amount
	}
	var strays []pair
	amounts, others := 0, 0
	for i := range c.view.amounts {
		a := &c.view.amounts[i]
		if a.percent || !a.decimals || c.inDate(a) || c.view.isVersion(a) {
			continue
		}
		amounts++
		if c.explained(a) || !c.spend(len(c.terms)) {
			continue
		}
		at := slices.IndexFunc(c.terms, func(t term) bool { return t.amount != "" && !t.rate && a.near(t.amount) })
		if at < 0 {
			others++
			continue
		}
		strays = append(strays, pair{&c.terms[at], a})
	}
	const few = 30 // one in few may have another reason
	if others > amounts/few {
		return
	}
	for _, s := range strays {
		c.contradict(s.t, s.a.raw)
	}
}

// isVersion reports whether a number with one decimal is behind a word or a colon, such as the version of a standard, or alone behind a version's label.
func (v *view) isVersion(a *amount) bool {
	digits := []rune(a.raw)
	if n := len(digits); n < 3 || unicode.IsDigit(digits[n-2]) {
		return false
	}
	if a.from == 0 {
		labelled := false
		v.piecesNear(a.box, func(n int) {
			p := &v.pieces[n]
			labelled = labelled || p.beside(a.box) && p.right <= a.left && v.spend(len(p.folded)) && strings.Contains(string(p.folded), "version")
		})
		return labelled
	}
	before := v.pieces[a.piece].raw[:a.from]
	for len(before) > 0 && strings.ContainsRune(" \t", before[len(before)-1]) {
		before = before[:len(before)-1]
	}
	return len(before) > 0 && (before[len(before)-1] == ':' || unicode.IsLetter(before[len(before)-1]))
}

// strayDates finds invalid dates that nearly equal one of the invoice.
func (c *comparison) strayDates() {
	for _, d := range c.view.dates {
		if len(d.days) > 0 || !c.spend(len(c.terms)) {
			continue
		}
		for i := range c.terms {
			if t := &c.terms[i]; !t.date.IsZero() && d.near(t.date) {
				c.contradict(t, d.raw)
				break
			}
		}
	}
}

// strayPeriods finds periods with one day of the invoice's, and another that nearly is.
func (c *comparison) strayPeriods() {
	for n := 1; n < len(c.view.dates); n++ {
		from, to := &c.view.dates[n-1], &c.view.dates[n]
		const between = 5 // characters
		if from.piece != to.piece || to.from-from.to > between || !c.spend(len(c.terms)) {
			continue
		}
		for i := 1; i < len(c.terms); i++ {
			start, end := &c.terms[i-1], &c.terms[i]
			if start.kind != period || end.kind != period || start.line != end.line {
				continue
			}
			switch begins, ends := from.means(start.date), to.means(end.date); {
			case begins && !ends && to.near(end.date):
				c.contradict(end, to.raw)
			case ends && !begins && from.near(start.date):
				c.contradict(start, from.raw)
			}
		}
	}
}

// strayRates finds unexplained percentages, alone in their cells, that nearly equal a rate. Pages of an invoice without lines may have lines with
// discounts.
func (c *comparison) strayRates() {
	if len(c.invoice.Lines) == 0 {
		return
	}
	for i := range c.view.amounts {
		a := &c.view.amounts[i]
		if p := &c.view.pieces[a.piece]; !a.percent || a.from > 0 || slices.ContainsFunc(p.raw[a.to:], unicode.IsLetter) || c.explained(a) || !c.spend(len(c.terms)) {
			continue
		}
		for n := range c.terms {
			if t := &c.terms[n]; t.rate && a.near(t.amount) {
				c.contradict(t, a.raw)
				break
			}
		}
	}
}

// inDate reports whether a number is a part of a date.
func (c *comparison) inDate(a *amount) bool {
	if !c.spend(len(c.view.dates)) {
		return true
	}
	return slices.ContainsFunc(c.view.dates, func(d shownDate) bool { return d.piece == a.piece && a.from >= d.from && a.to <= d.to })
}

// strayNumbers finds account numbers and VAT identifiers that differ from those of the invoice in one character, which their
// check characters prove to be an error.
func (c *comparison) strayNumbers() {
	for i := range c.terms {
		t := &c.terms[i]
		if t.kind != iban && t.kind != vatID {
			continue
		}
		want := []rune(t.text)
		for n := range c.view.pieces {
			p := &c.view.pieces[n]
			if !c.spend(len(p.folded)) {
				return
			}
			for at := range p.folded {
				if !p.starts[at] {
					continue
				}
				if shown, alike := p.alike(at, want); alike && !c.inXML(shown) {
					c.contradict(t, shown)
				}
			}
		}
	}
}
