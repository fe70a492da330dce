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
	// aside are the other amounts of the row: those left of the line's name, such as its position, its article number or a quantity without a heading,
	// and a quantity above it whose unit follows below.
	aside []*amount
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
		found := c.anchorsOf(name, len(lines[name]))
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
		height := c.view.pieces[a.spots[0].piece].bottom - a.top
		r := row{page: a.page, top: a.top, bottom: a.bottom + 2*height}
		if n+1 < len(anchors) && anchors[n+1].page == a.page {
			r.bottom = anchors[n+1].top
		}
		c.fill(&r, a)
		rows = append(rows, r)
	}
	return rows
}

// anchorsOf are the places where a name is, from the top; if there are more than most, some of them.
func (c *comparison) anchorsOf(name string, most int) (all []anchor) {
	type place struct {
		page int
		top  float64
	}
	seen := map[place]bool{}
	c.view.hasText([]rune(name), func(spots []spot) bool {
		first, last := &c.view.pieces[spots[0].piece], &c.view.pieces[spots[len(spots)-1].piece]
		a := anchor{page: first.page, top: first.top, bottom: last.bottom, left: first.x[first.from[spots[0].from]], spots: spots}
		if at := (place{a.page, a.top}); first.page == last.page && !seen[at] {
			seen[at] = true
			all = append(all, a)
		}
		return len(all) <= most
	})
	slices.SortFunc(all, func(a, b anchor) int { return cmp.Or(a.page-b.page, cmp.Compare(a.top, b.top)) })
	return all
}

// fill adds the terms of a line, and the amounts that are in its row and not in its name. Of those left of the name, quantities under their heading
// count.
func (c *comparison) fill(r *row, a anchor) {
	if !c.spend(len(c.view.amounts) + len(c.terms)) {
		return
	}
	for i := range c.terms {
		if t := &c.terms[i]; t.line == a.line && t.amount != "" {
			r.terms = append(r.terms, t)
		}
	}
	for i := range c.view.amounts {
		m := &c.view.amounts[i]
		if m.page != a.page || m.bottom > r.bottom+1 { // what reaches into the next row is a part of it
			continue
		}
		inName := slices.ContainsFunc(a.spots, func(s spot) bool {
			p := &c.view.pieces[s.piece]
			return m.piece == s.piece && m.from >= p.from[s.from] && m.from <= p.from[s.to-1]
		})
		above, before := m.bottom <= r.top+1, m.right <= a.left
		switch {
		case inName:
		case above && m.middle() > r.top-(m.bottom-m.top) && c.isUnder(m, quantity):
			r.aside = append(r.aside, m)
		case above:
		case before == c.mirrored, before && c.isUnder(m, quantity):
			r.amounts = append(r.amounts, m)
		case before:
			r.aside = append(r.aside, m)
		}
	}
	for _, m := range r.amounts {
		if m.middle() > a.top && m.middle() < a.bottom {
			r.beside = append(r.beside, m)
		}
	}
	if !c.spend(2*len(r.amounts)*len(r.terms)) || r.isOfTable() {
		return
	}
	if at := slices.IndexFunc(r.amounts, func(m *amount) bool { return m.decimals && r.own(m) }); at >= 0 { // in the middle of a cell of several lines
		r.beside = slices.DeleteFunc(slices.Clone(r.amounts), func(m *amount) bool { return !m.meets(r.amounts[at].box) })
	}
}

// isOfTable reports whether there is an amount of the row beside its name or its rate.
func (r *row) isOfTable() bool {
	return slices.ContainsFunc(r.beside, func(a *amount) bool { return a.decimals && r.own(a) })
}

// isUnder reports whether an amount is under the heading of a kind of terms.
func (c *comparison) isUnder(a *amount, k kind) bool {
	if !c.spend(len(c.found) + len(c.view.pieces)) {
		return false
	}
	heading := c.heading(a)
	return heading != nil && slices.ContainsFunc(heading.meanings, func(kinds []kind) bool { return kinds[0] == k })
}

// rateRows finds the lines of text that begin the rows of VAT rates: a rate with amounts behind it, outside the rows of lines.
func (c *comparison) rateRows(lines []row) (rows []row) {
	for n := range c.invoice.Taxes {
		if !c.spend(len(c.invoice.Taxes) + len(c.view.amounts)) {
			break
		}
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
		if !a.percent || !c.spend(len(lines)+len(c.invoice.Taxes)*10+len(c.terms)) || inRows(lines, a) {
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
	if !c.spend((len(r.beside)+len(r.amounts))*len(r.terms)) || !r.isOfTable() {
		return
	}
	for _, t := range r.terms {
		if t.kind == "" || r.has(t.amount) {
			continue
		}
		if !c.spend(len(r.beside) * (len(c.terms) + 2*len(all))) {
			return
		}
		for _, a := range r.beside {
			sure := a.decimals || t.kind == quantity || t.rate
			if a.percent == t.rate && sure && !r.own(a) && (a.near(t.amount) && !c.explained(a) || c.elsewhere(a, all, t)) {
				c.contradict(t, a.raw)
			}
		}
		const small = 3 // digits of numbers that occur everywhere: only the one in the row counts
		if len(t.amount) <= small && (t.kind == quantity && !c.isAside(r, t) || t.rate && r.hasRate()) {
			t.found = false
		}
	}
}

// isAside reports whether a quantity is left of the name of its line, or above it. The position of the line may be the same number.
func (c *comparison) isAside(r *row, t *term) bool {
	position, _ := canonical(c.invoice.Lines[t.line-1].ID.Text())
	return t.amount != position && slices.ContainsFunc(r.aside, func(a *amount) bool { return a.shows(t.amount) })
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
