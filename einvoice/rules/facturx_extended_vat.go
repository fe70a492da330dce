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
		each(rowsOf("S"), func(i *model.Invoice, row model.Tax) bool {
			difference := number(row.Amount).minus(number(row.Base).percent(number(row.Rate)).round(2)).abs()
			_, byReason := addUp(i, row, true)
			_, byRate := addUp(i, row, false)
			return toleranceOf(max(byReason, byRate)).atLeast(difference)
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
	byReason, byRate := adds(true), adds(false)
	return []Rule{
		extended(prefix+"-01", "BG-23", of+"the VAT breakdown has a row if anything uses the category, and only then.", "Add or remove the row.", each(invoice, is(c.isBrokenDown))),
		extended(fatal, "BT-116", base+", all or those with its reason for exemption.", fix,
			each(c.rows(), func(i *model.Invoice, row model.Tax) bool { return byReason(i, row) || byRate(i, row) })),
		within(Rule{prefix + "-08ini", "BT-116", Warning, base + ", whatever the reason for exemption.", fix, each(c.rows(), byRate)}, "extended"),
		within(Rule{prefix + "-08rev", "BT-116", Warning, base + " with its reason for exemption.", fix, each(c.rows(), byReason)}, "extended"),
	}
}

// isBrokenDown reports whether rows and uses of the category are both there, or neither.
func (c category) isBrokenDown(i *model.Invoice) bool {
	used := uses(i, c.code, lineTaxes, allowanceTaxes, chargeTaxes, logisticTaxes)
	return uses(i, c.code, taxes) == used
}

var logisticTaxes = taxesIn(func(i *model.Invoice) []model.Tax { return taxesOf(i.Logistics) })

// adds is the condition that a taxable amount is what its rate, and perhaps its reason, is used for, give or take a cent for each use.
func adds(byReason bool) func(*model.Invoice, model.Tax) bool {
	return func(i *model.Invoice, row model.Tax) bool {
		total, n := addUp(i, row, byReason)
		return toleranceOf(n).atLeast(number(row.Base).minus(total).abs())
	}
}

// addUp adds up the lines, allowances and charges that have the category and rate of a row, and perhaps its reason for exemption, and counts them.
func addUp(i *model.Invoice, row model.Tax, byReason bool) (total decimal, n int) {
	if row.Rate == nil && row.Category.Text() != "O" {
		return decimal{}, 0
	}
	uses := func(t model.Tax) bool {
		return t.Category.Text() == row.Category.Text() &&
			(row.Category.Text() == "O" || number(t.Rate).equals(number(row.Rate))) &&
			(!byReason || sameReason(t, row))
	}
	part := func(all []model.Adjustment) decimal {
		of := keep(all, func(a model.Adjustment) bool { return uses(a.Tax) })
		n += len(of)
		return amountsOf(of)
	}
	of := keep(countingLines.of(i), func(l model.Line) bool { return len(keep(l.Taxes, uses)) > 0 })
	n = len(of)
	total = sum(of, func(l model.Line) decimal { return optional(l.Total) }).round(2)
	return total.plus(part(i.Charges)).plus(part(i.Logistics)).minus(part(i.Allowances)), n
}

func sameReason(a, b model.Tax) bool {
	same := func(x, y model.Term) bool { return strings.TrimSpace(x.Text()) == strings.TrimSpace(y.Text()) }
	return same(a.Reason, b.Reason) && same(a.ReasonCode, b.ReasonCode)
}
