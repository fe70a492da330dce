package rules

import "platen.dev/einvoice/model"

// use sums and counts the lines, allowances and charges that a row of the VAT breakdown is for.
type use struct {
	lines, charges, logistics, allowances decimal
	n                                     int
}

func newUse() *use { return &use{zero, zero, zero, zero, 0} }

// total is the taxable amount, the sum of rounded parts. It is not a number if a part is not one.
func (u *use) total() decimal {
	return u.lines.round(2).plus(u.charges.round(2)).plus(u.logistics.round(2)).minus(u.allowances.round(2))
}

// useKey is the key by which a set tells the rows of the breakdown apart; rates are in their canonical form.
type useKey struct{ category, rate, reason, code string }

type usages map[useKey]*use

// of returns the use of a key, an empty one if there is none.
func (u usages) of(key useKey) *use {
	if found := u[key]; found != nil {
		return found
	}
	return newUse()
}

// at is the use of a key, which it makes; nil for a tax that is not counted.
func (u usages) at(key useKey, counts bool) *use {
	if !counts {
		return nil
	}
	if u[key] == nil {
		u[key] = newUse()
	}
	return u[key]
}

// adjusted are the adjustments of a document.
type adjusted struct{ charges, logistics, allowances []model.Adjustment }

// usesOf adds up all uses in one pass, as there may be many rows. key is that of a tax, and false if it is not counted. A line counts
// once for each key.
func usesOf(lines []model.Line, of adjusted, key func(model.Tax) (useKey, bool)) usages {
	all := usages{}
	for _, l := range lines {
		seen := map[*use]bool{nil: true}
		for _, t := range l.Taxes {
			if u := all.at(key(t)); !seen[u] {
				u.lines, u.n, seen[u] = u.lines.plus(optional(l.Total)), u.n+1, true
			}
		}
	}
	add := func(adjustments []model.Adjustment, part func(*use) *decimal) {
		for _, a := range adjustments {
			if u := all.at(key(a.Tax)); u != nil {
				total := part(u)
				*total, u.n = total.plus(number(a.Amount)), u.n+1
			}
		}
	}
	add(of.charges, func(u *use) *decimal { return &u.charges })
	add(of.logistics, func(u *use) *decimal { return &u.logistics })
	add(of.allowances, func(u *use) *decimal { return &u.allowances })
	return all
}
