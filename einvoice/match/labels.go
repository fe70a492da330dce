package match

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

//go:embed labels.txt
var labelsTable string

// labels are the kinds that a label may stand for, in each meaning that it has.
var labels = func() map[string][][]kind {
	all := map[string][][]kind{}
	for line := range strings.Lines(labelsTable) {
		names, phrases, found := strings.Cut(strings.TrimSpace(line), " | ")
		if !found || names[0] == '#' {
			continue
		}
		kinds := kindsOf(names)
		for phrase := range strings.SplitSeq(phrases, ", ") {
			all[fold(phrase)] = append(all[fold(phrase)], kinds)
		}
	}
	return all
}()

// kindsOf reads the kinds of a row.
func kindsOf(names string) (kinds []kind) {
	if k := kind(names); k == dueDate {
		return []kind{k}
	}
	for name := range strings.FieldsSeq(names) {
		kinds = append(kinds, kind(name))
	}
	return kinds
}

// label is a label on a page.
type label struct {
	box
	piece, to int // its end in raw
	meanings  [][]kind
}

// longestLabel is how many letters a label has at most.
const longestLabel = 40

// afterDates tells where the dates of a piece end, if there are any behind a place.
func (v *view) afterDates(i int) func(from int) int {
	return func(from int) int {
		for _, d := range v.dates {
			if d.piece == i && d.from >= from {
				from = max(from, d.to)
			}
		}
		return from
	}
}

// labelOf is the label that the words of a piece begin with, from a folded character on: the longest. What follows must not be words.
func (p *piece) labelOf(index, at int, dated func(from int) int) (l label, found bool) {
	l, n := p.longest(index, at)
	if n == 0 {
		return l, false
	}
	rest := p.raw[l.to:]
	if !l.explains() && (wordIn(rest, unicode.IsDigit) || wordIn(p.raw[dated(l.to):], func(rune) bool { return false })) {
		return l, false // the beginning of a sentence, or of another label
	}
	return l, true
}

// longest is the longest label from a folded character on, and how many folded characters it has.
func (p *piece) longest(index, at int) (l label, length int) {
	for n := min(len(p.folded)-at, longestLabel); n > 0; n-- {
		end := at + n
		if end < len(p.folded) && !p.starts[end] {
			continue
		}
		if meanings := labels[string(p.folded[at:end])]; meanings != nil {
			to := p.from[end-1] + 1
			return label{box: p.boxOf(p.from[at], to), piece: index, to: to, meanings: meanings}, n
		}
	}
	return l, 0
}

