package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// The specifications of Peppol, and the processes of their invoices: Peppol's own, and those of both.
const (
	peppolGuideline      = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
	selfBillingGuideline = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0"

	peppolProcess         = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
	selfBillingProcess    = "urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0"
	frenchProcesses       = "urn:peppol:france:billing:regulated urn:peppol:france:billing:non-regulated"
	processesWithResponse = "urn:peppol:bis:billing_with_response"
)

// peppol are the rules of Peppol BIS Billing beside those of EN 16931. The official rules are for UBL alone.
func peppol() []Rule {
	return slices.Concat(
		peppolGeneral(peppolGuideline, peppolProcess, peppolTypeRules),
		norwegianRules(), danishRules(), italianRules(), swedishRules(), greekRules(), icelandicRules(), dutchRules(), germanRulesOfPeppol(),
	)
}

// peppolSelfBilling are the rules of Peppol BIS Self-Billing, which has none by country.
func peppolSelfBilling() []Rule {
	return peppolGeneral(selfBillingGuideline, selfBillingProcess, selfBillingRules)
}

// peppolGeneral returns the rules of a specification for all countries: the common ones, and its own. XRechnung has adopted some of them.
func peppolGeneral(guideline, process string, own []Rule) []Rule {
	general := keep(xrechnungUBL(), func(r Rule) bool { return strings.HasPrefix(r.ID, "PEPPOL-") })
	general = inPlaceOf(general, slices.Concat(peppolRules, peppolCodeRules))
	general = inPlaceOf(general, slices.Concat(own, []Rule{
		whole("PEPPOL-EN16931-R004", "BT-24", "The guideline is Peppol's, without \"::\".", "Give "+guideline+".", func(i *model.Invoice) bool {
			return strings.HasPrefix(trimmed(i.Guideline), guideline) && !strings.Contains(i.Guideline.Text(), "::")
		}),
		whole("PEPPOL-EN16931-R007", "BT-23", "The business process is one of Peppol's.", "Give "+process+".", inProcess(process, frenchProcesses, processesWithResponse)),
	}))
	slices.SortStableFunc(general, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return append(general, peppolIdentifierRules()...)
}

// inProcess holds for the invoices of some processes, which are listed with spaces between.
func inProcess(lists ...string) func(*model.Invoice) bool {
	all := strings.Join(lists, " ")
	return func(i *model.Invoice) bool { return oneOf(trimmed(i.Process), all) }
}

func alwaysTwoCents(*model.Invoice) decimal { return twoCents }

// peppolRules are the rules that XRechnung lacks, or has with another tolerance.
var peppolRules = []Rule{
	whole("PEPPOL-EN16931-R002", "BT-22", "The invoice has one note at most, unless both parties are German.", "Join the notes.", func(i *model.Invoice) bool {
		return len(i.Document.All("Note")) <= 1 || areGerman(i)
	}),
	whole("PEPPOL-EN16931-R003", "BT-10", "The invoice has the buyer's reference or the number of the order.", "Give one of them.", func(i *model.Invoice) bool {
		return i.Document.At("BuyerReference") != nil || i.Document.At("OrderReference", "ID") != nil
	}),
	adjustmentAmount(alwaysTwoCents),
	inCurrencyUnless(mayBeInOtherCurrency),
	whole("PEPPOL-EN16931-R080", "BT-11", "A credit note has one reference to a project (type 50).", "Keep one.", func(i *model.Invoice) bool {
		return !isCreditNote(i) || len(keep(i.Document.All("AdditionalDocumentReference"), func(t model.Term) bool { return t.At("DocumentTypeCode").Text() == "50" })) <= 1
	}),
	needs("PEPPOL-EN16931-R100", "BT-128", "A line has one object that is invoiced.", "Keep one reference to a document.", ublLines, func(t model.Term) bool {
		return len(t.All("DocumentReference")) <= 1
	}),
	lineAmount(alwaysTwoCents),
}

// selfBillingRules are the rules that differ for self-billing. Its official rules overlook the currency of the tax of a row.
var selfBillingRules = []Rule{
	inCurrencyUnless(func(t model.Term) bool {
		return mayBeInOtherCurrency(t) || t.QName() == "cbc:TaxAmount" && t.Parent().QName() == "cac:TaxSubtotal"
	}),
	selfBilled("P0100", "A self-billed invoice has the type 389 or 527.", "cbc:InvoiceTypeCode", "389 527"),
	selfBilled("P0101", "A self-billed credit note has the type 261.", "cbc:CreditNoteTypeCode", "261"),
}

func selfBilled(id, demand, name, types string) Rule {
	return needs("PEPPOL-EN16931-"+id, "BT-3", demand, "Correct the type, or use Peppol BIS Billing 3.", written(name), func(t model.Term) bool {
		return oneOf(trimmed(t), types)
	}).onlyIf(inProcess(selfBillingProcess, frenchProcesses))
}

func inCurrencyUnless(other func(model.Term) bool) Rule {
	return Rule{
		"PEPPOL-EN16931-R051", "BT-5", Fatal, "Every amount but the VAT in the accounting currency is in the invoice's currency.", "Correct the currency, or the amount.",
		each(ublAmounts, func(i *model.Invoice, t model.Term) bool {
			return other(t) || t.Attribute("currencyID") == i.Currency.Text()
		}),
	}
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
