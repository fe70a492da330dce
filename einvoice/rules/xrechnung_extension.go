package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// under is a rule on invoices that declare a guideline.
func under(guideline string, r Rule) Rule {
	return r.onlyIf(func(i *model.Invoice) bool { return i.Guideline.Text() == guideline })
}

const (
	extensionIDs       = "identifier-scheme-0240+XR01+XR02+XR03"
	extensionEndpoints = "xrechnung-endpoint-scheme+XR01+XR02+XR03"
	extensionTypes     = "attachment-type+application/xml"
)

// germanExtensionRules are those of the extension of XRechnung, for CII.
var germanExtensionRules = forExtension([]Rule{
	ofExtensionType(elements("AttachmentBinaryObject")),
	inExtension("BR-DEX-04", "BT-29", "The scheme of an identifier", extensionIDs, where("GlobalID", func(t model.Term) bool {
		return !isWithin(t, "SpecifiedTradeProduct") && !isWithin(t, "ShipToTradeParty")
	})),
	inExtension("BR-DEX-05", "BT-30", "The scheme of a register number", extensionIDs, where("ID", func(t model.Term) bool { return !isWithin(t, "SpecifiedTaxRegistration") })),
	inExtension("BR-DEX-06", "BT-157", "The scheme of an item's identifier", extensionIDs, called("GlobalID", "SpecifiedTradeProduct")),
	inExtension("BR-DEX-07", "BT-34", "The scheme of an electronic address", extensionEndpoints, called("URIID", "URIUniversalCommunication")),
	inExtension("BR-DEX-08", "BT-71", "The scheme of the place of delivery", extensionIDs, where("GlobalID", func(t model.Term) bool {
		return t.Parent().Element() == "ShipToTradeParty" && isWithin(t, "ApplicableHeaderTradeDelivery")
	})),
	advise("BR-DEX-15", "BT-X-304", Warning, "No line is part of another.", "Use lines that stand alone.", func(i *model.Invoice) bool {
		return !slices.ContainsFunc(i.Lines, func(l model.Line) bool { return l.Parent != nil })
	}),
})

// germanUBLExtensionRules are those of the extension of XRechnung for UBL, which has sub-lines and payments of third parties.
func germanUBLExtensionRules() []Rule {
	subLines := written("cac:SubInvoiceLine")
	thirdParty := termsIn(func(i *model.Invoice) []model.Term { return i.Document.All("PrepaidPayment") })
	paid := terms(thirdParty, func(t model.Term) []model.Term { return t.All("PaidAmount") })
	fills := func(id, term, demand, name string) Rule {
		return needs(id, term, demand, "Give it, or leave the payment out.", thirdParty, func(t model.Term) bool { return model.Filled(t.At(name)) })
	}
	return forExtension([]Rule{
		ofExtensionType(written("cbc:EmbeddedDocumentBinaryObject")),
		{
			"BR-DEX-02", "BT-131", Warning, "The net amount of a line with sub-lines is the sum of theirs.", "Correct the amount of the line, or those of its sub-lines.",
			each(both(writtenIn("ubl:Invoice", "cac:InvoiceLine"), subLines), is(subLinesAddUp)),
		},
		needs("BR-DEX-03", "BG-DEX-06", "A sub-line has one VAT category.", "Give it the category, or keep one.", subLines, func(t model.Term) bool {
			return len(below(t, "cac:Item/cac:ClassifiedTaxCategory")) == 1
		}),
		inExtension("BR-DEX-04", "BT-29", "The scheme of an identifier", extensionIDs, partyIdentifiers),
		inExtension("BR-DEX-05", "BT-30", "The scheme of a register number", extensionIDs, writtenIn("cac:PartyLegalEntity", "cbc:CompanyID")),
		inExtension("BR-DEX-06", "BT-157", "The scheme of an item's identifier", extensionIDs, writtenIn("cac:StandardItemIdentification", "cbc:ID")),
		inExtension("BR-DEX-07", "BT-34", "The scheme of an electronic address", extensionEndpoints, written("cbc:EndpointID")),
		inExtension("BR-DEX-08", "BT-71", "The scheme of the place of delivery", extensionIDs, writtenIn("cac:DeliveryLocation", "cbc:ID")),
		{
			"BR-DEX-09", "BT-115", Fatal, "The amount due is the amount with VAT, less what was paid, plus the rounding and the payments of third parties.",
			"Correct the amount due, or what it is made of.", dueWithThirdParties,
		},
		fills("BR-DEX-10", "BT-DEX-001", "A payment of a third party has a type.", "ID"),
		fills("BR-DEX-11", "BT-DEX-002", "A payment of a third party has an amount.", "PaidAmount"),
		fills("BR-DEX-12", "BT-DEX-003", "A payment of a third party has a description.", "InstructionID"),
		{"BR-DEX-13", "BT-DEX-002", Fatal, "The amount of a payment of a third party has at most two decimals.", roundIt, cents(paid, itself)},
		{
			"BR-DEX-14", "BT-DEX-002", Fatal, "The amount of a payment of a third party is in the invoice's currency.", "Correct the currency, or the amount.",
			each(thirdParty, func(i *model.Invoice, t model.Term) bool {
				return t.At("PaidAmount").Attribute("currencyID") == i.Currency.Text()
			}),
		},
	})
}

func forExtension(all []Rule) []Rule {
	for n := range all {
		all[n] = under(extensionGuideline, all[n])
	}
	return all
}

