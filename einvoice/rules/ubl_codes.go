package rules

import (
	"strings"

	"platen.dev/einvoice/model"
)

// ublCodeRules are about codes, wherever UBL has them.
var ublCodeRules = []Rule{
	coded("BR-CL-01", "BT-3", "The type of document", "ubl-invoice-type", written("cbc:InvoiceTypeCode")).or(
		coded("", "", "", "ubl-credit-note-type", written("cbc:CreditNoteTypeCode"))),
	inScheme("BR-CL-03", "BT-110", "The currency of an amount", "currency", "currencyID", written(
		"cbc:Amount", "cbc:BaseAmount", "cbc:PriceAmount", "cbc:TaxAmount", "cbc:TaxableAmount", "cbc:LineExtensionAmount", "cbc:TaxExclusiveAmount", "cbc:TaxInclusiveAmount",
		"cbc:AllowanceTotalAmount", "cbc:ChargeTotalAmount", "cbc:PrepaidAmount", "cbc:PayableRoundingAmount", "cbc:PayableAmount")),
	coded("BR-CL-04", "BT-5", "The currency", "currency", written("cbc:DocumentCurrencyCode")),
	coded("BR-CL-05", "BT-6", "The accounting currency", "currency", written("cbc:TaxCurrencyCode")),
	coded("BR-CL-06", "BT-8", "The event that makes VAT due", "ubl-tax-point", writtenIn("cac:InvoicePeriod", "cbc:DescriptionCode")),
	inScheme("BR-CL-07", "BT-18", "The scheme of what is invoiced", "reference", "schemeID", termsIn(func(i *model.Invoice) []model.Term {
		return keep(i.Written["cbc:ID"], func(t model.Term) bool {
			in := t.Parent()
			return (in.QName() == "cac:AdditionalDocumentReference" || in.QName() == "cac:DocumentReference") && in.At("DocumentTypeCode").Text() == "130"
		})
	})),
	needs("BR-CL-08", "BT-21", "The subject of a note, between two #, is one of the list (ubl-note-subject).", fromList, written("cbc:Note"), func(t model.Term) bool {
		_, after, _ := strings.Cut(t.Text(), "#")
		subject, _, closed := strings.Cut(after, "#")
		return t.Parent().Parent() != nil || !closed || len([]rune(subject)) != 3 || strings.Contains(string(codes("ubl-note-subject")), subject)
	}),
	inScheme("BR-CL-10", "BT-29", "The scheme of an identifier", "identifier-scheme", "schemeID", partyIdentifiers),
	inScheme("BR-CL-11", "BT-30", "The scheme of a register number", "identifier-scheme", "schemeID", writtenIn("cac:PartyLegalEntity", "cbc:CompanyID")),
	inScheme("BR-CL-13", "BT-158", "The classification of an item", "item-class", "listID", writtenIn("cac:CommodityClassification", "cbc:ItemClassificationCode")),
	coded("BR-CL-14", "BT-40", "A country", "country", writtenIn("cac:Country", "cbc:IdentificationCode")),
	coded("BR-CL-15", "BT-159", "The country of origin", "country", writtenIn("cac:OriginCountry", "cbc:IdentificationCode")),
	coded("BR-CL-16", "BT-81", "The means of payment", "payment-means", writtenIn("cac:PaymentMeans", "cbc:PaymentMeansCode")),
	coded("BR-CL-17", "BT-95", "The VAT category of an allowance, a charge or the breakdown", "vat-category", writtenIn("cac:TaxCategory", "cbc:ID")),
	coded("BR-CL-18", "BT-151", "The VAT category of an item", "vat-category", writtenIn("cac:ClassifiedTaxCategory", "cbc:ID")),
	coded("BR-CL-19", "BT-98", "The reason of an allowance", "allowance-reason", reasonsOf(false)),
	coded("BR-CL-20", "BT-105", "The reason of a charge", "charge-reason", reasonsOf(true)),
	inScheme("BR-CL-21", "BT-157", "The scheme of an item's identifier", "identifier-scheme", "schemeID", writtenIn("cac:StandardItemIdentification", "cbc:ID")),
	needs("BR-CL-22", "BT-121", "The reason for an exemption is one of the list (vat-exemption), in any case.", fromList, written("cbc:TaxExemptionReasonCode"), func(t model.Term) bool {
		return codes("vat-exemption").has(strings.ToUpper(t.Text()))
	}),
	inScheme("BR-CL-23", "BT-130", "A unit", "unit", "unitCode", written("cbc:InvoicedQuantity", "cbc:BaseQuantity", "cbc:CreditedQuantity")),
	inScheme("BR-CL-24", "BT-125", "The type of an attachment", "attachment-type", "mimeCode", written("cbc:EmbeddedDocumentBinaryObject")),
	inScheme("BR-CL-25", "BT-34", "The scheme of an electronic address", "endpoint-scheme", "schemeID", written("cbc:EndpointID")),
	inScheme("BR-CL-26", "BT-71", "The scheme of the place of delivery", "identifier-scheme", "schemeID", writtenIn("cac:DeliveryLocation", "cbc:ID")),
}

// partyIdentifiers are the identifiers of parties, but for those of creditors: of the seller or payee, in the scheme SEPA.
var partyIdentifiers = termsIn(func(i *model.Invoice) []model.Term {
	return keep(i.Written["cbc:ID"], func(t model.Term) bool {
		creditor := strings.TrimSpace(t.Attribute("schemeID")) == "SEPA" && (isWithin(t, "AccountingSupplierParty") || isWithin(t, "PayeeParty"))
		return t.Parent().QName() == "cac:PartyIdentification" && !creditor
	})
})

// or returns a rule that is also broken by another rule's condition.
func (r Rule) or(other Rule) Rule {
	find := r.find
	r.find = func(i *model.Invoice, broken func(model.Term, string)) {
		find(i, broken)
		other.find(i, broken)
	}
	return r
}

// reasonsOf returns the reason codes of charges or of allowances in UBL.
func reasonsOf(charge bool) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		return keep(i.Written["cbc:AllowanceChargeReasonCode"], func(t model.Term) bool {
			return t.Parent().QName() == "cac:AllowanceCharge" && isCharge(t.Parent()) == charge
		})
	})
}

func isCharge(t model.Term) bool { return oneOf(t.At("ChargeIndicator").Text(), "true 1") }
