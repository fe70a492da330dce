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

// germanExtensionRules are those of the extension of XRechnung.
var germanExtensionRules = []Rule{
	inExtension("BR-DEX-01", "BT-125", "The type of an attachment", "AttachmentBinaryObject", "mimeCode", extensionTypes, func(model.Term) bool { return true }),
	inExtension("BR-DEX-04", "BT-29", "The scheme of an identifier", "GlobalID", "schemeID", extensionIDs, func(t model.Term) bool {
		return !isWithin(t, "SpecifiedTradeProduct") && !isWithin(t, "ShipToTradeParty")
	}),
	inExtension("BR-DEX-05", "BT-30", "The scheme of a register number", "ID", "schemeID", extensionIDs, func(t model.Term) bool { return !isWithin(t, "SpecifiedTaxRegistration") }),
	inExtension("BR-DEX-06", "BT-157", "The scheme of an item's identifier", "GlobalID", "schemeID", extensionIDs, func(t model.Term) bool { return t.Parent().Element() == "SpecifiedTradeProduct" }),
	inExtension("BR-DEX-07", "BT-34", "The scheme of an electronic address", "URIID", "schemeID", extensionEndpoints, func(t model.Term) bool { return t.Parent().Element() == "URIUniversalCommunication" }),
	inExtension("BR-DEX-08", "BT-71", "The scheme of the place of delivery", "GlobalID", "schemeID", extensionIDs, func(t model.Term) bool {
		return t.Parent().Element() == "ShipToTradeParty" && isWithin(t, "ApplicableHeaderTradeDelivery")
	}),
	under(extensionGuideline, advise("BR-DEX-15", "BT-X-304", Warning, "No line is part of another.", "Use lines that stand alone.", func(i *model.Invoice) bool {
		return !slices.ContainsFunc(i.Lines, func(l model.Line) bool { return l.Parent != nil })
	})),
}

// inExtension is a rule on an attribute of elements of a name, which is one of a union of lists.
func inExtension(id, term, what, element, attribute, union string, of func(model.Term) bool) Rule {
	allowed := func() []codeList { return codeUnion(union) }
	return under(extensionGuideline, Rule{id, term, Fatal, what + " is one of the list (" + union + ").", fromList, func(i *model.Invoice, broken func(model.Term, string)) {
		lists := allowed()
		for _, t := range elements("").of(i) {
			if t.Element() != element || !of(t) {
				continue
			}
			code, has := attributeOf(t, attribute)
			if (has || attribute == "mimeCode") && !slices.ContainsFunc(lists, func(l codeList) bool { return l.has(code) }) {
				broken(t, "found \""+code+"\"")
			}
		}
	}})
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
