package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

const peppolGuideline = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"

// peppol are the rules of Peppol BIS Billing beside those of EN 16931. XRechnung has taken some of them over. The official rules are
// for UBL alone.
func peppol() []Rule {
	general := keep(xrechnungUBL(), func(r Rule) bool { return strings.HasPrefix(r.ID, "PEPPOL-") })
	general = inPlaceOf(general, slices.Concat(peppolRules, peppolCodeRules))
	slices.SortStableFunc(general, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return slices.Concat(
		general, peppolIdentifierRules(), norwegianRules(), danishRules(), italianRules(), swedishRules(), greekRules(), icelandicRules(), dutchRules(), germanRulesOfPeppol(),
	)
}

// The processes of Peppol and of France that an invoice may belong to.
const peppolProcesses = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0 urn:peppol:france:billing:regulated urn:peppol:france:billing:non-regulated urn:peppol:bis:billing_with_response"

func hasPeppolProcess(i *model.Invoice) bool { return oneOf(trimmed(i.Process), peppolProcesses) }

func alwaysTwoCents(*model.Invoice) decimal { return twoCents }

// peppolRules are those that XRechnung does not have, or has with another slack.
var peppolRules = []Rule{
	whole("PEPPOL-EN16931-R002", "BT-22", "The invoice has one note at most, unless both parties are German.", "Join the notes.", func(i *model.Invoice) bool {
		return len(i.Document.All("Note")) <= 1 || areGerman(i)
	}),
	whole("PEPPOL-EN16931-R003", "BT-10", "The invoice has the buyer's reference or the number of the order.", "Give one of them.", func(i *model.Invoice) bool {
		return i.Document.At("BuyerReference") != nil || i.Document.At("OrderReference", "ID") != nil
	}),
	whole("PEPPOL-EN16931-R004", "BT-24", "The guideline is that of Peppol BIS Billing 3, without \"::\".", "Give "+peppolGuideline+".", func(i *model.Invoice) bool {
		return strings.HasPrefix(trimmed(i.Guideline), peppolGuideline) && !strings.Contains(i.Guideline.Text(), "::")
	}),
	whole("PEPPOL-EN16931-R007", "BT-23", "The business process is one of Peppol's.", "Give urn:fdc:peppol.eu:2017:poacc:billing:01:1.0.", hasPeppolProcess),
	adjustmentAmount(alwaysTwoCents),
	{
		"PEPPOL-EN16931-R051", "BT-5", Fatal, "Every amount but the VAT in the accounting currency is in the invoice's currency.", "Correct the currency, or the amount.",
		each(ublAmounts, func(i *model.Invoice, t model.Term) bool {
			return mayBeInOtherCurrency(t) || t.Attribute("currencyID") == i.Currency.Text()
		}),
	},
	whole("PEPPOL-EN16931-R080", "BT-11", "A credit note has one reference to a project (type 50).", "Keep one.", func(i *model.Invoice) bool {
		return !isCreditNote(i) || len(keep(i.Document.All("AdditionalDocumentReference"), func(t model.Term) bool { return t.At("DocumentTypeCode").Text() == "50" })) <= 1
	}),
	needs("PEPPOL-EN16931-R100", "BT-128", "A line has one object that is invoiced.", "Keep one reference to a document.", ublLines, func(t model.Term) bool {
		return len(t.All("DocumentReference")) <= 1
	}),
	lineAmount(alwaysTwoCents),
}

// ublAmounts are the amounts of UBL that have a currency.
var ublAmounts = written(
	"cbc:Amount", "cbc:BaseAmount", "cbc:PriceAmount", "cbc:TaxAmount", "cbc:TaxableAmount", "cbc:LineExtensionAmount", "cbc:TaxExclusiveAmount", "cbc:TaxInclusiveAmount",
	"cbc:AllowanceTotalAmount", "cbc:ChargeTotalAmount", "cbc:PrepaidAmount", "cbc:PayableRoundingAmount", "cbc:PayableAmount")

// mayBeInOtherCurrency reports whether an amount is a total tax without a breakdown.
func mayBeInOtherCurrency(t model.Term) bool {
	in := t.Parent()
	return t.QName() == "cbc:TaxAmount" && in.QName() != "cac:TaxSubtotal" && (in.QName() != "cac:TaxTotal" || in.At("TaxSubtotal") == nil)
}

func isCreditNote(i *model.Invoice) bool { return i.Document.Element() == "CreditNote" }
