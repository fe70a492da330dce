package match

import (
	"cmp"
	"slices"

	"platen.dev/einvoice/model"
)

// row is the part of a page that is about a line of the invoice, or about a VAT rate.
type row struct {
	page        int
	top, bottom float64
	terms       []*term
	amounts     []*amount
	beside      []*amount // those in a line with the name of the line, or with the rate
}

// rows compares the numbers in the rows of lines and VAT rates with their terms.
func (c *comparison) rows() {
	lines := c.lineRows()
	c.lines = lines
	for i := range lines {
		c.compareRow(&lines[i], lines)
	}
	rates := c.rateRows(lines)
	for i := range rates {
		c.compareRow(&rates[i], rates)
	}
	c.wrongRates(lines)
	c.columns(append(lines, rates...)...)
}

// anchor is where a page shows the name of a line.
type anchor struct {
	line        int
	page        int
	top, bottom float64
	left        float64
	spots       []spot
}

// lineRows finds the rows of lines by their names. Names that are on the page as often as lines have them are taken in order.
func (c *comparison) lineRows() (rows []row) {
	lines := map[string][]int{}
	var names []string
	for _, t := range c.terms {
		if t.kind == itemName {
			if lines[t.text] == nil {
				names = append(names, t.text)
			}
			lines[t.text] = append(lines[t.text], t.line)
		}
	}
	var anchors []anchor
	for _, name := range names {
		found := c.anchorsOf(name)
		if len(found) != len(lines[name]) {
			continue // it is unclear which ones are in the list of lines
		}
		for n, a := range found {
			a.line = lines[name][n]
			anchors = append(anchors, a)
		}
	}
	slices.SortFunc(anchors, func(a, b anchor) int { return a.line - b.line })
	for n, a := range anchors {
		if n > 0 && (anchors[n-1].page > a.page || anchors[n-1].page == a.page && anchors[n-1].top >= a.top) {
			return nil // not a list from the top
		}
	}
	for n, a := range anchors {
		r := row{page: a.page, top: a.top, bottom: a.bottom + 1.5*(c.view.pieces[a.spots[0].piece].bottom-a.top)}
		if n+1 < len(anchors) && anchors[n+1].page == a.page {
			r.bottom = anchors[n+1].top
		}
		if n > 0 && anchors[n-1].page == a.page {
			r.top = anchors[n-1].bottom
		}
		c.fill(&r, a)
		rows = append(rows, r)
	}
	return rows
}

// anchorsOf are the places where a name is, from the top.
func (c *comparison) anchorsOf(name string) (all []anchor) {
	c.view.hasText([]rune(name), func(spots []spot) {
		first, last := &c.view.pieces[spots[0].piece], &c.view.pieces[spots[len(spots)-1].piece]
		a := anchor{page: first.page, top: first.top, bottom: last.bottom, left: first.x[first.from[spots[0].from]], spots: spots}
		again := slices.ContainsFunc(all, func(b anchor) bool { return a.page == b.page && a.top == b.top })
		if first.page == last.page && !again {
			all = append(all, a)
		}
	})
	slices.SortFunc(all, func(a, b anchor) int { return cmp.Or(a.page-b.page, cmp.Compare(a.top, b.top)) })
	return all
}

// fill adds the terms of a line, and the amounts that are in its row and not in its name or left of it.
func (c *comparison) fill(r *row, a anchor) {
	for i := range c.terms {
		if t := &c.terms[i]; t.line == a.line && t.amount != "" {
			r.terms = append(r.terms, t)
		}
	}
	if !c.spend(len(c.view.amounts) + len(c.terms)) {
		return
	}
	before := []*amount{}
	for i := range c.view.amounts {
		m := &c.view.amounts[i]
		if m.page != a.page || m.middle() < r.top || m.middle() > r.bottom {
			continue
		}
		if m.right <= a.left {
			before = append(before, m)
		} else if !slices.ContainsFunc(a.spots, func(s spot) bool {
			p := &c.view.pieces[s.piece]
			return m.piece == s.piece && m.from >= p.from[s.from] && m.from <= p.from[s.to-1]
		}) {
			r.amounts = append(r.amounts, m)
		}
	}
	if c.mirrored {
		r.amounts = before
	}
	for _, m := range r.amounts {
		if m.middle() > a.top && m.middle() < a.bottom {
			r.beside = append(r.beside, m)
		}
	}
}

