package rules

import (
	"slices"

	"platen.dev/einvoice/model"
)

// frParty is a party by the identifiers of the rules about its establishment (SIRET) and its electronic address; "" if there is no such rule.
type frParty struct {
	what, path, id, endpoint string
	// company: the company (SIREN) is given, and not taken from the establishment.
	company bool
	// unheeded is set if the official rules intend to require identifiers of different schemes for the party, but miss it.
	unheeded bool
}

var frParties = []frParty{
	{"The seller", ".../ApplicableHeaderTradeAgreement/SellerTradeParty", "BT-29", "BT-34", true, false},
	{"The buyer", ".../ApplicableHeaderTradeAgreement/BuyerTradeParty", "BT-46", "BT-49", true, false},
	{"The payee", ".../ApplicableHeaderTradeSettlement/PayeeTradeParty", "BT-60", "EXT-FR-FE-29", false, false},
	{"The buyer's agent", ".../ApplicableHeaderTradeAgreement/BuyerAgentTradeParty", "EXT-FR-FE-06", "EXT-FR-FE-12", false, false},
	{"The payer", ".../ApplicableHeaderTradeSettlement/PayerTradeParty", "EXT-FR-FE-46", "EXT-FR-FE-52", false, false},
	{"The sales agent", ".../ApplicableHeaderTradeAgreement/SalesAgentTradeParty", "EXT-FR-FE-69", "EXT-FR-FE-75", false, false},
	{"Who is invoiced", ".../ApplicableHeaderTradeSettlement/InvoiceeTradeParty", "EXT-FR-FE-92", "EXT-FR-FE-98", false, true},
	{"The invoicer", ".../ApplicableHeaderTradeSettlement/InvoicerTradeParty", "EXT-FR-FE-115", "EXT-FR-FE-121", false, true},
	{"The recipient", ".../ApplicableHeaderTradeDelivery/ShipToTradeParty", "BT-71", "", false, false},
	{"The recipient of a line", "line/SpecifiedLineTradeDelivery/ShipToTradeParty", "EXT-FR-FE-146", "", false, false},
}

// frPartyRules are about seller, buyer and other parties.
func frPartyRules() []Rule {
	all := []Rule{
		{"BR-FR-10_BT-30", "BT-30", Fatal, "The seller has a company number (SIREN, scheme 0002) of nine digits.", "Give the number.", each(seller, is(func(p model.Party) bool {
			return p.LegalID.Attribute("schemeID") == "0002" && isDigits(p.LegalID.Text(), 9)
		}))},
		{
			"BR-FR-11_BT-47", "BT-47", Fatal, "A buyer in B2B has a company number (SIREN, scheme 0002) of nine digits.", "Give the number.",
			each(invoice, is(func(i *model.Invoice) bool {
				id := i.Buyer.LegalID
				return !isB2B(i) || id.Attribute("schemeID") == "0002" && isDigits(id.Text(), 9)
			})),
		},
		{
			"BR-FR-12_BT-49", "BT-49", Fatal, "The buyer has an electronic address.", "Give the address.",
			each(invoice, is(func(i *model.Invoice) bool { return i.Buyer.Endpoint.Text() != "" })),
		},
		{
			"BR-FR-13_BT-34", "BT-34", Fatal, "The seller has an electronic address.", "Give the address.",
			each(invoice, is(func(i *model.Invoice) bool { return i.Seller.Endpoint.Text() != "" })),
		},
		{
			"BR-FR-21_BT-49", "BT-49", Fatal, "In B2B, the buyer's electronic address begins with its company number, in scheme 0225.", "Correct the address.",
			each(invoice, is(func(i *model.Invoice) bool { return !isB2B(i) || isSelfBilled(i) || hasFrenchAddress(i.Buyer) })),
		},
		{
			"BR-FR-22_BT-34", "BT-34", Fatal, "In B2B, if the buyer issues the invoice, the seller's electronic address begins with its company number, in scheme 0225.", "Correct the address.",
			each(invoice, is(func(i *model.Invoice) bool { return !isB2B(i) || !isSelfBilled(i) || hasFrenchAddress(i.Seller) })),
		},
		{
			"BR-FR-32-LEGALID", "BT-30", Fatal, "A company number of scheme 0002 (SIREN) has nine digits.", "Give the SIREN, not the SIRET.",
			each(elements("ID"), is(func(t model.Term) bool {
				return t.Parent().Element() != "SpecifiedLegalOrganization" || t.Attribute("schemeID") != "0002" || isDigits(t.Text(), 9)
			})),
		},
	}
	for _, p := range frParties {
		all = append(all, p.rules()...)
	}
	for _, p := range frParties[:2] {
		of := func(t model.Term) []model.Term { return withScheme(t, "0224") }
		all = append(all,
			Rule{"BR-FR-24_" + p.id, p.id, Fatal, p.what + ": an identifier of scheme 0224 has only letters, digits and + - _ /.", "Use only these.", each(terms(found(p.path), of), is(textIs(isPlain)))},
			Rule{"BR-FR-26_" + p.id, p.id, Fatal, p.what + ": an identifier of scheme 0224 has at most 100 characters.", "Shorten it.", each(terms(found(p.path), of), is(textIs(atMost(100))))})
	}
	return all
}

