package rules

import (
	"slices"

	"platen.dev/einvoice/model"
)

// totalRules are about the totals of the document. Sums are exact, but for the VAT, which may be rounded by row.
var totalRules = []Rule{
	{
		"BR-12", "BT-106", Fatal, "The totals have the sum of the lines' net amounts.", "Give the sum.",
		has(totals, func(t model.Totals) model.Term { return t.Lines }),
	},
	{
		"BR-13", "BT-109", Fatal, "The totals have the amount without VAT.", "Give the amount.",
		has(totals, func(t model.Totals) model.Term { return t.WithoutTax }),
	},
	{
		"BR-14", "BT-112", Fatal, "The totals have the amount with VAT.", "Give the amount.",
		has(totals, func(t model.Totals) model.Term { return t.WithTax }),
	},
	{
		"BR-15", "BT-115", Fatal, "The totals have the amount due.", "Give the amount.",
		has(totals, func(t model.Totals) model.Term { return t.Due }),
	},
	{
		"BR-53", "BT-111", Fatal, "If VAT is accounted for in another currency, the total VAT is given in it.", "Give the total VAT in the accounting currency, which is not the invoice's.",
		each(totals, func(i *model.Invoice, t model.Totals) bool {
			return i.TaxCurrency == nil || i.TaxCurrency.Text() != i.Currency.Text() && len(taxIn(t, i.TaxCurrency)) > 0
		}),
	},
	{
		"BR-CO-10", "BT-106", Fatal, "The sum of the lines is that of their net amounts.", "Correct the sum or the lines.",
		equals(totals, func(t model.Totals) model.Term { return t.Lines }, func(i *model.Invoice, _ model.Totals) decimal {
			return sum(i.Lines, func(l model.Line) decimal { return optional(l.Total) }).round(2)
		}),
	},
	{
		"BR-CO-11", "BT-107", Fatal, "The total of allowances is the sum of the document's allowances.", "Correct the total or the allowances.",
		addsUp(func(t model.Totals) model.Term { return t.Allowances }, func(i *model.Invoice) []model.Adjustment { return i.Allowances }),
	},
	{
		"BR-CO-12", "BT-108", Fatal, "The total of charges is the sum of the document's charges.", "Correct the total or the charges.",
		addsUp(func(t model.Totals) model.Term { return t.Charges }, func(i *model.Invoice) []model.Adjustment { return i.Charges }),
	},
	{
		"BR-CO-13", "BT-109", Fatal, "The amount without VAT is the sum of the lines, less allowances, plus charges.", "Correct the amount, or what it is made of.",
		equals(totals, func(t model.Totals) model.Term { return t.WithoutTax }, func(_ *model.Invoice, t model.Totals) decimal {
			return number(t.Lines).minus(optional(t.Allowances)).plus(optional(t.Charges)).round(2)
		}),
	},
	{
		"BR-CO-14", "BT-110", Fatal, "The total VAT is the sum of the VAT of the categories.", "Correct the total or the VAT breakdown.",
		equals(terms(invoice, func(i *model.Invoice) []model.Term { return taxIn(i.Totals, i.Currency) }), itself, func(i *model.Invoice, _ model.Term) decimal {
			return sum(i.Taxes, func(t model.Tax) decimal { return optional(t.Amount) }).round(2)
		}),
	},
	{
		"BR-CO-15", "BT-112", Fatal, "The amount with VAT is the amount without VAT plus the total VAT in the invoice's currency.", "Correct one of the three, and name the currency of the total VAT.",
		each(totals, withTaxAddsUp),
	},
	{
		"BR-CO-16", "BT-115", Fatal, "The amount due is the amount with VAT, less what was paid, plus the rounding.", "Correct the amount due, or what it is made of.",
		equals(totals, func(t model.Totals) model.Term { return t.Due }, func(_ *model.Invoice, t model.Totals) decimal {
			return number(t.WithTax).minus(optional(t.Paid)).plus(optional(t.Rounding))
		}),
	},
	{"BR-DEC-09", "BT-106", Fatal, "The sum of the lines has at most two decimals.", roundIt, cents(totals, func(t model.Totals) model.Term { return t.Lines })},
	{"BR-DEC-10", "BT-107", Fatal, "The total of allowances has at most two decimals.", roundIt, cents(totals, func(t model.Totals) model.Term { return t.Allowances })},
	{"BR-DEC-11", "BT-108", Fatal, "The total of charges has at most two decimals.", roundIt, cents(totals, func(t model.Totals) model.Term { return t.Charges })},
	{"BR-DEC-12", "BT-109", Fatal, "The amount without VAT has at most two decimals.", roundIt, cents(totals, func(t model.Totals) model.Term { return t.WithoutTax })},
	{
		"BR-DEC-13", "BT-110", Fatal, "The total VAT is a whole number of cents.", roundIt,
		each(totals, func(i *model.Invoice, t model.Totals) bool {
			return len(t.Tax) == 0 || slices.ContainsFunc(t.Tax, func(tax model.Term) bool {
				return tax.Attribute("currencyID") != i.Currency.Text() || inCents(tax)
			})
		}),
	},
	{"BR-DEC-14", "BT-112", Fatal, "The amount with VAT has at most two decimals.", roundIt, cents(totals, func(t model.Totals) model.Term { return t.WithTax })},
	{
		"BR-DEC-15", "BT-111", Fatal, "The total VAT in the accounting currency is a whole number of cents.", roundIt,
		each(totals, func(i *model.Invoice, t model.Totals) bool {
			return len(t.Tax) == 0 || i.TaxCurrency == nil || slices.ContainsFunc(taxIn(t, i.TaxCurrency), inCents)
		}),
	},
	{"BR-DEC-16", "BT-113", Fatal, "The amount paid has at most two decimals.", roundIt, cents(totals, func(t model.Totals) model.Term { return t.Paid })},
	{"BR-DEC-17", "BT-114", Fatal, "The rounding has at most two decimals.", roundIt, cents(totals, func(t model.Totals) model.Term { return t.Rounding })},
	{"BR-DEC-18", "BT-115", Fatal, "The amount due has at most two decimals.", roundIt, cents(totals, func(t model.Totals) model.Term { return t.Due })},
}

const roundIt = "Round the amount to two decimals."

func itself(t model.Term) model.Term { return t }

// taxIn are the totals of VAT in a currency.
func taxIn(t model.Totals, currency model.Term) []model.Term {
	return keep(t.Tax, func(tax model.Term) bool { return currency != nil && tax.Attribute("currencyID") == currency.Written() })
}

func inCents(amount model.Term) bool { return number(amount).equals(number(amount).round(2)) }

// addsUp holds if a total is the sum of allowances or charges; without any of them it may be missing.
func addsUp(total func(model.Totals) model.Term, parts func(*model.Invoice) []model.Adjustment) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		term, all := total(i.Totals), parts(i)
		want := sum(all, func(a model.Adjustment) decimal { return optional(a.Amount) }).round(2)
		if (term != nil || len(all) > 0) && !number(term).equals(want) {
			broken(or(term, i.Totals.Node), "found "+quoted(term)+", calculated "+want.String())
		}
	}
}

// withTaxAddsUp also holds if there is no total VAT and both amounts are equal.
func withTaxAddsUp(i *model.Invoice, t model.Totals) bool {
	without, with := number(t.WithoutTax), number(t.WithTax)
	tax := taxIn(t, i.Currency)
	return with.equals(without) || len(tax) == 1 && with.equals(without.plus(number(tax[0])).round(2))
}