// rateRows finds the lines of text that begin the rows of VAT rates: a rate with amounts behind it, outside the rows of lines.
func (c *comparison) rateRows(lines []row) (rows []row) {
	for n := range c.invoice.Taxes {
		x := &c.invoice.Taxes[n]
		rate, ok := canonical(x.Rate.Text())
		if !ok || rate == "0" || !c.onlyRate(rate) {
			continue
		}
		for i := range c.view.amounts {
			a := &c.view.amounts[i]
			if !a.percent || !slices.Contains(a.readings, rate) || !c.spend(len(lines)+len(c.terms)) || inRows(lines, a) {
				continue
			}
			r, reach := row{page: a.page, top: a.top, bottom: a.bottom}, c.reach(label{box: a.box, piece: a.piece})
			for k := range c.terms {
				if t := &c.terms[k]; t.node == x.Base || t.node == x.Amount {
					r.terms = append(r.terms, t)
				}
			}
			c.view.amountsNear(reach, func(m *amount) {
				if m != a && !m.percent && m.decimals && m.in(reach) {
					r.amounts = append(r.amounts, m)
				}
			})
			if r.beside = r.amounts; slices.ContainsFunc(r.amounts, r.own) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// wrongRates finds rates beside the basis and the amount of another rate.
func (c *comparison) wrongRates(lines []row) {
	for i := range c.view.amounts {
		a := &c.view.amounts[i]
		if !a.percent || !c.spend(len(lines)+len(c.invoice.Taxes)*10) || inRows(lines, a) {
			continue
		}
		reach := c.reach(label{box: a.box, piece: a.piece})
		shows := func(t model.Term) bool {
			value, ok := canonical(t.Text())
			return ok && value != "0" && c.view.someAmount(reach, func(m *amount) bool { return m.decimals && m.in(reach) && m.shows(value) })
		}
		var wrong *model.Tax
		for n := range c.invoice.Taxes {
			x := &c.invoice.Taxes[n]
			if rate, _ := canonical(x.Rate.Text()); shows(x.Base) && shows(x.Amount) {
				if a.shows(rate) {
					wrong = nil
					break
				}
				wrong = x
			}
		}
		if wrong != nil {
			c.contradict(c.termAt(wrong.Rate), a.raw)
		}
	}
}

// termAt is the term of an element.
func (c *comparison) termAt(node model.Term) *term {
	if i := slices.IndexFunc(c.terms, func(t term) bool { return t.node == node }); i >= 0 {
		return &c.terms[i]
	}
	return nil
}

// onlyRate reports whether a rate occurs exactly once in the VAT breakdown.
func (c *comparison) onlyRate(rate string) bool {
	n := 0
	for _, x := range c.invoice.Taxes {
		if r, _ := canonical(x.Rate.Text()); r == rate {
			n++
		}
	}
	return n == 1
}

func inRows(rows []row, a *amount) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.page == a.page && a.middle() >= r.top && a.middle() <= r.bottom })
}

// has reports whether a row shows a number.
func (r *row) has(value string) bool {
	return slices.ContainsFunc(r.amounts, func(a *amount) bool { return a.shows(value) })
}

// own reports whether an amount is one of the row.
func (r *row) own(a *amount) bool {
	return slices.ContainsFunc(r.terms, func(t *term) bool { return a.shows(t.amount) })
}

// compareRow finds terms that a row lacks, but in whose place it shows something similar or the same term of another row.
func (c *comparison) compareRow(r *row, all []row) {
	if !slices.ContainsFunc(r.beside, func(a *amount) bool { return a.decimals && r.own(a) }) {
		return // not a row of a table
	}
	for _, t := range r.terms {
		if t.kind == "" || r.has(t.amount) {
			continue
		}
		if !c.spend(len(r.beside) * len(c.terms)) {
			return
		}
		for _, a := range r.beside {
			sure := a.decimals || t.kind == quantity || t.rate
			if a.percent == t.rate && sure && !r.own(a) && (a.near(t.amount) && !c.explained(a) || c.elsewhere(a, all, t)) {
				c.contradict(t, a.raw)
			}
		}
		const small = 3 // digits of numbers that occur everywhere: only the one in the row counts
		if len(t.amount) <= small && (t.kind == quantity || t.rate && r.hasRate()) {
			t.found = false
		}
	}
}

// hasRate reports whether a row shows any percentage.
func (r *row) hasRate() bool {
	return slices.ContainsFunc(r.amounts, func(a *amount) bool { return a.percent })
}

// elsewhere reports whether an amount that is in the place of a term is another term: one of that kind in another row, or any amount
// of money.
func (c *comparison) elsewhere(a *amount, all []row, t *term) bool {
	if t.kind == quantity || t.rate {
		return slices.ContainsFunc(all, func(o row) bool {
			return slices.ContainsFunc(o.terms, func(x *term) bool { return x.kind == t.kind && a.shows(x.amount) })
		})
	}
	return slices.ContainsFunc(c.terms, func(x term) bool {
		return x.amount != "" && !x.rate && x.kind != quantity && x.kind != "" && a.shows(x.amount)
	})
}
