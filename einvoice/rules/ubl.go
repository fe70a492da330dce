package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// en16931UBL are the rules of EN 16931-1 and those of its binding to UBL. Most conditions are those of CII, on the same terms.
func en16931UBL() []Rule {
	own := slices.Concat(
		ublDocumentRules, ublPartyRules, ublDetailRules, ublTotalRules, ublCategoryRules(), ublCodeRules, ublStructureRules, ublCountRules(), ublAttributeRules(), ublUnusedRules(),
	)
	shared := slices.Concat(documentRules, partyRules, lineRules, totalRules, adjustmentRules(), taxRules(taxes), categoryRules(false), paymentRules)
	return inPlaceOf(keep(shared, func(r Rule) bool { return !slices.Contains(notInUBL, r.ID) }), own)
}

// notInUBL are rules whose conditions always hold in the official rules for UBL: UBL-DT-01 covers them.
var notInUBL = []string{"BR-DEC-13", "BR-DEC-15"}

// written returns the UBL elements with these prefixed names, wherever they are.
func written(names ...string) scope[model.Term] {
	return termsIn(func(i *model.Invoice) (all []model.Term) {
		for _, name := range names {
			all = append(all, i.Written[name]...)
		}
		return all
	})
}

// writtenIn are elements of UBL that are children of elements of another name.
func writtenIn(parent, name string) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		return keep(i.Written[name], func(t model.Term) bool { return t.Parent().QName() == parent })
	})
}

// root is the root element of UBL.
var root = termsIn(func(i *model.Invoice) []model.Term { return []model.Term{i.Document} })

var ublLines = written("cac:InvoiceLine", "cac:CreditNoteLine")

// below are the elements of UBL at a path of names with prefixes from an element. A last step @name keeps those with the attribute.
func below(t model.Term, path string) (all []model.Term) {
	path, attribute, _ := strings.Cut(path, "@")
	walkUBL(t, strings.FieldsFunc(path, func(r rune) bool { return r == '/' }), func(found model.Term) {
		if _, has := attributeOf(found, attribute); attribute == "" || has {
			all = append(all, found)
		}
	})
	return all
}

func walkUBL(t model.Term, steps []string, visit func(model.Term)) {
	if len(steps) == 0 {
		visit(t)
		return
	}
	for child := range t.Children() {
		if name := child.QName(); name == steps[0] || steps[0] == "line" && (name == "cac:InvoiceLine" || name == "cac:CreditNoteLine") {
			walkUBL(child, steps[1:], visit)
		}
	}
}

// filledBelow reports whether an element at a path is present and not blank.
func filledBelow(t model.Term, path string) bool {
	return slices.ContainsFunc(below(t, path), model.Filled)
}

// schemeIsVAT reports whether an element of UBL names VAT as its tax.
func schemeIsVAT(t model.Term) bool {
	return slices.ContainsFunc(below(t, "cac:TaxScheme/cbc:ID"), func(id model.Term) bool { return strings.EqualFold(trimmed(id), "VAT") })
}

// needs is a fatal rule that a condition holds for each of some elements of UBL.
func needs(id, term, demand, fix string, s scope[model.Term], holds func(model.Term) bool) Rule {
	return Rule{id, term, Fatal, demand, fix, each(s, is(holds))}
}
