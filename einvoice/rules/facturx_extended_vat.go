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
		eachRow(rowsOf("S"), func(row model.Tax, byReason, byRate *use) bool {
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
			eachRow(c.rows(), func(row model.Tax, byReason, byRate *use) bool { return byReason.addsUpTo(row) || byRate.addsUpTo(row) })),
		within(Rule{prefix + "-08ini", "BT-116", Warning, base + ", whatever the reason for exemption.", fix, eachRow(c.rows(), func(row model.Tax, _, byRate *use) bool { return byRate.addsUpTo(row) })}, "extended"),
		within(Rule{prefix + "-08rev", "BT-116", Warning, base + " with its reason for exemption.", fix, eachRow(c.rows(), func(row model.Tax, byReason, _ *use) bool { return byReason.addsUpTo(row) })}, "extended"),
	}
}

// isBrokenDown reports whether the category has both rows and uses, or neither.
func (c category) isBrokenDown(i *model.Invoice) bool {
	used := uses(i, c.code, lineTaxes, allowanceTaxes, chargeTaxes, logisticTaxes)
	return uses(i, c.code, taxes) == used
}

var logisticTaxes = taxesIn(func(i *model.Invoice) []model.Tax { return taxesOf(i.Logistics) })

// addsUpTo reports whether a taxable amount equals that of a use, within a cent for each thing counted.
func (u *use) addsUpTo(row model.Tax) bool {
	return toleranceOf(u.n).atLeast(number(row.Base).minus(u.total()).abs())
}

// keyOf is the key of a tax; false if nothing can equal its rate, which with category O does not count. Texts are trimmed.
func keyOf(t model.Tax, byReason bool) (key useKey, given bool) {
	key.category = t.Category.Text()
	if key.category != "O" {
		rate := number(t.Rate)
		key.rate, given = rate.canonical(), rate.exists()
	}
	if byReason {
		key.reason, key.code = strings.TrimSpace(t.Reason.Text()), strings.TrimSpace(t.ReasonCode.Text())
	}
	return key, given || key.category == "O"
}

// eachRow compares each row with the uses of its rate and reason, and with those of its rate alone. If the row lacks the rate, both
// are empty: other rules report that.
func eachRow(rows scope[model.Tax], holds func(row model.Tax, byReason, byRate *use) bool) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		all := rows.of(i)
		if len(all) == 0 {
			return
		}
		by := func(reason bool) func(model.Tax) *use {
			key := func(t model.Tax) (useKey, bool) { return keyOf(t, reason) }
			uses := usesOf(countingLines.of(i), adjusted{i.Charges, i.Logistics, i.Allowances}, key)
			return func(row model.Tax) *use {
				if row.Rate == nil && row.Category.Text() != "O" {
					return &use{}
				}
				key, _ := key(row)
				return uses.of(key)
			}
		}
		byReason, byRate := by(true), by(false)
		for _, row := range all {
			if !holds(row, byReason(row), byRate(row)) {
				broken(rows.at(row), "")
			}
		}
	}
}
