package rules

import "platen.dev/einvoice/model"

// cent is the rounding tolerance per amount that is added up.
var cent = decimal{one.unscaled, 2}

// toleranceOf returns a tolerance of n cents.
func toleranceOf(n int) decimal { return cent.times(integer(int64(n))) }

// extendedTotalRules are the rules of profile extended on totals, which allow each amount that is added up to be rounded.
var extendedTotalRules = []Rule{
	extended("BR-FXEXT-CO-10", "BT-106", "The sum of the lines is that of the net amounts of lines that count, give or take a cent for each line.", "Correct the sum or the lines.",
		closeTo(func(t model.Totals) model.Term { return t.Lines }, func(i *model.Invoice) (decimal, int) { return detailTotal(i), len(i.Lines) })),
	extended("BR-FXEXT-CO-11", "BT-107", "The total of allowances is the sum of the document's allowances, give or take a cent for each.", "Correct the total or the allowances.",
		unlessNone(func(i *model.Invoice) int { return len(i.Allowances) }, func(t model.Totals) model.Term { return t.Allowances },
			func(i *model.Invoice) (decimal, int) { return amountsOf(i.Allowances), len(i.Allowances) })),
	extended("BR-FXEXT-CO-12", "BT-108", "The total of charges is the sum of the document's charges and those for logistics, give or take a cent for each.", "Correct the total or the charges.",
		unlessNone(func(i *model.Invoice) int { return len(i.Charges) }, func(t model.Totals) model.Term { return t.Charges },
			func(i *model.Invoice) (decimal, int) { return chargeTotal(i), len(i.Charges) + len(i.Logistics) })),
	extended("BR-FXEXT-CO-13", "BT-109", "The amount without VAT is the sum of the lines that count, less allowances, plus charges, give or take a cent for each.", "Correct the amount, or what it is made of.",
		closeTo(func(t model.Totals) model.Term { return t.WithoutTax }, func(i *model.Invoice) (decimal, int) {
			return detailTotal(i).minus(amountsOf(i.Allowances)).plus(chargeTotal(i)), summed(i)
		})),
	extended("BR-FXEXT-CO-15", "BT-112", "The amount with VAT is the amount without VAT plus the total VAT in the invoice's currency, give or take a cent for each line, allowance and charge.",
		"Correct one of the three, and name the currency of the total VAT.",
		closeTo(func(t model.Totals) model.Term { return t.WithTax }, func(i *model.Invoice) (decimal, int) {
			tax := taxIn(i.Totals, i.Currency)
			if len(tax) != 1 {
				return decimal{}, 0
			}
			return number(i.Totals.WithoutTax).plus(number(tax[0])), summed(i)
		})),
	extended("BR-FXEXT-CO-16", "BT-115", "The amount due is the amount with VAT, less what was paid, plus the rounding and other adjustments.", "Correct the amount due, or what it is made of.",
		closeTo(func(t model.Totals) model.Term { return t.Due }, func(i *model.Invoice) (decimal, int) {
			t := i.Totals
			return number(t.WithTax).minus(optional(t.Paid)).plus(optional(t.Rounding)).plus(sum(t.Adjusted, optional)), 0
		})),
}

// closeTo holds if a total equals the calculated one, give or take a cent for each of a number.
func closeTo(total func(model.Totals) model.Term, want func(*model.Invoice) (decimal, int)) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		term := total(i.Totals)
		wanted, n := want(i)
		if !toleranceOf(n).atLeast(number(term).minus(wanted).abs()) {
			broken(or(term, i.Totals.Node), "found "+quoted(term)+", calculated "+wanted.String())
		}
	}
}

// unlessNone is like closeTo, but the total may be missing if there is nothing to count.
func unlessNone(count func(*model.Invoice) int, total func(model.Totals) model.Term, want func(*model.Invoice) (decimal, int)) finder {
	find := closeTo(total, want)
	return func(i *model.Invoice, broken func(model.Term, string)) {
		if count(i) > 0 || total(i.Totals) != nil {
			find(i, broken)
		}
	}
}

func detailTotal(i *model.Invoice) decimal {
	return sum(countingLines.of(i), func(l model.Line) decimal { return optional(l.Total) }).round(2)
}

func amountsOf(all []model.Adjustment) decimal {
	return sum(all, func(a model.Adjustment) decimal { return optional(a.Amount) }).round(2)
}

func chargeTotal(i *model.Invoice) decimal { return amountsOf(i.Charges).plus(amountsOf(i.Logistics)) }

// summed returns the number of amounts that add up to the amount without VAT.
func summed(i *model.Invoice) int {
	return len(countingLines.of(i)) + len(i.Allowances) + len(i.Charges) + len(i.Logistics)
}
