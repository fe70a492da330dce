package rules

import (
	"slices"

	"platen.dev/einvoice/model"
)

// xrechnungUBL are the rules of XRechnung for invoices in UBL. Most conditions are those of CII, on the same terms.
func xrechnungUBL() []Rule {
	own := slices.Concat(germanUBLRules, germanUBLPaymentRules(), germanUBLPeppolRules, germanUBLExtensionRules())
	shared := slices.Concat(germanRules, germanPaymentRules, germanPeppolRules, cleanVehicleRules)
	return inPlaceOf(keep(shared, func(r Rule) bool { return !oneOf(r.ID, "BR-TMP-3 PEPPOL-EN16931-R043-1 PEPPOL-EN16931-R043-2") }), own)
}

var germanUBLRules = []Rule{
	{"BR-DE-2", "BG-6", Fatal, "The seller names a contact.", "Give a person or department, telephone and e-mail.", each(invoice, is(func(i *model.Invoice) bool { return len(i.Seller.Contacts) > 0 }))},
	whole("BR-DE-16", "BT-31", "The seller has a VAT identifier or tax number, or a tax representative, unless all is outside VAT.", "Give one of them.", func(i *model.Invoice) bool {
		adjustments := keep(below(i.Document, "cac:AllowanceCharge"), func(t model.Term) bool { return isJust(t.At("ChargeIndicator"), "true false") })
		categories := append(
			gather(adjustments, func(t model.Term) []model.Term { return t.All("TaxCategory") }),
			gather(ublLines.of(i), func(t model.Term) []model.Term { return below(t, "cac:Item/cac:ClassifiedTaxCategory") })...)
		return !slices.ContainsFunc(categories, func(t model.Term) bool { return oneOf(t.At("ID").Text(), "S Z E AE K G L M") }) ||
			slices.ContainsFunc(slices.Concat(i.Seller.VATIDs, i.Seller.TaxNumbers), model.Filled) || i.TaxRepresentative.Node != nil
	}),
	{"BR-TMP-2", "BT-124", Warning, "The location of a supporting document is an absolute URL.", "Give the URL with its scheme, such as https:.", each(written("cac:AdditionalDocumentReference"), is(func(t model.Term) bool {
		return !slices.ContainsFunc(below(t, "cac:Attachment/cac:ExternalReference"), func(at model.Term) bool { return !hasScheme(at.At("URI").Text()) })
	}))},
	forVehicles(whole("BR-DE-CVD-02", "BT-17", "The invoice names the tender.", "Give its number.", func(i *model.Invoice) bool { return filledBelow(i.Document, "cac:OriginatorDocumentReference/cbc:ID") })),
}

// germanUBLPaymentRules are about payment: each means of payment has its own card, mandate or account.
func germanUBLPaymentRules() []Rule {
	by := func(means string) scope[model.Term] {
		return termsIn(func(i *model.Invoice) []model.Term {
			return keep(below(i.Document, "cac:PaymentMeans"), func(t model.Term) bool { return oneOf(trimmed(t.At("PaymentMeansCode")), means) })
		})
	}
	transfers, cards, debits := by("30 58"), by("48 54 55"), by("59")
	with := func(name string) func(model.Term) bool {
		return func(t model.Term) bool { return t.At(name) != nil }
	}
	without := func(names ...string) func(model.Term) bool {
		return func(t model.Term) bool {
			return !slices.ContainsFunc(names, func(name string) bool { return t.At(name) != nil })
		}
	}
	mandates := func(i *model.Invoice) []model.Term { return below(i.Document, "cac:PaymentMeans/cac:PaymentMandate") }
	return []Rule{
		needs("BR-DE-23-a", "BG-17", "A transfer (30, 58) has an account to pay to.", "Give the account.", transfers, with("PayeeFinancialAccount")),
		needs("BR-DE-23-b", "BG-17", "With a transfer (30, 58) there is neither a card nor a direct debit.", "Leave them out.", transfers, without("CardAccount", "PaymentMandate")),
		needs("BR-DE-24-a", "BG-18", "A payment by card (48, 54, 55) names the card.", "Give the card.", cards, with("CardAccount")),
		needs("BR-DE-24-b", "BG-18", "With a payment by card (48, 54, 55) there is neither a transfer nor a direct debit.", "Leave them out.", cards, without("PayeeFinancialAccount", "PaymentMandate")),
		needs("BR-DE-25-a", "BG-19", "A direct debit (59) names the mandate.", "Give it.", debits, with("PaymentMandate")),
		needs("BR-DE-25-b", "BG-19", "With a direct debit (59) there is neither a transfer nor a card.", "Leave them out.", debits, without("PayeeFinancialAccount", "CardAccount")),
		{"BR-DE-20", "BT-91", Warning, "A SEPA direct debit is from an IBAN with the right check digits.", "Correct the IBAN.", each(debits, is(func(t model.Term) bool {
			return isIBAN(t.At("PaymentMandate", "PayerFinancialAccount", "ID").Text())
		}))},
		whole("BR-DE-30", "BT-90", "A direct debit has the creditor's identifier.", "Give the identifier.", func(i *model.Invoice) bool {
			return len(mandates(i)) == 0 || i.CreditorID != nil
		}),
		whole("BR-DE-31", "BT-91", "A direct debit has the account that is debited.", "Give the IBAN.", func(i *model.Invoice) bool {
			return len(mandates(i)) == 0 || len(below(i.Document, "cac:PaymentMeans/cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID")) > 0
		}),
		needs("PEPPOL-EN16931-R061", "BT-89", "A direct debit (49, 59) names the mandate.", "Give the mandate.", by("49 59"), func(t model.Term) bool {
			return t.At("PaymentMandate", "ID") != nil
		}),
	}
}

