package rules

import (
	"slices"

	"platen.dev/einvoice/model"
)

// en16931 are the rules of EN 16931-1 and those of its binding to CII.
func en16931() []Rule {
	return slices.Concat(
		documentRules, partyRules, lineRules, totalRules, adjustmentRules(), taxRules(ordinary), categoryRules(false), paymentRules,
		codeRules, syntaxRules, unusedRules(),
	)
}

// documentRules are about the document as a whole.
var documentRules = []Rule{
	{
		"BR-01", "BT-24", Fatal, "The invoice names the specification that it follows.", "Give the guideline identifier.",
		fills(invoice, func(i *model.Invoice) model.Term { return i.Guideline }),
	},
	{
		"BR-02", "BT-1", Fatal, "The invoice has a number.", "Give the invoice its number.",
		fills(invoice, func(i *model.Invoice) model.Term { return i.Number }),
	},
	{
		"BR-03", "BT-2", Fatal, "The invoice has an issue date, in format 102 (YYYYMMDD).", "Give the date of issue as YYYYMMDD with format 102.",
		fills(invoice, func(i *model.Invoice) model.Term { return day(i.IssueDate) }),
	},
	{
		"BR-04", "BT-3", Fatal, "The invoice has a type code.", "Give the type code, such as 380.",
		fills(invoice, func(i *model.Invoice) model.Term { return i.TypeCode }),
	},
	{
		"BR-05", "BT-5", Fatal, "The invoice has a currency.", "Give the currency code, such as EUR.",
		fills(invoice, func(i *model.Invoice) model.Term { return i.Currency }),
	},
	{
		"BR-16", "BG-25", Fatal, "The invoice has at least one line.", "Add what is invoiced as lines.",
		each(invoice, is(func(i *model.Invoice) bool { return len(i.Lines) > 0 })),
	},
	{
		"BR-29", "BT-74", Fatal, "The invoicing period does not end before it starts.", "Correct the start or the end of the period.",
		each(periods, is(inOrder)),
	},
	{
		"BR-CO-19", "BG-14", Fatal, "An invoicing period has a start, an end or both.", "Give the start or the end, or leave the period out.",
		each(periods, is(hasBound)),
	},
	{
		"BR-52", "BT-122", Fatal, "Each supporting document has a reference.", "Give the document's number.",
		fills(documents, func(d model.Document) model.Term { return d.Number }),
	},
	{
		"BR-55", "BT-25", Fatal, "Each reference to a preceding invoice has that invoice's number.", "Give the number of the preceding invoice.",
		fills(previousInvoices, func(r model.Reference) model.Term { return r.Number }),
	},
}

// partyRules are about seller, buyer and other parties.
var partyRules = []Rule{
	{
		"BR-06", "BT-27", Fatal, "The seller has a name.", "Give the seller's name.",
		fills(invoice, func(i *model.Invoice) model.Term { return i.Seller.Name }),
	},
	{
		"BR-07", "BT-44", Fatal, "The buyer has a name.", "Give the buyer's name.",
		fills(invoice, func(i *model.Invoice) model.Term { return i.Buyer.Name }),
	},
	{
		"BR-08", "BG-5", Fatal, "The seller has a postal address.", "Give the seller's address.",
		has(invoice, func(i *model.Invoice) model.Term { return i.Seller.Address.Node }),
	},
	{
		"BR-09", "BT-40", Fatal, "The seller's address has a country.", "Give the country code of the seller.",
		fills(invoice, func(i *model.Invoice) model.Term { return i.Seller.Address.Country }),
	},
	{
		"BR-10", "BG-8", Fatal, "The buyer has a postal address.", "Give the buyer's address.",
		has(invoice, func(i *model.Invoice) model.Term { return i.Buyer.Address.Node }),
	},
	{
		"BR-11", "BT-55", Fatal, "The buyer's address has a country.", "Give the country code of the buyer.",
		fills(invoice, func(i *model.Invoice) model.Term { return i.Buyer.Address.Country }),
	},
	{
		"BR-17", "BT-59", Fatal, "A payee has a name and is somebody else than the seller.", "Name the payee, or leave out a payee who is the seller.",
		each(payee, func(i *model.Invoice, p model.Party) bool { return p.Name != nil && !sameParty(p, i.Seller) }),
	},
	{
		"BR-18", "BT-62", Fatal, "A tax representative of the seller has a name.", "Give the representative's name.",
		has(taxRepresentative, func(p model.Party) model.Term { return p.Name }),
	},
	{
		"BR-19", "BG-12", Fatal, "A tax representative of the seller has a postal address.", "Give the representative's address.",
		has(taxRepresentative, func(p model.Party) model.Term { return p.Address.Node }),
	},
	{
		"BR-20", "BT-69", Fatal, "The address of a tax representative has a country.", "Give the country code of the representative.",
		has(taxRepresentative, func(p model.Party) model.Term { return p.Address.Country }),
	},
	{
		"BR-56", "BT-63", Fatal, "A tax representative of the seller has a VAT identifier.", "Give the representative's VAT identifier.",
		each(taxRepresentative, is(func(p model.Party) bool { return slices.ContainsFunc(p.VATIDs, model.Filled) })),
	},
	{
		"BR-57", "BT-80", Fatal, "An address of delivery has a country.", "Give the country code of the delivery.",
		each(shipTo, is(func(p model.Party) bool { return p.Address.Node == nil || model.Filled(p.Address.Country) })),
	},
	{
		"BR-62", "BT-34", Fatal, "The seller's electronic address names its scheme.", "Give the scheme of the address, such as EM for e-mail.",
		each(seller, is(endpointHasScheme)),
	},
	{
		"BR-63", "BT-49", Fatal, "The buyer's electronic address names its scheme.", "Give the scheme of the address, such as EM for e-mail.",
		each(buyer, is(endpointHasScheme)),
	},
	{
		"BR-CO-09", "BT-31", Fatal, "A VAT identifier begins with the code of its country.", "Put the country code before the number, such as DE or EL.",
		each(terms(parties, vatIDs), is(func(id model.Term) bool { return codes("vat-country").has(firstTwo(id.Written())) })),
	},
	{
		"BR-CO-26", "BT-31", Fatal, "The seller can be identified: by an identifier, a register number or a VAT identifier.", "Give one of the three.",
		each(seller, is(func(p model.Party) bool {
			return len(p.IDs) > 0 || len(p.GlobalIDs) > 0 || p.LegalID != nil || len(p.VATIDs) > 0
		})),
	},
}

// day is a date, if it is in the format of a day.
func day(date model.Term) model.Term {
	if date.Attribute("format") != "102" {
		return nil
	}
	return date
}

// inOrder compares dates as text, whose order is chronological for YYYYMMDD.
func inOrder(p model.Period) bool {
	if p.Start == nil || p.End == nil {
		return true
	}
	start, end := day(p.Start), day(p.End)
	return start != nil && end != nil && end.Text() >= start.Text()
}

func hasBound(p model.Period) bool { return p.Start != nil || p.End != nil }

func vatIDs(p model.Party) []model.Term { return p.VATIDs }

func firstTwo(text string) string { return text[:min(2, len(text))] }

func endpointHasScheme(p model.Party) bool {
	return p.Node.At("URIUniversalCommunication") == nil || names(p.Endpoint, "schemeID")
}

// sameParty reports whether two parties share their name, an identifier or their number in a register.
func sameParty(a, b model.Party) bool {
	same := func(x, y model.Term) bool { return x != nil && y != nil && x.Text() == y.Text() }
	return shareText(a.IDs, b.IDs) || same(a.Name, b.Name) || same(a.LegalID, b.LegalID)
}
