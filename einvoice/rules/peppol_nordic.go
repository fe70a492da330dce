package rules

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// norwegianRules are about invoices from Norway.
func norwegianRules() []Rule {
	fromNorway := func(i *model.Invoice) bool { return sellerTaxCountry(i) == "NO" }
	return concerning("For a Norwegian seller", fromNorway,
		needs("NO-R-002", "BT-32", "The seller says that it is in the register of business enterprises, as most must.", "Give Foretaksregisteret as the number for the tax TAX.", atPath(sellerPath), func(t model.Term) bool {
			numbers := taxNumbers(t, "TAX")
			return len(numbers) > 0 && trimmed(numbers[0]) == "Foretaksregisteret"
		}).with(Warning),
		needs("NO-R-001", "BT-31", "A VAT number that begins with NO continues with an organisation number and MVA.", "Correct the number.", atPath(sellerPath), func(t model.Term) bool {
			return !slices.ContainsFunc(taxNumbers(t, "VAT"), func(number model.Term) bool {
				return strings.HasPrefix(number.Text(), "NO") && !isNorwegianVAT(number.Text())
			})
		}),
	)
}

func isNorwegianVAT(text string) bool {
	return len(text) == len("NO123456789MVA") && text[11:] == "MVA" && isNorwegianNumber(text[2:11])
}

// swedishRules are about invoices from Sweden.
func swedishRules() []Rule {
	registered := func(i *model.Invoice) bool {
		return slices.ContainsFunc(vatNumbers(sellerOf(i)), isSwedishVAT)
	}
	vat := termsIn(func(i *model.Invoice) []model.Term { return vatNumbers(sellerOf(i)) })
	standard := termsIn(func(i *model.Invoice) []model.Term {
		return keep(written("cac:TaxCategory", "cac:ClassifiedTaxCategory").of(i), func(t model.Term) bool { return t.At("ID").Text() == "S" })
	})
	return concerning("For a Swedish seller", sellersAt("SE"), append([]Rule{
		needs("SE-R-001", "BT-31", "The seller's VAT number has fourteen characters.", "Correct the number.", vat, hasLength(14, 14)).onlyIf(registered),
		needs("SE-R-002", "BT-31", "The seller's VAT number has twelve digits after SE.", "Correct the number.", vat, func(t model.Term) bool {
			return isNumeric(substring(t.Text(), 3, 12))
		}).onlyIf(registered),
		needs("SE-R-003", "BT-30", "The seller's organisation number has only digits.", "Correct the number.", legalNumbers(sellerPath), hasNumber),
		needs("SE-R-004", "BT-30", "The seller's organisation number has ten characters.", "Correct the number.", legalNumbers(sellerPath), hasLength(10, 10)),
		needs("SE-R-005", "BT-32", "The seller's tax registration says that it is approved for F-tax.", "Give \"Godkänd för F-skatt\".", atPath(sellerPath+"/cac:PartyTaxScheme/cbc:CompanyID"), func(t model.Term) bool {
			return strings.EqualFold(trimmed(t.Parent().At("TaxScheme", "ID")), "VAT") || strings.ToUpper(trimmed(t)) == "GODKÄND FÖR F-SKATT"
		}).onlyIf(func(i *model.Invoice) bool { return len(legalNumbers(sellerPath).of(i)) > 0 }),
		needs("SE-R-006", "BT-119", "The standard rate of VAT is 25, 12 or 6.", "Correct the rate, or the category.", standard, func(t model.Term) bool {
			return slices.ContainsFunc([]int64{25, 12, 6}, func(rate int64) bool { return number(t.At("Percent")).equals(integer(rate)) })
		}).onlyIf(registered),
		needs("SE-R-013", "BT-30", "The last digit of the seller's organisation number checks the others.", "Correct the number.", legalNumbers(sellerPath), func(t model.Term) bool {
			text := trimmed(t)
			return len(text) >= 10 && isDigits(text, len(text)) && isSwedishNumber(text[:10])
		}),
	}, swedishPaymentRules()...)...)
}

// swedishPaymentRules are about how an invoice from Sweden is paid.
func swedishPaymentRules() []Rule {
	domestic := func(i *model.Invoice) bool { return countryCode(buyerOf(i)) == "SE" }
	means := func(codes string) scope[model.Term] {
		return paidIn(func(code string) bool { return oneOf(code, codes) })
	}
	return []Rule{
		needs("SE-R-007", "BT-84", "A Plusgiro number has only digits.", "Correct the number.", giroAccounts("SE:PLUSGIRO"), hasNumber).with(Warning),
		needs("SE-R-010", "BT-84", "A Plusgiro number has two to eight characters.", "Correct the number.", giroAccounts("SE:PLUSGIRO"), hasLength(2, 8)).with(Warning),
		needs("SE-R-008", "BT-84", "A Bankgiro number has only digits.", "Correct the number.", giroAccounts("SE:BANKGIRO"), hasNumber).with(Warning),
		needs("SE-R-009", "BT-84", "A Bankgiro number has seven or eight characters.", "Correct the number.", giroAccounts("SE:BANKGIRO"), hasLength(7, 8)).with(Warning),
		needs("SE-R-011", "BT-81", "A payment to Bankgiro or Plusgiro is a credit transfer (30), not 50 or 56.", "Give 30, and SE:BANKGIRO or SE:PLUSGIRO as the payment service provider.", means("50 56"), never).with(Warning),
		needs("SE-R-012", "BT-81", "A transfer to a Swedish buyer is 30, not 31.", "Give 30.", means("31"), never).with(Warning).onlyIf(domestic),
	}
}

