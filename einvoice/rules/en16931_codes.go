package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

const fromList = "Use a code of the list."

func coded(id, term, what, list string, s scope[model.Term]) Rule {
	return Rule{id, term, Fatal, what + " is one of the list (" + list + ").", fromList, listed(s, list, itself)}
}

func inScheme(id, term, what, list, attribute string, s scope[model.Term]) Rule {
	return Rule{id, term, Fatal, what + " is one of the list (" + list + ").", fromList, schemed(s, list, attribute)}
}

// called are the elements of a name that are children of elements of another, or of any if that is empty.
func called(name, parent string) scope[model.Term] {
	if parent == "" {
		return termsIn(func(i *model.Invoice) []model.Term { return i.Elements[name] })
	}
	return where(name, func(t model.Term) bool { return t.Parent().Element() == parent })
}

// where are the elements of a name for which a condition holds.
func where(name string, holds func(model.Term) bool) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term { return keep(i.Elements[name], holds) })
}

// both are the things of two scopes.
func both(a, b scope[model.Term]) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term { return slices.Concat(a.of(i), b.of(i)) })
}

// reasons are the codes for the reasons of allowances or of charges.
func reasons(of ...scope[model.Adjustment]) scope[model.Term] {
	return termsIn(func(i *model.Invoice) (all []model.Term) {
		for _, s := range of {
			all = append(all, terms(s, func(a model.Adjustment) []model.Term { return []model.Term{a.ReasonCode} }).of(i)...)
		}
		return all
	})
}

// codeRules are about codes, wherever they are. The names in parentheses are files of the folder codes.
var codeRules = []Rule{
	coded("BR-CL-01", "BT-3", "The type of document", "invoice-type", called("TypeCode", "ExchangedDocument")),
	inScheme("BR-CL-03", "BT-110", "The currency of the total VAT", "currency", "currencyID", called("TaxTotalAmount", "")),
	coded("BR-CL-04", "BT-5", "The currency", "currency", called("InvoiceCurrencyCode", "")),
	coded("BR-CL-05", "BT-6", "The accounting currency", "currency", called("TaxCurrencyCode", "")),
	coded("BR-CL-06", "BT-8", "The event that makes VAT due", "tax-point", called("DueDateTypeCode", "")),
	coded("BR-CL-07", "BT-18", "The scheme of what is invoiced", "reference", called("ReferenceTypeCode", "")),
	coded("BR-CL-08", "BT-21", "The subject of a note", "note-subject", called("SubjectCode", "")),
	inScheme("BR-CL-10", "BT-29", "The scheme of an identifier", "identifier-scheme", "schemeID",
		where("GlobalID", func(t model.Term) bool {
			return !isWithin(t, "SpecifiedTradeProduct") && !isWithin(t, "ShipToTradeParty")
		})),
	inScheme("BR-CL-11", "BT-30", "The scheme of a register number", "identifier-scheme", "schemeID",
		where("ID", func(t model.Term) bool { return !isWithin(t, "SpecifiedTaxRegistration") })),
	inScheme("BR-CL-13", "BT-158", "The classification of an item", "item-class", "listID", called("ClassCode", "")),
	coded("BR-CL-14", "BT-40", "A country", "country", called("CountryID", "")),
	coded("BR-CL-15", "BT-159", "The country of origin", "country", called("ID", "OriginTradeCountry")),
	coded("BR-CL-16", "BT-81", "The means of payment", "payment-means", called("TypeCode", "SpecifiedTradeSettlementPaymentMeans")),
	coded("BR-CL-17", "BT-95", "The VAT category of an allowance or charge", "vat-category", called("CategoryCode", "CategoryTradeTax")),
	coded("BR-CL-18", "BT-118", "The VAT category", "vat-category", called("CategoryCode", "ApplicableTradeTax")),
	coded("BR-CL-19", "BT-98", "The reason of an allowance", "allowance-reason", reasons(allowances, lineAllowances)),
	coded("BR-CL-20", "BT-105", "The reason of a charge", "charge-reason", reasons(charges, lineCharges)),
	inScheme("BR-CL-21", "BT-157", "The scheme of an item's identifier", "identifier-scheme", "schemeID", called("GlobalID", "SpecifiedTradeProduct")),
	{
		"BR-CL-22", "BT-121", Fatal, "The reason for an exemption is one of the list (vat-exemption), in any case.", fromList,
		each(called("ExemptionReasonCode", ""), is(func(t model.Term) bool { return codes("vat-exemption").has(strings.ToUpper(t.Text())) })),
	},
	inScheme("BR-CL-23", "BT-130", "A unit", "unit", "unitCode", both(called("BasisQuantity", ""), called("BilledQuantity", ""))),
	inScheme("BR-CL-24", "BT-125", "The type of an attachment", "attachment-type", "mimeCode", called("AttachmentBinaryObject", "")),
	inScheme("BR-CL-25", "BT-34", "The scheme of an electronic address", "endpoint-scheme", "schemeID", called("URIID", "URIUniversalCommunication")),
	inScheme("BR-CL-26", "BT-71", "The scheme of the place of delivery", "identifier-scheme", "schemeID",
		where("GlobalID", func(t model.Term) bool {
			return t.Parent().Element() == "ShipToTradeParty" && isWithin(t, "ApplicableHeaderTradeDelivery")
		})),
}

func taxCategory(t model.Tax) model.Term { return t.Category }
