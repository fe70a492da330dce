package match

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

//go:embed labels.txt
var labelsTable string

// labels maps labels to their meanings, each a list of kinds of terms.
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

// labelLengths maps a first character to the lengths of the labels that begin with it, as bits.
var labelLengths = func() map[rune]uint64 {
	all := map[rune]uint64{}
	for name := range labels {
		folded := []rune(name)
		all[folded[0]] |= 1 << len(folded)
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

// fromRight reports whether values are to the left of their labels, as on pages in right-to-left scripts.
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

// afterDates returns a function that skips the dates of a piece after a position.
func (v *view) afterDates(i int) func(from int) int {
	return func(from int) int {
		first, _ := slices.BinarySearchFunc(v.dates, i, func(d shownDate, piece int) int { return d.piece - piece })
		for _, d := range v.dates[first:] {
			if d.piece != i {
				break
			}
			if d.from >= from {
				from = max(from, d.to)
			}
		}
		return from
	}
}

// labelOf returns the longest label at a folded character of a piece. It must not be followed by words.
func (p *piece) labelOf(index, at int, dated func(from int) int) (l label, found bool) {
	l, n := p.longest(index, at)
	if n == 0 {
		return l, false
	}
	rest := p.raw[l.to:]
	if slices.Contains(p.raw[:p.from[at]], '%') || qualified(rest) {
		return l, false // the name of a rate, or of another amount
	}
	if !l.explains() && (wordIn(rest, unicode.IsDigit) || wordIn(p.raw[dated(l.to):], func(rune) bool { return false })) {
		return l, false // it begins a sentence, or another label
	}
	return l, true
}

// qualifiers are short words that make another term of the label before them.
var qualifiers = strings.Fields("ht ttc hors net netto tva vat ust mwst iva btw excl incl inkl exkl zzgl satz")

// qualified reports whether the first word of a text is a qualifier.
func qualified(text []rune) bool {
	from := slices.IndexFunc(text, unicode.IsLetter)
	if from < 0 {
		return false
	}
	to := from
	for to < len(text) && unicode.IsLetter(text[to]) {
		to++
	}
	return slices.Contains(qualifiers, fold(string(text[from:to])))
}

// longest returns the longest label at a folded character, and its length in folded characters.
func (p *piece) longest(index, at int) (l label, length int) {
	if at == len(p.folded) {
		return l, 0
	}
	lengths := labelLengths[p.folded[at]]
	for n := min(len(p.folded)-at, longestLabel); n > 0; n-- {
		end := at + n
		if lengths&(1<<n) == 0 || end < len(p.folded) && !p.starts[end] {
			continue
		}
		if meanings := labels[string(p.folded[at:end])]; meanings != nil {
			to := p.from[end-1] + 1
			return label{box: p.boxOf(p.from[at], to), piece: index, to: to, meanings: meanings}, n
		}
	}
	return l, 0
}

// headings returns the labels of a piece that has several, such as headings of adjacent columns. Other words between two, as in "total of
// charges", make another label of them.
func (p *piece) headings(index int) (all []label) {
	between := 0 // where the last label ends
	for at := 0; at < len(p.folded); at++ {
		if !p.starts[at] {
			continue
		}
		l, n := p.longest(index, at)
		if n == 0 {
			continue
		}
		if len(all) > 0 && slices.ContainsFunc(p.raw[between:p.from[at]], unicode.IsLetter) || l.to < len(p.raw) && p.raw[l.to] == ' ' && qualified(p.raw[l.to:]) {
			return nil
		}
		all, between = append(all, l), l.to
		at += n - 1
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// explains reports whether the label may be followed by words that explain the value.
func (l label) explains() bool {
	k := l.meanings[0][0]
	return k == allowance || k == charge
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
