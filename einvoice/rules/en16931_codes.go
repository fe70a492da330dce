package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

const fromList = "Use a code of the list."

func coded[T any](id, term, what, list string, s scope[T], code func(T) model.Term) Rule {
	return Rule{id, term, Fatal, what + " is one of the list (" + list + ").", fromList, listed(s, list, code)}
}

func inScheme(id, term, what, list, attribute string, ids scope[model.Term]) Rule {
	return Rule{id, term, Fatal, what + " is one of the list (" + list + ").", fromList, schemed(ids, list, attribute)}
}

func globalIDs(p model.Party) []model.Term { return p.GlobalIDs }

// quantities are those of lines and of prices.
func quantities(l model.Line) []model.Term {
	return append([]model.Term{l.Quantity}, l.BaseQuantities...)
}

// codeRules are about codes. The names in parentheses are files of the folder codes.
var codeRules = []Rule{
	coded("BR-CL-01", "BT-3", "The type of document", "invoice-type", invoice, func(i *model.Invoice) model.Term { return i.TypeCode }),
	inScheme("BR-CL-03", "BT-110", "The currency of the total VAT", "currency", "currencyID", terms(totals, func(t model.Totals) []model.Term { return t.Tax })),
	coded("BR-CL-04", "BT-5", "The currency", "currency", invoice, func(i *model.Invoice) model.Term { return i.Currency }),
	coded("BR-CL-05", "BT-6", "The accounting currency", "currency", invoice, func(i *model.Invoice) model.Term { return i.TaxCurrency }),
	coded("BR-CL-06", "BT-8", "The event that makes VAT due", "tax-point", taxes, func(t model.Tax) model.Term { return t.TaxPointCode }),
	coded("BR-CL-07", "BT-18", "The scheme of what is invoiced", "reference", documents, func(d model.Document) model.Term { return d.Scheme }),
	coded("BR-CL-08", "BT-21", "The subject of a note", "note-subject", notes, func(n model.Note) model.Term { return n.Subject }),
	inScheme("BR-CL-10", "BT-29", "The scheme of an identifier", "identifier-scheme", "schemeID",
		terms(parties, func(p model.Party) []model.Term {
			return keep(p.GlobalIDs, func(id model.Term) bool { return id.Parent().Element() != "ShipToTradeParty" })
		})),
	inScheme("BR-CL-11", "BT-30", "The scheme of a register number", "identifier-scheme", "schemeID",
		terms(parties, func(p model.Party) []model.Term { return append([]model.Term{p.LegalID}, p.IDs...) })),
	inScheme("BR-CL-13", "BT-158", "The classification of an item", "item-class", "listID", terms(lines, itemClasses)),
	coded("BR-CL-14", "BT-40", "A country", "country", parties, func(p model.Party) model.Term { return p.Address.Country }),
	coded("BR-CL-15", "BT-159", "The country of origin", "country", lines, func(l model.Line) model.Term { return l.Origin }),
	coded("BR-CL-16", "BT-81", "The means of payment", "payment-means", payments, func(p model.Payment) model.Term { return p.TypeCode }),
	coded("BR-CL-17", "BT-95", "The VAT category of an allowance or charge", "vat-category",
		taxesIn(func(i *model.Invoice) []model.Tax { return slices.Concat(allowanceTaxes.of(i), chargeTaxes.of(i)) }), taxCategory),
	coded("BR-CL-18", "BT-118", "The VAT category", "vat-category",
		taxesIn(func(i *model.Invoice) []model.Tax { return slices.Concat(lineTaxes.of(i), taxes.of(i)) }), taxCategory),
	coded("BR-CL-19", "BT-98", "The reason of an allowance", "allowance-reason",
		adjustments(func(i *model.Invoice) []model.Adjustment {
			return slices.Concat(allowances.of(i), lineAllowances.of(i))
		}), reasonCode),
	coded("BR-CL-20", "BT-105", "The reason of a charge", "charge-reason",
		adjustments(func(i *model.Invoice) []model.Adjustment { return slices.Concat(charges.of(i), lineCharges.of(i)) }), reasonCode),
	inScheme("BR-CL-21", "BT-157", "The scheme of an item's identifier", "identifier-scheme", "schemeID",
		terms(lines, func(l model.Line) []model.Term { return []model.Term{l.ItemID} })),
	{
		"BR-CL-22", "BT-121", Fatal, "The reason for an exemption is one of the list (vat-exemption), in any case.", fromList,
		each(taxes, is(func(t model.Tax) bool {
			return t.ReasonCode == nil || codes("vat-exemption").has(strings.ToUpper(t.ReasonCode.Text()))
		})),
	},
	inScheme("BR-CL-23", "BT-130", "A unit", "unit", "unitCode", terms(lines, quantities)),
	inScheme("BR-CL-24", "BT-125", "The type of an attachment", "attachment-type", "mimeCode",
		terms(documents, func(d model.Document) []model.Term { return []model.Term{d.Attachment} })),
	inScheme("BR-CL-25", "BT-34", "The scheme of an electronic address", "endpoint-scheme", "schemeID",
		terms(parties, func(p model.Party) []model.Term { return []model.Term{p.Endpoint} })),
	inScheme("BR-CL-26", "BT-71", "The scheme of the place of delivery", "identifier-scheme", "schemeID", terms(shipTo, globalIDs)),
}

func taxCategory(t model.Tax) model.Term       { return t.Category }
func reasonCode(a model.Adjustment) model.Term { return a.ReasonCode }
