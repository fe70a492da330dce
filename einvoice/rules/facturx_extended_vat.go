package rules

import (
	"strings"

	"platen.dev/einvoice/model"
)

// extendedVATRules are the rules of profile extended on each category of VAT, which count and add up by rate and by reason for
// exemption: rows of one category may differ in their reasons.
func extendedVATRules() []Rule {
	var all []Rule
	for _, c := range categories {
		all = append(all, c.extendedRules()...)
	}
	return append(all, extended("BR-FXEXT-S-09b", "BT-117", "With the standard rate (category S): the tax is what its rate makes of the taxable amount, give or take a cent for each amount.", "Correct the tax.",
		eachRow(rowsOf("S"), func(row model.Tax, byReason, byRate use) bool {
			difference := number(row.Amount).minus(number(row.Base).percent(number(row.Rate)).round(2)).abs()
			return toleranceOf(max(byReason.n, byRate.n)).atLeast(difference)
		})))
}

func rowsOf(code string) scope[model.Tax] { return category{code: code}.within(taxes) }

func (c category) extendedRules() []Rule {
	of := "With " + c.name + " (category " + c.code + "): "
	prefix := "BR-FXEXT-" + c.id
	fatal := prefix + "-08b"
	if c.id == "S" {
		fatal = "BR-FXEXT-S08b"
	}
	base := of + "the taxable amount is that of its lines, less allowances, plus charges"
	const fix = "Correct the taxable amount."
	return []Rule{
		extended(prefix+"-01", "BG-23", of+"the VAT breakdown has a row if anything uses the category, and only then.", "Add or remove the row.", each(invoice, is(c.isBrokenDown))),
		extended(fatal, "BT-116", base+", all or those with its reason for exemption.", fix,
			eachRow(c.rows(), func(row model.Tax, byReason, byRate use) bool { return byReason.addsUpTo(row) || byRate.addsUpTo(row) })),
		within(Rule{prefix + "-08ini", "BT-116", Warning, base + ", whatever the reason for exemption.", fix, eachRow(c.rows(), func(row model.Tax, _, byRate use) bool { return byRate.addsUpTo(row) })}, "extended"),
		within(Rule{prefix + "-08rev", "BT-116", Warning, base + " with its reason for exemption.", fix, eachRow(c.rows(), func(row model.Tax, byReason, _ use) bool { return byReason.addsUpTo(row) })}, "extended"),
	}
}

// isBrokenDown reports whether rows and uses of the category are both there, or neither.
func (c category) isBrokenDown(i *model.Invoice) bool {
	used := uses(i, c.code, lineTaxes, allowanceTaxes, chargeTaxes, logisticTaxes)
	return uses(i, c.code, taxes) == used
}

var logisticTaxes = taxesIn(func(i *model.Invoice) []model.Tax { return taxesOf(i.Logistics) })

// use is what has the category and rate of a row, and perhaps its reason for exemption, and how many things that are.
type use struct {
	lines, charges, logistics, allowances decimal
	n                                     int
}

// addsUpTo is the condition that a taxable amount is that of a use, give or take a cent for each thing.
func (u use) addsUpTo(row model.Tax) bool {
	if !u.lines.exists() {
		return false
	}
	total := u.lines.round(2).plus(u.charges.round(2)).plus(u.logistics.round(2)).minus(u.allowances.round(2))
	return toleranceOf(u.n).atLeast(number(row.Base).minus(total).abs())
}

// useKey is what rows are told apart by. Texts are trimmed, rates in their canonical form, none with category O.
type useKey struct{ category, rate, reason, code string }

// keyOf is the key of a tax; false if nothing can equal its rate.
func keyOf(t model.Tax, byReason bool) (key useKey, comparable bool) {
	key.category = t.Category.Text()
	if key.category != "O" {
		rate := number(t.Rate)
		key.rate, comparable = rate.canonical(), rate.exists()
	}
	if byReason {
		key.reason, key.code = strings.TrimSpace(t.Reason.Text()), strings.TrimSpace(t.ReasonCode.Text())
	}
	return key, comparable || key.category == "O"
}

// eachRow asks each row once what has its rate and reason, and what has its rate. Everything is added up before: there may be many rows.
func eachRow(rows scope[model.Tax], holds func(row model.Tax, byReason, byRate use) bool) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		all := rows.of(i)
		if len(all) == 0 {
			return
		}
		byReason, byRate := usesOf(i, true), usesOf(i, false)
		for _, row := range all {
			if !holds(row, byReason.of(row, true), byRate.of(row, false)) {
				broken(rows.at(row), "")
			}
		}
	}
}

type usages map[useKey]*use

// of is what a row is for: nothing that has a total if it lacks the rate, which other rules say.
func (u usages) of(row model.Tax, byReason bool) use {
	if row.Rate == nil && row.Category.Text() != "O" {
		return use{}
	}
	key, _ := keyOf(row, byReason)
	if found := u[key]; found != nil {
		return *found
	}
	return use{zero, zero, zero, zero, 0}
}

func usesOf(i *model.Invoice, byReason bool) usages {
	all := usages{}
	at := func(t model.Tax) *use {
		key, comparable := keyOf(t, byReason)
		if !comparable {
			return nil
		}
		if all[key] == nil {
			all[key] = &use{zero, zero, zero, zero, 0}
		}
		return all[key]
	}
	for _, l := range countingLines.of(i) {
		seen := map[*use]bool{nil: true}
		for _, t := range l.Taxes {
			if u := at(t); !seen[u] {
				u.lines, u.n, seen[u] = u.lines.plus(optional(l.Total)), u.n+1, true
			}
		}
	}
	add := func(adjustments []model.Adjustment, part func(*use) *decimal) {
		for _, a := range adjustments {
			if u := at(a.Tax); u != nil {
				total := part(u)
				*total, u.n = total.plus(optional(a.Amount)), u.n+1
			}
		}
	}
	add(i.Charges, func(u *use) *decimal { return &u.charges })
	add(i.Logistics, func(u *use) *decimal { return &u.logistics })
	add(i.Allowances, func(u *use) *decimal { return &u.allowances })
	return all
}
