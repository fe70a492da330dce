package rules

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

var (
	germanTransfers = paidBy("30 58")
	germanCards     = paidBy("48 54 55")
	germanDebits    = paidBy("59")
	sepaTransfers   = paidBy("58")
)

// paidBy are the means of payment with one of some codes.
func paidBy(means string) scope[model.Payment] {
	return scope[model.Payment]{
		func(i *model.Invoice) []model.Payment {
			return keep(i.Payments, func(p model.Payment) bool { return oneOf(trimmed(p.TypeCode), means) })
		}, payments.at,
	}
}

// germanPaymentRules are about how the invoice is paid.
var germanPaymentRules = []Rule{
	whole("BR-DE-18", "BT-20", "A line of the payment terms that begins with # is #SKONTO#TAGE=n#PROZENT=n.nn#, perhaps with BASISBETRAG=n.nn#, and ends.", "Write the terms so, each in a line of its own.", func(i *model.Invoice) bool {
		return !slices.ContainsFunc(i.PaymentTerms, func(t model.PaymentTerms) bool { return !hasSkonto(t.Description.Text()) })
	}),
	{"BR-DE-19", "BT-84", Warning, "A SEPA transfer goes to an IBAN with the right check digits.", "Correct the IBAN.", each(sepaTransfers, is(func(p model.Payment) bool { return isIBAN(p.IBAN.Text()) }))},
	{"BR-DE-20", "BT-91", Warning, "A SEPA direct debit is from an IBAN with the right check digits.", "Correct the IBAN.", each(germanDebits, is(func(p model.Payment) bool { return isIBAN(p.DebitedIBAN.Text()) }))},
	{
		"BR-DE-23-a", "BG-17", Fatal, "A transfer (30, 58) has an account to pay to.", "Give the account.",
		each(germanTransfers, is(func(p model.Payment) bool { return p.Account != nil })),
	},
	{"BR-DE-23-b", "BG-17", Fatal, "With a transfer (30, 58) there is neither a card nor a direct debit.", "Leave them out.", eachWith(germanTransfers, isDebit, func(debit bool, p model.Payment) bool { return p.Card == nil && !debit && p.DebitedIBAN == nil })},
	{"BR-DE-24-a", "BG-18", Fatal, "A payment by card (48, 54, 55) names the card.", "Give the card.", each(germanCards, is(func(p model.Payment) bool { return p.Card != nil }))},
	{"BR-DE-24-b", "BG-18", Fatal, "With a payment by card (48, 54, 55) there is neither a transfer nor a direct debit.", "Leave them out.", eachWith(germanCards, isDebit, func(debit bool, p model.Payment) bool {
		return p.Account == nil && !debit && p.DebitedIBAN == nil
	})},
	{"BR-DE-25-a", "BG-19", Fatal, "A direct debit (59) names the mandate, the creditor or the account.", "Give them.", eachWith(germanDebits, isDebit, func(debit bool, p model.Payment) bool { return debit || p.DebitedIBAN != nil })},
	{"BR-DE-25-b", "BG-19", Fatal, "With a direct debit (59) there is neither a transfer nor a card.", "Leave them out.", each(germanDebits, is(func(p model.Payment) bool { return p.Account == nil && p.Card == nil }))},
	whole("BR-DE-30", "BT-90", "A direct debit has the creditor's identifier.", "Give the identifier.", func(i *model.Invoice) bool {
		return i.CreditorID != nil && (hasMandate(i) || hasDebitedAccount(i)) || i.CreditorID == nil && !hasMandate(i) && !hasDebitedAccount(i)
	}),
	whole("BR-DE-31", "BT-91", "A direct debit has the account that is debited.", "Give the IBAN.", func(i *model.Invoice) bool {
		return hasDebitedAccount(i) && (hasMandate(i) || i.CreditorID != nil) || i.CreditorID == nil && !hasMandate(i) && !hasDebitedAccount(i)
	}),
}

func hasMandate(i *model.Invoice) bool {
	return slices.ContainsFunc(i.PaymentTerms, func(t model.PaymentTerms) bool { return t.Mandate != nil })
}

func hasDebitedAccount(i *model.Invoice) bool {
	return slices.ContainsFunc(i.Payments, func(p model.Payment) bool { return p.DebitedIBAN != nil })
}

// isDebit reports whether the invoice has any term of a direct debit, beside its means of payment.
func isDebit(i *model.Invoice) bool { return hasMandate(i) || i.CreditorID != nil }

var (
	skonto    = regexp.MustCompile(`^#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#$`)
	segments  = regexp.MustCompile(`#.+#`)
	endOfLine = regexp.MustCompile(`^\s*\n`)
)

// hasSkonto reports whether all lines of terms that begin with # are well-formed, and the last ends with a line break.
func hasSkonto(terms string) bool {
	found := false
	for line := range strings.Lines(terms) {
		line = strings.Join(strings.Fields(line), " ")
		if !strings.HasPrefix(line, "#") {
			continue
		}
		found = true
		if !skonto.MatchString(line) {
			return false
		}
	}
	parts := segments.Split(terms, -1)
	return !found || endOfLine.MatchString(parts[len(parts)-1])
}
