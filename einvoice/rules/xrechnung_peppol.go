package rules

import (
	"platen.dev/einvoice/model"
)

// germanPeppolRules are the rules of Peppol that XRechnung has adopted.
var germanPeppolRules = []Rule{
	{"PEPPOL-EN16931-R001", "BT-23", Fatal, "The invoice names its business process.", "Give the process.", has(invoice, func(i *model.Invoice) model.Term { return i.Process })},
	{"PEPPOL-EN16931-R005", "BT-6", Fatal, "The accounting currency is not the invoice's.", "Leave the accounting currency out.", each(invoice, is(func(i *model.Invoice) bool {
		return i.TaxCurrency == nil || trimmed(i.TaxCurrency) != trimmed(i.Currency)
	}))},
	{"PEPPOL-EN16931-R008", "", Fatal, "No element is empty, but for the delivery.", "Give the element content, or leave it out.", each(elements(""), is(func(t model.Term) bool {
		return t.Element() == "ApplicableHeaderTradeDelivery" || !isEmpty(t)
	}))},
	{"PEPPOL-EN16931-R010", "BT-49", Fatal, "The buyer has an electronic address.", "Give the address.", has(buyer, func(p model.Party) model.Term { return p.Endpoint })},
	{"PEPPOL-EN16931-R020", "BT-34", Fatal, "The seller has an electronic address.", "Give the address.", has(seller, func(p model.Party) model.Term { return p.Endpoint })},
	adjustmentAmount(slack),
	{"PEPPOL-EN16931-R041", "BT-93", Fatal, "An allowance or charge with a percentage has a base amount.", "Give the base amount.", has(withTerm(func(a model.Adjustment) model.Term { return a.Percent }), func(a model.Adjustment) model.Term { return a.Base })},
	{"PEPPOL-EN16931-R042", "BT-94", Fatal, "An allowance or charge with a base amount has a percentage.", "Give the percentage.", has(withTerm(func(a model.Adjustment) model.Term { return a.Base }), func(a model.Adjustment) model.Term { return a.Percent })},
	{"PEPPOL-EN16931-R043-1", "BG-20", Fatal, "Whether something is a charge is written true or false.", "Write it so.", each(wholeAdjustments, is(isWritten))},
	{"PEPPOL-EN16931-R043-2", "BT-147", Fatal, "Whether something is a charge on a price is written true or false.", "Write it so.", each(priceAdjustments, is(isWritten))},
	{"PEPPOL-EN16931-R044", "BT-147", Fatal, "The discount on a price is not a charge.", "Give the price with the charge.", each(lines, is(func(l model.Line) bool {
		return len(keep(l.PriceAdjustments, func(a model.Adjustment) bool { return a.Amount != nil })) == 0 ||
			len(keep(l.PriceAdjustments, func(a model.Adjustment) bool { return a.Node.At("ChargeIndicator", "Indicator").Text() == "false" })) > 0
	}))},
	{"PEPPOL-EN16931-R046", "BT-146", Fatal, "The net price is the gross price less the discount.", "Correct one of the three.", each(lines, is(func(l model.Line) bool {
		applied := l.Node.At("SpecifiedLineTradeAgreement", "GrossPriceProductTradePrice", "AppliedTradeAllowanceCharge", "ActualAmount")
		return l.GrossPrice == nil || number(l.NetPrice).equals(number(l.GrossPrice).minus(optional(applied)))
	}))},
	{
		"PEPPOL-EN16931-R053", "BT-110", Fatal, "There is one total VAT in the invoice's currency.", "Keep one.",
		each(totals, func(i *model.Invoice, t model.Totals) bool { return len(taxIn(t, i.Currency)) <= 1 }),
	},
	{"PEPPOL-EN16931-R054", "BT-111", Fatal, "There is one total VAT in another currency if there is an accounting currency, and none if not.", "Give the total VAT in the accounting currency.", each(totals, func(i *model.Invoice, t model.Totals) bool {
		n := len(keep(t.Tax, func(tax model.Term) bool {
			currency, has := attributeOf(tax, "currencyID")
			return has && currency != i.Currency.Text()
		}))
		return n == 0 && i.TaxCurrency == nil || n == 1 && i.TaxCurrency != nil
	})},
	{"PEPPOL-EN16931-R055", "BT-111", Fatal, "The total VAT has the same sign in both currencies.", "Correct one of the two.", each(totals, func(i *model.Invoice, t model.Totals) bool {
		own, other := taxIn(t, i.Currency), taxIn(t, i.TaxCurrency)
		if i.TaxCurrency == nil || len(own) == 0 {
			return true
		}
		negative := func(tax model.Term) bool { return number(tax).below(zero) }
		return len(keep(own, negative)) > 0 && len(keep(other, negative)) > 0 || len(keep(own, negative)) < len(own) && len(keep(other, negative)) < len(other)
	})},
	{
		"PEPPOL-EN16931-R061", "BT-89", Fatal, "A direct debit (49, 59) names the mandate.", "Give the mandate.",
		eachOr(paidBy("49 59"), hasMandate),
	},
	{"PEPPOL-EN16931-R101", "BT-128", Fatal, "A document of a line is the object that is invoiced (type 130).", "Leave out others.", each(lines, is(func(l model.Line) bool {
		return len(l.Documents) == 0 || len(keep(l.Documents, func(d model.Document) bool { return d.TypeCode.Text() == "130" })) > 0
	}))},
	{"PEPPOL-EN16931-R110", "BT-134", Fatal, "The period of a line starts within that of the invoice.", "Correct one of the two.", each(linePeriods, func(i *model.Invoice, p model.Period) bool {
		return p.Start == nil || i.Period.Start == nil || p.Start.Text() >= i.Period.Start.Text()
	})},
	{"PEPPOL-EN16931-R111", "BT-135", Fatal, "The period of a line ends within that of the invoice.", "Correct one of the two.", each(linePeriods, func(i *model.Invoice, p model.Period) bool {
		return p.End == nil || i.Period.End == nil || p.End.Text() <= i.Period.End.Text()
	})},
	{
		"PEPPOL-EN16931-R121", "BT-149", Fatal, "A price is for a quantity above 0.", "Correct the base quantity.",
		each(terms(lines, func(l model.Line) []model.Term { return l.BaseQuantities }), is(func(t model.Term) bool { return number(t).above(zero) })),
	},
	{"PEPPOL-EN16931-R130", "BT-150", Fatal, "A price is for the unit that is invoiced.", "Give the same unit.", each(lines, is(func(l model.Line) bool {
		return len(keep(l.BaseQuantities, func(t model.Term) bool {
			_, has := attributeOf(t, "unitCode")
			return has && !hasSameUnit(t, l.Quantity)
		})) == 0
	}))},
}

