package rules

import (
	"strings"

	"platen.dev/einvoice/model"
)

// adjustmentRules are about allowances and charges, of the document and of lines.
func adjustmentRules() []Rule {
	var all []Rule
	for _, a := range []struct {
		scope                                                  scope[model.Adjustment]
		what, amount, category, reason, reasonToo, cents, base string
		term                                                   string
	}{
		{allowances, "An allowance on the document", "BR-31", "BR-32", "BR-33", "BR-CO-21", "BR-DEC-01", "BR-DEC-02", "BG-20"},
		{charges, "A charge on the document", "BR-36", "BR-37", "BR-38", "BR-CO-22", "BR-DEC-05", "BR-DEC-06", "BG-21"},
		{lineAllowances, "An allowance on a line", "BR-41", "", "BR-42", "BR-CO-23", "BR-DEC-24", "BR-DEC-25", "BG-27"},
		{lineCharges, "A charge on a line", "BR-43", "", "BR-44", "BR-CO-24", "BR-DEC-27", "BR-DEC-28", "BG-28"},
	} {
		explained := each(a.scope, is(func(x model.Adjustment) bool { return x.Reason != nil || x.ReasonCode != nil }))
		all = append(all,
			Rule{a.amount, a.term, Fatal, a.what + " has an amount.", "Give the amount.", has(a.scope, func(x model.Adjustment) model.Term { return x.Amount })},
			Rule{a.reason, a.term, Fatal, a.what + " has a reason.", "Give the reason as text or code.", explained},
			Rule{a.reasonToo, a.term, Fatal, a.what + " has a reason as text, as code or both.", "Give the reason as text or code.", explained},
			Rule{a.cents, a.term, Fatal, a.what + " has at most two decimals.", roundIt, cents(a.scope, func(x model.Adjustment) model.Term { return x.Amount })},
			Rule{a.base, a.term, Fatal, a.what + ": its base amount has at most two decimals.", roundIt, cents(a.scope, func(x model.Adjustment) model.Term { return x.Base })})
		if a.category != "" {
			all = append(all, Rule{
				a.category, a.term, Fatal, a.what + " has a VAT category.", "Give the VAT category.",
				each(a.scope, is(func(x model.Adjustment) bool { return isVATWithCategory(x.Tax) })),
			})
		}
	}
	return all
}

// ordinary are the rows of the VAT breakdown but for IGIC, IPSI and no VAT, which the official rules leave out here.
var ordinary = taxesIn(func(i *model.Invoice) []model.Tax {
	return keep(i.Taxes, func(t model.Tax) bool { return !isVAT(t) || !strings.Contains(" L M O ", " "+t.Category.Text()+" ") })
})

// taxRules are about rows of the VAT breakdown.
func taxRules(rows scope[model.Tax]) []Rule {
	return []Rule{
		{"BR-45", "BT-116", Fatal, "Each row of the VAT breakdown has a taxable amount.", "Give the amount.", has(rows, func(t model.Tax) model.Term { return t.Base })},
		{"BR-46", "BT-117", Fatal, "Each row of the VAT breakdown has an amount of tax.", "Give the amount, 0 if no tax is due.", has(rows, func(t model.Tax) model.Term { return t.Amount })},
		{"BR-47", "BT-118", Fatal, "Each row of the VAT breakdown has a category.", "Give the category, such as S.", each(rows, is(isVATWithCategory))},
		{
			"BR-48", "BT-119", Fatal, "Each row of the VAT breakdown has a rate.", "Give the rate, 0 if no tax is due.",
			each(rows, is(func(t model.Tax) bool { return isVAT(t) && t.Rate != nil })),
		},
		{
			"BR-CO-03", "BT-7", Fatal, "The date when VAT is due and the code for it exclude each other.", "Give only one of the two.",
			each(rows, func(i *model.Invoice, _ model.Tax) bool {
				return len(i.Elements["TaxPointDate"]) == 0 || len(i.Elements["DueDateTypeCode"]) == 0
			}),
		},
		{
			"BR-CO-17", "BT-117", Fatal, "The tax of a row is its taxable amount times its rate, give or take 1.", "Correct the tax, the taxable amount or the rate.",
			each(rows, is(taxFollowsRate)),
		},
		{"BR-DEC-19", "BT-116", Fatal, "A taxable amount has at most two decimals.", roundIt, cents(rows, func(t model.Tax) model.Term { return t.Base })},
		{"BR-DEC-20", "BT-117", Fatal, "An amount of tax has at most two decimals.", roundIt, cents(rows, func(t model.Tax) model.Term { return t.Amount })},
	}
}

func taxFollowsRate(t model.Tax) bool {
	rate := number(t.Rate)
	if !isVAT(t) || !rate.exists() || rate.round(0).equals(zero) {
		return number(t.Amount).round(0).equals(zero)
	}
	want := number(t.Base).abs().percent(rate).round(2)
	return one.atLeast(number(t.Amount).abs().minus(want).abs())
}

func isTransfer(p model.Payment) bool { return p.TypeCode.Text() == "30" || p.TypeCode.Text() == "58" }

func hasAccount(p model.Payment) bool { return p.IBAN != nil || p.AccountID != nil }

// paymentRules are about the means of payment.
var paymentRules = []Rule{
	{
		"BR-49", "BT-81", Fatal, "Each means of payment has a code.", "Give the code, such as 58 for a SEPA transfer.",
		has(payments, func(p model.Payment) model.Term { return p.TypeCode }),
	},
	{"BR-50", "BT-84", Fatal, "The account of a transfer has a number.", "Give the IBAN or another account number.", each(transferAccounts, is(hasAccount))},
	{"BR-61", "BT-84", Fatal, "A transfer names the account to pay to.", "Give the IBAN or another account number.", each(transferAccounts, is(hasAccount))},
	{
		"BR-51", "BT-87", Fatal, "Of a card's number only the last digits are given, at most ten characters.", "Leave out the rest of the number.",
		each(cards, is(func(p model.Payment) bool { return len([]rune(p.CardNumber.Text())) <= 10 })),
	},
}