// subLinesAddUp reports whether the sub-lines of a line, if it has any, add up to its amount.
func subLinesAddUp(line model.Term) bool {
	parts := line.All("SubInvoiceLine")
	return len(parts) == 0 || number(line.At("LineExtensionAmount")).equals(sum(parts, func(t model.Term) decimal { return number(t.At("LineExtensionAmount")) }))
}

// dueWithThirdParties holds if the amount due equals the calculated one, to the cent.
func dueWithThirdParties(i *model.Invoice, broken func(model.Term, string)) {
	t := i.Totals
	others := sum(i.Document.All("PrepaidPayment"), func(t model.Term) decimal { return optional(t.At("PaidAmount")) })
	want := number(t.WithTax).minus(optional(t.Paid)).plus(others).round(2)
	if !number(t.Due).minus(optional(t.Rounding)).round(2).equals(want) {
		broken(or(t.Due, t.Node), "found "+quoted(t.Due)+", calculated "+want.plus(optional(t.Rounding)).String())
	}
}

// ofExtensionType is the rule on the types of attachments. White space around a type counts.
func ofExtensionType(attachments scope[model.Term]) Rule {
	find := func(i *model.Invoice, broken func(model.Term, string)) {
		allowed := codeUnion(extensionTypes)
		for _, t := range attachments.of(i) {
			if code := t.Attribute("mimeCode"); code != strings.TrimSpace(code) || !anyHas(allowed, code) {
				broken(t, "found \""+code+"\"")
			}
		}
	}
	return Rule{"BR-DEX-01", "BT-125", Fatal, "The type of an attachment is one of the list (" + extensionTypes + ").", fromList, find}
}

// inExtension is a rule on the schemes of elements: each is one of a union of lists.
func inExtension(id, term, what, union string, s scope[model.Term]) Rule {
	return Rule{id, term, Fatal, what + " is one of the list (" + union + ").", fromList, func(i *model.Invoice, broken func(model.Term, string)) {
		allowed := codeUnion(union)
		for _, t := range s.of(i) {
			if scheme, named := attributeOf(t, "schemeID"); named && !anyHas(allowed, scheme) {
				broken(t, "found \""+scheme+"\"")
			}
		}
	}}
}

// cleanVehicleRules are those for the procurement of clean vehicles (CVD).
var cleanVehicleRules = []Rule{
	forVehicles(whole("BR-DE-CVD-01", "BT-12", "The invoice names the contract.", "Give its number.", func(i *model.Invoice) bool { return model.Filled(i.Contract) })),
	forVehicles(whole("BR-DE-CVD-02", "BT-17", "The invoice names the tender.", "Give its number.", func(i *model.Invoice) bool {
		return slices.ContainsFunc(kind(i, "50"), func(d model.Document) bool { return model.Filled(d.Number) })
	})),
	forVehicles(whole("BR-DE-CVD-03", "BT-158", "A line has the category (CVD) of a vehicle and its cleanness (cva).", "Give both.", func(i *model.Invoice) bool {
		return slices.ContainsFunc(i.Lines, func(l model.Line) bool { return len(vehicleClasses(l)) > 0 && len(cleanness(l)) > 0 })
	})),
	forVehicles(Rule{"BR-DE-CVD-04", "BT-158", Fatal, "The category of a vehicle is M1, M2, M3, N1, N2 or N3.", "Use one of these.", each(terms(lines, itemClasses), is(func(t model.Term) bool {
		return strings.TrimSpace(t.Attribute("listID")) != "CVD" || oneOf(trimmed(t), "M1 M2 M3 N1 N2 N3")
	}))}),
	forVehicles(Rule{"BR-DE-CVD-05", "BT-161", Fatal, "The cleanness of a vehicle is clean, zero-emission or other.", "Use one of these.", each(attributes, is(func(a model.Attribute) bool {
		return a.Name.Text() != "cva" || oneOf(trimmed(a.Value), "clean zero-emission other")
	}))}),
	forVehicles(Rule{"BR-DE-CVD-06-a", "BT-160", Fatal, "An item with the category of a vehicle has its cleanness once.", "Give it once.", each(lines, is(func(l model.Line) bool {
		return len(vehicleClasses(l)) == 0 || len(cleanness(l)) == 1
	}))}),
	forVehicles(Rule{"BR-DE-CVD-06-b", "BT-158", Fatal, "An item with the cleanness of a vehicle has its category once.", "Give it once.", each(lines, is(func(l model.Line) bool {
		return len(cleanness(l)) == 0 || len(vehicleClasses(l)) == 1
	}))}),
	forVehicles(Rule{"BR-TMP-CVD-01", "BT-158", Fatal, "The classification of an item is one of the list (item-class, CVD).", fromList, each(terms(lines, itemClasses), is(func(t model.Term) bool {
		list := t.Attribute("listID")
		return codes("item-class").has(list) || strings.TrimSpace(list) == "CVD"
	}))}),
}

func forVehicles(r Rule) Rule { return under(vehiclesGuideline, r) }

func vehicleClasses(l model.Line) []model.Term {
	return keep(l.Classes, func(t model.Term) bool { return t.Attribute("listID") == "CVD" })
}

func cleanness(l model.Line) []model.Attribute {
	return keep(l.Attributes, func(a model.Attribute) bool { return a.Name.Text() == "cva" })
}