// adjustmentAmount holds if allowances and charges equal their percentages of the base, within a slack that may depend on the currency.
func adjustmentAmount(slack func(*model.Invoice) decimal) Rule {
	return Rule{
		"PEPPOL-EN16931-R040", "BT-92", Fatal, "An allowance or charge is its base amount times its percentage, give or take 0.02.", "Correct one of the three.",
		each(calculated, func(i *model.Invoice, a model.Adjustment) bool {
			return slack(i).atLeast(optional(a.Amount).minus(number(a.Base).percent(number(a.Percent))).abs())
		}),
	}
}

// isWritten reports whether a Boolean is written as a word.
func isWritten(a model.Adjustment) bool {
	return oneOf(a.Node.At("ChargeIndicator", "Indicator").Text(), "true false")
}

// slack is by how much an allowance or charge may differ from its percentage.
func slack(i *model.Invoice) decimal {
	if i.Currency.Text() == "HUF" {
		return decimal{integer(5).unscaled, 1}
	}
	return twoCents
}

var twoCents = decimal{integer(2).unscaled, 2}

var (
	everyAdjustment = adjustments(func(i *model.Invoice) []model.Adjustment {
		var all []model.Adjustment
		for _, of := range [][]model.Adjustment{i.Allowances, i.Charges, i.LineAllowances, i.LineCharges} {
			all = append(all, of...)
		}
		return all
	})
	// calculated are the adjustments with both a percentage and a base amount.
	calculated = adjustments(func(i *model.Invoice) []model.Adjustment {
		return keep(everyAdjustment.of(i), func(a model.Adjustment) bool { return a.Percent != nil && a.Base != nil })
	})
	// wholeAdjustments are the adjustments with both or neither.
	wholeAdjustments = adjustments(func(i *model.Invoice) []model.Adjustment {
		return keep(everyAdjustment.of(i), func(a model.Adjustment) bool { return (a.Percent != nil) == (a.Base != nil) })
	})
	priceAdjustments = adjustments(func(i *model.Invoice) []model.Adjustment {
		return gather(i.Lines, func(l model.Line) []model.Adjustment { return l.PriceAdjustments })
	})
)

// withTerm are the allowances and charges that have a term.
func withTerm(term func(model.Adjustment) model.Term) scope[model.Adjustment] {
	return adjustments(func(i *model.Invoice) []model.Adjustment {
		return keep(everyAdjustment.of(i), func(a model.Adjustment) bool { return term(a) != nil })
	})
}
