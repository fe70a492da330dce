package match

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// mark reports whether a character belongs to the one before it.
func mark(r rune) bool { return unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r) }

// has reports whether the page has the value of a term.
func (v *view) has(t *term) bool {
	switch {
	case t.text != "":
		return v.hasText([]rune(t.text), nil)
	case !t.date.IsZero():
		return v.hasDate(t) || v.hasText([]rune(fold(t.node.Text())), nil)
	}
	if v.hasAmount(asked{t.amount, t.rate, t.money()}) {
		return true
	}
	if !t.rate && v.rounds(t.amount) {
		return true
	}
	const long = 16 // digits that may wrap to the next line
	digits := fold(t.amount)
	return t.rate && v.byValue[t.amount] != nil || // the percent sign may be in a heading
		len(digits) >= long && v.hasText([]rune(digits), nil)
}

// asked is what may be asked of an amount: that it is a percentage, or an amount of money.
type asked struct {
	amount      string
	rate, money bool
}

// hasAmount reports whether the page has an amount. Many terms may ask the same.
func (v *view) hasAmount(q asked) bool {
	is, known := v.answers[q]
	if !known {
		is = slices.ContainsFunc(v.byValue[q.amount], func(i int) bool {
			a := &v.amounts[i]
			return (a.percent || !q.rate) && (!q.money || v.money(a))
		})
		v.answers[q] = is
	}
	return is
}

// rounds reports whether the page has a number with more than two decimals rounded.
func (v *view) rounds(value string) bool {
	if _, decimals, _ := strings.Cut(value, "."); len(decimals) < 3 {
		return false
	}
	v.steps -= len(v.amounts)
	return v.steps >= 0 && slices.ContainsFunc(v.amounts, func(a amount) bool { return a.rounds(value) })
}

// money reports whether a term is an amount of money so short that other numbers may equal it by chance.
func (t *term) money() bool { return !t.rate && t.kind != quantity && len(t.amount) <= 3 }

// money reports whether a number is written as an amount of money: with decimals, unless the page writes none, or beside a currency.
func (v *view) money(a *amount) bool {
	const few = 3 // amounts with decimals
	if a.decimals || v.decimals < few {
		return true
	}
	raw := v.pieces[a.piece].raw
	around := string(raw[max(0, a.from-4):a.from]) + string(raw[a.to:min(len(raw), a.to+4)])
	return !a.percent && (v.currency != "" && strings.Contains(around, v.currency) || strings.ContainsFunc(around, func(r rune) bool {
		return unicode.Is(unicode.Sc, r) || r == '-' || r == '–' || r == '—'
	}))
}

// spot is a range of folded characters of a piece.
type spot struct{ piece, from, to int }

// index notes where the words of a piece begin.
func (v *view) index(i int) {
	folded := v.pieces[i].folded
	for at, starts := range v.pieces[i].starts {
		switch here := (spot{i, at, at}); {
		case !starts:
		case at+3 <= len(folded):
			key := [3]rune{folded[at], folded[at+1], folded[at+2]}
			if v.words[key] == nil {
				v.initials[key[0]] = append(v.initials[key[0]], key)
			}
			v.words[key] = append(v.words[key], here)
		default:
			v.tails[folded[at]] = append(v.tails[folded[at]], here)
		}
	}
}

// beginnings are where a text may begin.
func (v *view) beginnings(want []rune) iter.Seq[spot] {
	return func(yield func(spot) bool) {
		each := func(spots []spot) bool { return !slices.ContainsFunc(spots, func(s spot) bool { return !yield(s) }) }
		switch {
		case !each(v.tails[want[0]]):
		case len(want) >= 3:
			each(v.words[[3]rune(want)])
		default:
			for _, key := range v.initials[want[0]] {
				if !each(v.words[key]) {
					return
				}
			}
		}
	}
}

// hasText searches for a folded text that begins and ends at word boundaries. It may continue on lines below. found, if not nil,
// gets the places of each occurrence, and reports whether it wants more.
func (v *view) hasText(want []rune, found func(spots []spot) bool) bool {
	is := false
	for s := range v.beginnings(want) {
		if v.steps < 0 {
			return is
		}
		if spots := v.goesOn(s.piece, s.from, want, nil, 0); spots != nil {
			is = true
			if found == nil || !found(spots) {
				return true
			}
		}
	}
	return is
}

// maxLines is the maximum number of lines of a value.
const maxLines = 40

// goesOn follows a text from a place in a piece, and returns where it is, or nil.
func (v *view) goesOn(i, at int, want []rune, before []spot, lines int) []spot {
	if v.steps--; v.steps < 0 {
		return nil
	}
	p := &v.pieces[i]
	n := 0
	for n < len(want) && at+n < len(p.folded) && p.folded[at+n] == want[n] {
		n++
	}
	const step = 16 // characters that are compared in the time of a step
	v.steps -= n / step
	here := append(before[:len(before):len(before)], spot{i, at, at + n})
	switch {
	case n == len(want):
		if at+n == len(p.folded) || p.starts[at+n] {
			return here
		}
		return nil
	case at+n < len(p.folded) || n == 0 || lines == maxLines || v.steps < 0:
		return nil
	}
	for _, next := range v.flow(i) {
		if len(v.pieces[next].folded) == 0 || v.pieces[next].folded[0] != want[n] {
			continue
		}
		if spots := v.goesOn(next, 0, want[n:], here, lines+1); spots != nil {
			return spots
		}
	}
	return nil
}