func isSwedishVAT(number model.Term) bool { return firstTwo(number.Text()) == "SE" }

// paidIn are the means of payment with a code.
func paidIn(has func(code string) bool) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		return keep(below(i.Document, "cac:PaymentMeans"), func(t model.Term) bool { return has(t.At("PaymentMeansCode").Text()) })
	})
}

// giroAccounts are the accounts of transfers (30) in a Swedish system.
func giroAccounts(system string) scope[model.Term] {
	return termsIn(func(i *model.Invoice) (all []model.Term) {
		for _, t := range below(i.Document, "cac:PaymentMeans") {
			account := t.At("PayeeFinancialAccount")
			if id := account.At("ID"); trimmed(t.At("PaymentMeansCode")) == "30" && trimmed(account.At("FinancialInstitutionBranch", "ID")) == system && id != nil {
				all = append(all, id)
			}
		}
		return all
	})
}

func hasLength(least, most int) func(model.Term) bool {
	return func(t model.Term) bool {
		n := len([]rune(trimmed(t)))
		return n >= least && n <= most
	}
}

var numeric = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$|^-?INF$`)

func hasNumber(t model.Term) bool { return isNumeric(t.Text()) }

// isNumeric reports whether a text is any number by XML Schema, as the official rules have it, which mean digits.
func isNumeric(text string) bool { return numeric.MatchString(strings.TrimSpace(text)) }

// icelandicRules are about invoices from Iceland.
func icelandicRules() []Rule {
	seller, domestic := sellersAt("IS"), bothAt("IS")
	finalDates := func(i *model.Invoice) []model.Term { return described(i, "EINDAGI") }
	dueDate := func(i *model.Invoice) model.Term { return i.Document.At("DueDate") }
	at := func(holds func(due, final model.Term) bool) finder {
		return eachWith(termsIn(finalDates), dueDate, holds)
	}
	registered := func(t model.Term) bool {
		return slices.ContainsFunc(below(t, "cac:PartyLegalEntity/cbc:CompanyID"), func(id model.Term) bool { return id.Attribute("schemeID") == "0196" })
	}
	located := func(t model.Term) bool { return hasParts("StreetName", "PostalZone")(t.At("PostalAddress")) }
	return slices.Concat(concerning("For an Icelandic seller", seller,
		advise("IS-R-001", "BT-3", Warning, "The type of the invoice is 380 or 381.", "Use one of these.", func(i *model.Invoice) bool {
			return oneOf(trimmed(i.Document.At("InvoiceTypeCode")), "380 381") || oneOf(trimmed(i.Document.At("CreditNoteTypeCode")), "380 381")
		}),
		whole("IS-R-002", "BT-30", "The seller has a kennitala (0196).", "Give the number, with its scheme.", func(i *model.Invoice) bool { return registered(sellerOf(i)) }),
		whole("IS-R-003", "BT-35", "The seller's address has a street and a post code.", "Complete the address.", func(i *model.Invoice) bool { return located(sellerOf(i)) }),
		needs("IS-R-006", "BT-84", "A claim (9) goes to an account of twelve digits.", "Give bank, ledger and account.", icelandicMeans("9"), hasIcelandicAccount),
		needs("IS-R-007", "BT-84", "A transfer (42) goes to an account of twelve digits.", "Give bank, ledger and account.", icelandicMeans("42"), hasIcelandicAccount),
		Rule{"IS-R-008", "BT-122", Fatal, "The final due date (a document that is described as EINDAGI) is written YYYY-MM-DD.", "Correct the date.", at(func(_, final model.Term) bool {
			return isISODay(final.At("ID").Text())
		})},
		Rule{"IS-R-009", "BT-9", Fatal, "An invoice with a final due date (EINDAGI) has a due date.", "Give the due date.", at(func(due, _ model.Term) bool { return due != nil })},
		Rule{"IS-R-010", "BT-9", Fatal, "The final due date (EINDAGI) is the due date or later.", "Correct one of the two.", at(func(due, final model.Term) bool {
			return due != nil && due.Text() <= final.At("ID").Text()
		})},
	), concerning("Between Icelandic parties", domestic,
		whole("IS-R-004", "BT-47", "The buyer has a kennitala (0196).", "Give the number, with its scheme.", func(i *model.Invoice) bool { return registered(buyerOf(i)) }),
		whole("IS-R-005", "BT-50", "The buyer's address has a street and a post code.", "Complete the address.", func(i *model.Invoice) bool { return located(buyerOf(i)) }),
	))
}

func icelandicMeans(code string) scope[model.Term] {
	return paidIn(func(other string) bool { return other == code })
}

func hasIcelandicAccount(means model.Term) bool {
	return hasLength(12, 12)(means.At("PayeeFinancialAccount", "ID"))
}
