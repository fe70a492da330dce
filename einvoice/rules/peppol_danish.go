package rules

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

const (
	danishMeans   = "1 10 31 42 48 49 50 58 59 93 97"
	unspscVersion = "19.05.01 19.0501 26.08.01 26.0801"
	inCVR         = "Give the scheme 0184."

	correctRemittance = "Correct the remittance information."
)

// danishRules are about invoices from Denmark, most of them only if the buyer is Danish, too.
func danishRules() []Rule {
	identified := termsIn(func(i *model.Invoice) []model.Term {
		return append(sellerOf(i).All("PartyIdentification"), buyerOf(i).All("PartyIdentification")...)
	})
	return slices.Concat(concerning("For a Danish seller", sellersAt("DK"),
		whole("DK-R-002", "BT-30", "The seller has a CVR number.", "Give the number.", func(i *model.Invoice) bool {
			return slices.ContainsFunc(legalNumbers(sellerPath).of(i), model.Filled)
		}),
		needs("DK-R-014", "BT-30", "The seller's number is in the scheme of CVR.", inCVR, legalNumbers(sellerPath), isInCVR),
	), concerning("Between Danish parties", bothAt("DK"),
		whole("DK-R-016", "BT-115", "The amount due of a credit note is not negative.", "Issue an invoice.", func(i *model.Invoice) bool {
			return !isCreditNote(i) || !number(i.Totals.Due).below(zero)
		}),
		needs("DK-R-013", "BT-29", "An identifier of a party names its scheme.", "Give the scheme.", identified, func(t model.Term) bool {
			return t.At("ID") == nil || names(t.At("ID"), "schemeID")
		}),
		needs("DK-R-017", "BT-47", "The buyer's number is in the scheme of CVR.", inCVR, legalNumbers(buyerPath), isInCVR),
		needs("DK-R-003", "BT-158", "A class of UNSPSC (TST) is of version 19.05.01 or 26.08.01.", "Give the version.", atPath("line"), hasDanishClasses),
		needs("DK-R-004", "BT-97", "The reason for a tax other than VAT (ZZZ) is the four digits of the tax, or has a # between other characters.", "Correct the reason.", written("cac:AllowanceCharge"), func(t model.Term) bool {
			return t.At("AllowanceChargeReasonCode").Text() != "ZZZ" || isDanishTax(t.At("AllowanceChargeReason"))
		}),
	), concerning("For an invoice between Danish parties", func(i *model.Invoice) bool { return bothAt("DK")(i) && !isCreditNote(i) }, danishPaymentRules()...))
}

// danishPaymentRules are about the payment of domestic invoices.
func danishPaymentRules() []Rule {
	paid := func(id, term, codes, demand, fix string, holds func(model.Term) bool) Rule {
		return needs(id, term, demand, fix, paidIn(func(code string) bool { return oneOf(code, codes) }), holds)
	}
	return []Rule{
		needs("DK-R-005", "BT-81", "The means of payment is "+strings.ReplaceAll(danishMeans, " ", ", ")+".", "Use one of these.", atPath("cac:PaymentMeans"), func(t model.Term) bool {
			return oneOf(t.At("PaymentMeansCode").Text(), danishMeans)
		}),
		paid("DK-R-006", "BT-84", "31 42", "A transfer (31, 42) names the account and the bank's number.", "Give both.", func(t model.Term) bool {
			account := t.At("PayeeFinancialAccount")
			return model.Filled(account.At("ID")) && model.Filled(account.At("FinancialInstitutionBranch", "ID"))
		}),
		paid("DK-R-007", "BT-89", "49", "A direct debit (49) names the mandate and the account that is debited.", "Give both.", func(t model.Term) bool {
			mandate := t.At("PaymentMandate")
			return model.Filled(mandate.At("ID")) && model.Filled(mandate.At("PayerFinancialAccount", "ID"))
		}),
		paid("DK-R-008", "BT-83", "50", "A Giro payment (50) has remittance information that begins with 01#, 04# or 15#, and an account of seven or eight digits.", "Correct them.", func(t model.Term) bool {
			return oneOf(cardType(t), "01# 04# 15#") && giroNumber.MatchString(accountNumber(t))
		}),
		paid("DK-R-009", "BT-83", "50", "A Giro payment (50) of the type 04# or 15# has sixteen digits after it.", correctRemittance, func(t model.Term) bool {
			return !oneOf(cardType(t), "04# 15#") || remittanceLength(t) == 19
		}),
		paid("DK-R-010", "BT-83", "93", "A FIK payment (93) has remittance information that begins with 71#, 73# or 75#, and an account of eight characters.", "Correct them.", func(t model.Term) bool {
			return oneOf(cardType(t), "71# 73# 75#") && len([]rune(accountNumber(t))) == 8
		}),
		paid("DK-R-011", "BT-83", "93", "A FIK payment (93) of the type 71# or 75# has fifteen or sixteen digits after it.", correctRemittance, func(t model.Term) bool {
			return !oneOf(cardType(t), "71# 75#") || remittanceLength(t) == 18 || remittanceLength(t) == 19
		}),
	}
}

var giroNumber = regexp.MustCompile(`^[0-9]{7,8}$`)

func isInCVR(t model.Term) bool { return strings.TrimSpace(t.Attribute("schemeID")) == "0184" }

// cardType returns the first three characters of a means of payment's remittance information.
func cardType(means model.Term) string { return substring(means.At("PaymentID").Text(), 1, 3) }

func remittanceLength(means model.Term) int { return len([]rune(means.At("PaymentID").Text())) }

func accountNumber(means model.Term) string { return means.At("PayeeFinancialAccount", "ID").Text() }

// hasDanishClasses reports whether, if a class of a line is of UNSPSC, one of its classes has an allowed version of it.
func hasDanishClasses(line model.Term) bool {
	classes := below(line, "cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode")
	return !slices.ContainsFunc(classes, func(t model.Term) bool { return t.Attribute("listID") == "TST" }) ||
		slices.ContainsFunc(classes, func(t model.Term) bool { return oneOf(t.Attribute("listVersionID"), unspscVersion) })
}

func isDanishTax(reason model.Term) bool {
	text, value := reason.Text(), number(reason)
	digits := len([]rune(trimmed(reason))) == 4 && value.atLeast(zero) && integer(9999).atLeast(value)
	return digits || strings.Contains(text, "#") && !strings.HasPrefix(text, "#") && !strings.HasSuffix(text, "#")
}