// headings are the labels of a piece that has several, as columns close to each other have.
func (p *piece) headings(index int) (all []label) {
	for at := 0; at < len(p.folded); at++ {
		if !p.starts[at] {
			continue
		}
		if l, n := p.longest(index, at); n > 0 {
			all = append(all, l)
			at += n - 1
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// explains reports whether words that explain the value may follow the label.
func (l label) explains() bool {
	k := l.meanings[0][0]
	return k == allowance || k == charge
}

// labels compares the values beside labels with the terms that they stand for.
func (c *comparison) labels() {
	for _, l := range c.found {
		reach := c.reach(l)
		for _, kinds := range l.meanings {
			switch kinds[0] {
			case issueDate, dueDate, delivery:
				c.labelledDate(reach, kinds[0])
			case period:
				c.labelledPeriod(reach)
			case number:
				c.labelledNumber(l)
			case price, lineTotal, quantity, vatBase, vatRate: // over columns
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

// findLabels finds the labels of the pages, and on which side their values are.
func (c *comparison) findLabels() {
	for i := range c.view.pieces {
		p := &c.view.pieces[i]
		if l, found := p.labelOf(i, 0, c.view.afterDates(i)); found {
			c.found = append(c.found, l)
		} else if !slices.ContainsFunc(p.raw, unicode.IsDigit) {
			c.found = append(c.found, p.headings(i)...)
		}
	}
	c.mirrored = c.fromRight()
}

// fromRight reports whether values are left of their labels, as on pages in scripts that are written from the right.
func (c *comparison) fromRight() bool {
	left, right := 0, 0
	for _, l := range c.found {
		for _, side := range []struct {
			mirrored bool
			count    *int
		}{{false, &right}, {true, &left}} {
			c.mirrored = side.mirrored
			reach := c.reach(l)
			if c.view.someAmount(reach, func(a *amount) bool { return a.in(reach) }) {
				*side.count++
			}
		}
	}
	return left > right
}

// reach is where the value of a label may be: beside it, up to the next words.
func (c *comparison) reach(l label) box {
	r := box{l.page, l.right - 1, l.top, 1e9, l.bottom}
	if c.mirrored {
		r.left, r.right = -1e9, l.left+1
	}
	c.view.pieceGrid.near(l.box, func(n int) {
		p := &c.view.pieces[n]
		if n == l.piece || !p.meets(l.box) || !p.wordy() {
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

// wordy reports whether a piece begins with a word rather than with a number or a currency, or is a part of a sentence.
func (p *piece) wordy() bool {
	return wordIn(p.raw, unicode.IsDigit) || slices.Contains(p.raw, '%') && slices.ContainsFunc(p.raw, unicode.IsLetter)
}

// wordIn reports whether a text has a word of more than three letters, up to a character at which it ends.
func wordIn(text []rune, end func(rune) bool) bool {
	letters := 0
	for _, r := range text {
		switch {
		case end(r):
			return false
		case ideograph(r):
			return true
		case unicode.IsLetter(r):
			letters++
		case !mark(r):
			letters = 0
		}
		if letters > 3 {
			return true
		}
	}
	return false
}

// in reports whether something is in the line of a reach, between its sides.
func (b box) in(reach box) bool {
	return b.beside(reach) && b.left >= reach.left && b.right <= reach.right+1
}

// labelledAmount takes the amount beside a label that is farthest from it for its value.
func (c *comparison) labelledAmount(l label, reach box, kinds []kind) {
	var value *amount
	c.view.amountsNear(reach, func(a *amount) {
		if !a.percent && a.in(reach) && (a.piece != l.piece || !l.explains()) && (value == nil || (a.left > value.left) != c.mirrored) {
			value = a
		}
	})
	if value == nil || !value.decimals {
		return
	}
	var first *term // of the kind that the label stands for above all
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
	case other: // the label may be of another kind, if there is one that has the date
		c.notes = append(c.notes, note{first, value.raw})
	case value.near(first.date):
		c.contradict(first, value.raw)
	}
}

// note is what a label has whose term may be beside another one.
type note struct {
	t     *term
	shown string
}

// labelledPeriod compares the dates beside a label with the periods of the invoice and its lines.
func (c *comparison) labelledPeriod(reach box) {
	for _, d := range c.view.dates {
		if !d.in(reach) {
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
	c.view.pieceGrid.near(l.box, func(n int) {
		p := &c.view.pieces[n]
		if n != l.piece && (!p.beside(l.box) || (p.left < l.right) != c.mirrored) {
			return
		}
		for _, at := range p.words(n == l.piece, l.to) {
			if shown, alike := p.alike(at, t.text); alike && !c.inXML(shown) {
				c.contradict(t, shown)
			}
		}
	})
}

// words are where words begin in folded, behind a place in raw if that counts.
func (p *piece) words(behind bool, to int) (all []int) {
	for at, starts := range p.starts {
		if starts && (!behind || p.from[at] >= to) {
			all = append(all, at)
		}
	}
	return all
}

// alike reports whether the words from a place on differ from a folded text in one character, and returns them as they are shown.
func (p *piece) alike(at int, text string) (shown string, is bool) {
	want := []rune(text)
	end := at + len(want)
	if end > len(p.folded) || end < len(p.folded) && !p.starts[end] || len(want) < 4 {
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
	if got := string(p.folded[at:end]); !alike(got, text) {
		return "", false
	}
	return string(p.raw[p.from[at] : p.from[end-1]+1]), true
}