// germanUBLPeppolRules are the rules of Peppol that XRechnung states differently for UBL.
var germanUBLPeppolRules = []Rule{
	{"PEPPOL-EN16931-R008", "", Fatal, "No element is empty.", "Give the element content, or leave it out.", each(termsIn(func(i *model.Invoice) []model.Term {
		return anywhere(i, isEmpty)
	}), is(never))},
	{"PEPPOL-EN16931-R043", "BG-20", Fatal, "Whether something is a charge is written true or false.", "Write it so.", each(wholeAdjustments, is(isWritten))},
	needs("PEPPOL-EN16931-R044", "BT-147", "The discount on a price is not a charge.", "Give the price with the charge.",
		writtenIn("cac:Price", "cac:AllowanceCharge"), func(t model.Term) bool {
			return t.At("ChargeIndicator").Text() == "false"
		}),
	needs("PEPPOL-EN16931-R046", "BT-146", "The net price is the gross price less the discount.", "Correct one of the three.", writtenIn("cac:Price", "cac:AllowanceCharge"), func(t model.Term) bool {
		gross := t.At("BaseAmount")
		return gross == nil || number(t.Parent().At("PriceAmount")).equals(number(gross).minus(number(t.At("Amount"))))
	}),
	needs("PEPPOL-EN16931-R053", "BT-110", "There is one total VAT with a breakdown.", "Keep one.", root, func(t model.Term) bool { return len(totalsWithRows(t, true)) == 1 }),
	needs("PEPPOL-EN16931-R054", "BT-111", "There is one total VAT without a breakdown if there is an accounting currency, and none if not.", "Give the total VAT in the accounting currency.", root, func(t model.Term) bool {
		return (len(totalsWithRows(t, false)) == 1) == (t.At("TaxCurrencyCode") != nil) && len(totalsWithRows(t, false)) <= 1
	}),
	{"PEPPOL-EN16931-R055", "BT-111", Fatal, "The total VAT has the same sign in both currencies.", "Correct one of the two.", each(totals, func(i *model.Invoice, t model.Totals) bool {
		signed := func(holds func(model.Term) bool) bool {
			return slices.ContainsFunc(taxIn(t, i.TaxCurrency), holds) && slices.ContainsFunc(taxIn(t, i.Currency), holds)
		}
		return i.TaxCurrency == nil || signed(func(tax model.Term) bool { return zero.atLeast(number(tax)) }) || signed(func(tax model.Term) bool { return number(tax).atLeast(zero) })
	})},
	{"PEPPOL-EN16931-R130", "BT-150", Fatal, "A price is for the unit that is invoiced.", "Give the same unit.", each(lines, is(func(l model.Line) bool {
		return l.Quantity == nil || !slices.ContainsFunc(l.BaseQuantities, func(t model.Term) bool {
			_, has := attributeOf(t, "unitCode")
			return has && !hasSameUnit(t, l.Quantity)
		})
	}))},
	lineAmount(slack),
}

// lineAmount holds if lines add up, within a slack that may depend on the currency.
func lineAmount(slack func(*model.Invoice) decimal) Rule {
	return Rule{
		"PEPPOL-EN16931-R120", "BT-131", Fatal, "The net amount of a line is its quantity times its price, with its charges and allowances, give or take 0.02.",
		"Correct the amount, or what it is made of.", each(lines, func(i *model.Invoice, l model.Line) bool { return lineAddsUp(l, slack(i)) }),
	}
}

// isJust reports whether a term is one of some words, without white space around it.
func isJust(t model.Term, words string) bool { return oneOf(t.Text(), words) && !t.Padded() }

func totalsWithRows(root model.Term, rows bool) []model.Term {
	return keep(below(root, "cac:TaxTotal"), func(t model.Term) bool { return (t.At("TaxSubtotal") != nil) == rows })
}

// lineAddsUp multiplies by the base quantity of the price, to avoid dividing by it.
func lineAddsUp(l model.Line, slack decimal) bool {
	quantity, base := one, one
	if l.Quantity != nil {
		quantity = number(l.Quantity)
	}
	if len(l.BaseQuantities) > 0 && !number(l.BaseQuantities[0]).equals(zero) {
		base = number(l.BaseQuantities[0])
	}
	of := func(all []model.Adjustment) decimal {
		return sum(keep(all, isWritten), func(a model.Adjustment) decimal { return number(a.Amount) }).round(2)
	}
	rest := optional(l.Total).minus(of(l.Charges)).plus(of(l.Allowances))
	difference := rest.times(base).minus(quantity.times(optional(l.NetPrice))).abs()
	return slack.times(base).abs().atLeast(difference)
}