func (p frParty) rules() []Rule {
	parties := found(p.path)
	all := []Rule{{
		"BR-FR-09_" + p.id, p.id, Fatal, p.what + ": the number of the establishment (SIRET, scheme 0009) has 14 digits, of which the first nine are the company's.", "Correct the number.",
		each(parties, is(p.isCoherent)),
	}}
	if !p.unheeded {
		all = append(all,
			Rule{"BR-FR-CO-10_" + p.id + "-1", p.id, Fatal, p.what + ": each identifier names its scheme.", "Give the scheme.", each(parties, is(func(t model.Term) bool {
				return len(keep(t.All("GlobalID"), func(id model.Term) bool { _, has := attributeOf(id, "schemeID"); return !has })) == 0
			}))},
			Rule{"BR-FR-CO-10_" + p.id + "-2", p.id, Fatal, p.what + " has at most one identifier of each scheme.", "Keep one.", each(parties, is(hasDistinctSchemes))})
	}
	if p.endpoint == "" {
		return all
	}
	endpoints := found(p.path + "/URIUniversalCommunication/URIID")
	return append(all,
		Rule{"BR-FR-23_" + p.endpoint, p.endpoint, Fatal, p.what + ": an electronic address of scheme 0225 has only letters, digits and + - _ /.", "Correct the address.", each(endpoints, is(func(t model.Term) bool {
			return t.Attribute("schemeID") != "0225" || isPlain(t.Text())
		}))},
		Rule{"BR-FR-25_" + p.endpoint, p.endpoint, Fatal, p.what + ": the electronic address has at most 125 characters.", "Correct the address.", each(endpoints, is(textIs(atMost(125))))})
}

// hasDistinctSchemes reports whether a party has at most one identifier of each scheme; one without a scheme is of the empty one.
func hasDistinctSchemes(party model.Term) bool {
	n := map[string]int{}
	for _, id := range party.All("GlobalID") {
		n[id.Attribute("schemeID")]++
	}
	return !slices.ContainsFunc(party.All("GlobalID"), func(id model.Term) bool {
		scheme, has := attributeOf(id, "schemeID")
		return has && n[scheme] > 1
	})
}

// isCoherent reports whether the number of a party's establishment, if it has one, begins with the company's.
func (p frParty) isCoherent(party model.Term) bool {
	establishments := withScheme(party, "0009")
	if len(establishments) == 0 {
		return true
	}
	siret := establishments[0].Text()
	company := party.At("SpecifiedLegalOrganization", "ID")
	if company.Attribute("schemeID") != "0002" || !p.company && company.Text() == "" {
		return !p.company && isDigits(siret, 14)
	}
	return isDigits(siret, 14) && siret[:9] == company.Text()
}

func textIs(keeps func(string) bool) func(model.Term) bool {
	return func(t model.Term) bool { return keeps(t.Text()) }
}

func withScheme(party model.Term, scheme string) []model.Term {
	return keep(party.All("GlobalID"), func(id model.Term) bool { return id.Attribute("schemeID") == scheme })
}

// hasFrenchAddress reports whether a party's electronic address begins with its company number.
func hasFrenchAddress(p model.Party) bool {
	address, company := p.Endpoint.Text(), p.LegalID.Text()
	return len(address) >= len(company) && address[:len(company)] == company && p.Endpoint.Attribute("schemeID") == "0225"
}

// isB2B reports whether a note says that the invoice is between companies.
func isB2B(i *model.Invoice) bool {
	return len(keep(notesOn(i, "BAR"), func(n model.Note) bool { return n.Text.Text() == "B2B" })) > 0
}

// isSelfBilled reports whether the invoice is of a type that the buyer issues.
func isSelfBilled(i *model.Invoice) bool {
	return oneOf(i.TypeCode.Text(), "389 501 500 471 473 261 502")
}

// notesOn are the notes on the document with a subject.
func notesOn(i *model.Invoice, subject string) []model.Note {
	return keep(i.Notes, func(n model.Note) bool { return n.Subject.Text() == subject })
}
