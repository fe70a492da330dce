package match

import (
	"slices"
)

// longestLabel is the maximum length of a label in letters.
const longestLabel = 40

// labels compares the values beside labels with the terms of the labels.
func (c *comparison) labels() {
	for _, l := range c.found {
		if !c.spend(2*len(c.terms) + len(c.view.dates)) {
			break
		}
		reach := c.reach(l)
		for _, kinds := range l.meanings {
			switch kinds[0] {
			case issueDate, dueDate, delivery:
				c.labelledDate(reach, kinds[0])
			case period:
				c.labelledPeriod(reach)
			case number:
				c.labelledNumber(l)
			case price, lineTotal, quantity, vatBase, vatRate: // headings of columns
			default:
				c.labelledAmount(l, reach, kinds)
			}
		}
	}
	for _, n := range c.notes {
		if !c.beside[n.t.node] {
			c.contradict(n.t, n.shown)
		}
	}
}

// reach returns the area of a label's value: beside the label, up to the next words.
func (c *comparison) reach(l label) box {
	r := box{l.page, l.right - 1, l.top, 1e9, l.bottom}
	if c.mirrored {
		r.left, r.right = -1e9, l.left+1
	}
	c.view.piecesNear(l.box, func(n int) {
		p := &c.view.pieces[n]
		if n == l.piece || !p.meets(l.box) || !p.wordy {
			return
		}
		if !c.mirrored && p.left >= l.right {
			r.right = min(r.right, p.left)
		}
		if c.mirrored && p.right <= l.left {
			r.left = max(r.left, p.right)
		}
	})
	return r
}

// in reports whether something is in the line of a reach, between its sides.
func (b box) in(reach box) bool {
	return b.beside(reach) && b.left >= reach.left && b.right <= reach.right+1
}

// labelledAmount takes the amount farthest from a label, on its line, as the label's value.
func (c *comparison) labelledAmount(l label, reach box, kinds []kind) {
	var value *amount
	listed := 0 // amounts in the piece of the label
	c.view.amountsNear(reach, func(a *amount) {
		if a.piece == l.piece && !a.percent {
			listed++
		}
		if !a.percent && a.in(reach) && (a.piece != l.piece || !l.explains()) && (value == nil || (a.left > value.left) != c.mirrored) {
			value = a
		}
	})
	if value == nil || !value.decimals || value.piece == l.piece && listed > 1 {
		return
	}
	var first *term // of the label's primary kind
	found, other := false, false
	below := c.belowLines(value)
	for i := range c.terms {
		t := &c.terms[i]
		shown := t.amount != "" && !t.rate && value.shows(t.amount)
		switch {
		case t.amount == "" || t.rate:
		case slices.Contains(kinds, t.kind):
			found = found || shown
			if first == nil && t.kind == kinds[0] {
				first = t
			}
		case t.kind != "" && t.kind != quantity && (t.line == 0 || below):
			other = other || shown
		}
	}
	if found || first == nil {
		return
	}
	if other && !l.explains() || c.nearOne(value, kinds) && !c.isMoney(value) && (kinds[0] != gross && !inRows(c.lines, value) || !c.explained(value)) {
		c.contradict(first, value.raw)
	}
}

// belowLines reports whether an amount is behind the rows of all lines.
func (c *comparison) belowLines(a *amount) bool {
	if len(c.lines) == 0 {
		return false
	}
	last := c.lines[len(c.lines)-1]
	return a.page > last.page || a.page == last.page && a.top > last.bottom
}

func (c *comparison) nearOne(a *amount, kinds []kind) bool {
	return slices.ContainsFunc(c.terms, func(t term) bool {
		return t.amount != "" && !t.rate && slices.Contains(kinds, t.kind) && a.near(t.amount)
	})
}

// labelledDate takes the first date beside a label for its value.
func (c *comparison) labelledDate(reach box, k kind) {
	var value *shownDate
	for i := range c.view.dates {
		if d := &c.view.dates[i]; d.in(reach) && (value == nil || d.left < value.left) {
			value = d
		}
	}
	if value == nil {
		return
	}
	var first *term
	other := false
	for i := range c.terms {
		switch t := &c.terms[i]; {
		case t.date.IsZero():
		case t.kind == k:
			if value.means(t.date) {
				c.beside[t.node] = true
				return
			}
			if first == nil {
				first = t
			}
		default:
			other = other || value.means(t.date)
		}
	}
	switch {
	case first == nil:
	case other && k == issueDate: // any date may have such a label
	case other: // the label may be of another kind, if that has a label with this date
		c.notes = append(c.notes, note{first, value.raw})
	case value.near(first.date):
		c.contradict(first, value.raw)
	}
}

// note records the value beside a label whose term may be beside another label.
type note struct {
	t     *term
	shown string
}

// labelledPeriod compares the dates beside a label with the periods of the invoice and its lines.
func (c *comparison) labelledPeriod(reach box) {
	for _, d := range c.view.dates {
		if !d.in(reach) || !c.spend(2*len(c.terms)) {
			continue
		}
		known := slices.ContainsFunc(c.terms, func(t term) bool { return !t.date.IsZero() && d.means(t.date) })
		at := slices.IndexFunc(c.terms, func(t term) bool { return t.kind == period && d.near(t.date) })
		if !known && at >= 0 {
			c.contradict(&c.terms[at], d.raw)
		}
	}
}

// labelledNumber compares the words behind the label with the number of the invoice.
func (c *comparison) labelledNumber(l label) {
	i := slices.IndexFunc(c.terms, func(t term) bool { return t.kind == number })
	if i < 0 {
		return
	}
	t := &c.terms[i]
	c.view.piecesNear(l.box, func(n int) {
		p := &c.view.pieces[n]
		if n != l.piece && (!p.beside(l.box) || (p.left < l.right) != c.mirrored) || !c.spend(len(p.folded)) {
			return
		}
		want := []rune(t.text)
		for _, at := range p.words(n == l.piece, l.to) {
			if shown, alike := p.alike(at, want); alike && !c.inXML(shown) {
				c.contradict(t, shown)
			}
		}
	})
}

// words returns where words begin in folded; if behind is set, only those at or after a position in raw.
func (p *piece) words(behind bool, to int) (all []int) {
	for at, starts := range p.starts {
		if starts && (!behind || p.from[at] >= to) {
			all = append(all, at)
		}
	}
	return all
}

// alike reports whether the words at a position differ from a folded text in one character, and returns them as shown.
func (p *piece) alike(at int, want []rune) (shown string, is bool) {
	end := at + len(want)
	const longest = 100 // a number is shorter
	if end > len(p.folded) || end < len(p.folded) && !p.starts[end] || len(want) < 4 || len(want) > longest {
		return "", false
	}
	differ := 0
	for i, r := range want {
		if p.folded[at+i] != r {
			if differ++; differ > 2 {
				return "", false
			}
		}
	}
	if got := string(p.folded[at:end]); !alike(got, string(want)) {
		return "", false
	}
	return string(p.raw[p.from[at] : p.from[end-1]+1]), true
}
