package rules

import (
	"strings"

	"platen.dev/einvoice/model"
)

// counts reports whether a line counts in totals: one that sums up others, or only informs, does not.
func counts(l model.Line) bool { return l.Status == nil || l.Status.Text() == "DETAIL" }

var (
	countingLines = scope[model.Line]{func(i *model.Invoice) []model.Line { return keep(i.Lines, counts) }, lines.at}
	groups        = scope[model.Line]{func(i *model.Invoice) []model.Line { return keep(i.Lines, isGroup) }, lines.at}
	subLines      = scope[model.Line]{
		func(i *model.Invoice) []model.Line {
			return keep(i.Lines, func(l model.Line) bool { return model.Filled(l.Parent) })
		}, lines.at,
	}
	subjectNotes = scope[model.Note]{
		func(i *model.Invoice) []model.Note {
			return keep(i.Notes, func(n model.Note) bool { return n.Subject != nil })
		}, notes.at,
	}
	lineSubjectNotes = scope[model.Note]{
		func(i *model.Invoice) []model.Note {
			return keep(gather(i.Lines, func(l model.Line) []model.Note { return l.Notes }), func(n model.Note) bool { return n.Subject != nil })
		}, notes.at,
	}
	// othersRegistrations are the tax numbers of all parties except the seller.
	othersRegistrations = termsIn(func(i *model.Invoice) []model.Term {
		return keep(elements("ID").of(i), func(t model.Term) bool {
			return t.Parent().Element() == "SpecifiedTaxRegistration" && !isWithin(t, "SellerTradeParty")
		})
	})
)

// extendedRules are those of profile extended on lines, notes and parties.
var extendedRules = []Rule{
	extended("BR-FXEXT-01", "BT-22", "A note with a subject has a text or a code.", "Give the text.", each(subjectNotes, is(says))),
	extended("BR-FXEXT-02", "BT-127", "A note of a line with a subject has a text or a code.", "Give the text.", each(lineSubjectNotes, is(says))),
	extended("BR-FXEXT-03", "BT-48", "Only the seller has a number at a local tax office; all others have VAT identifiers.", "Give the VAT identifier (VA).",
		each(othersRegistrations, is(func(t model.Term) bool { return t.Attribute("schemeID") == "VA" }))),
	within(Rule{
		"BR-FXEXT-04", "BT-X-11", Warning, "The kind of a property of an item is one of the list (property).", fromList,
		listed(attributes, "property", func(a model.Attribute) model.Term { return a.Node.At("TypeCode") }),
	}, "extended"),
	extended("BR-FXEXT-06", "BT-X-8", "A line that is part of another says whether it counts.", "Give DETAIL, GROUP or INFORMATION.",
		each(subLines, is(func(l model.Line) bool { return l.Status.Text() != "" }))),
	extended("BR-FXEXT-08", "BT-131", "The net amount of a line that sums up others is the sum of them.", "Correct the sum or the lines.",
		equalsWith(summing, func(l model.Line) model.Term { return l.Total }, partsThat(func(part model.Line) bool {
			return isGroup(part) || part.Status.Text() == "DETAIL"
		}), func(all parts, l model.Line) decimal { return all.of(l).total.round(2) })),
	extended("BR-FXEXT-11", "BT-X-304", "The line that another is part of exists.", "Correct the identifier of the parent line.",
		eachWith(subLines, lineIDs, func(ids map[string]bool, l model.Line) bool { return ids[trimmed(l.Parent)] })),
	extended("BR-FXEXT-12", "BT-131", "If a line that sums up others has a net amount, those of them that sum up have one, too.", "Give the amounts of all.",
		eachWith(groups, partsThat(func(part model.Line) bool { return isGroup(part) && part.Total == nil }), func(all parts, l model.Line) bool {
			return l.Total == nil || all.of(l).n == 0
		})),
	extended("BR-FXEXT-BR-22", "BT-129", "Each line that counts has a quantity.", "Give the invoiced quantity.",
		has(countingLines, func(l model.Line) model.Term { return l.Quantity })),
	extended("BR-FXEXT-BR-23", "BT-130", "The quantity of each line that counts has a unit.", "Give the code of the unit, such as C62 for pieces.", each(countingLines, is(hasUnit))),
	extended("BR-FXEXT-BR-24", "BT-131", "Each line that counts has a net amount.", "Give the line's net amount.",
		has(countingLines, func(l model.Line) model.Term { return l.Total })),
	extended("BR-FXEXT-BR-26", "BT-146", "The item of each line that counts has a net price.", "Give the item's net price.", has(countingLines, func(l model.Line) model.Term { return l.NetPrice })),
	extended("BR-FXEXT-CO-04", "BT-151", "Each line that counts has a VAT category.", "Give the VAT category of the line.",
		each(countingLines, is(func(l model.Line) bool {
			return len(keep(l.Taxes, func(t model.Tax) bool { return t.Type.Text() == "VAT" && t.Category != nil })) > 0
		}))),
	extended("BR-FXEXT-BR-38", "BG-21", "A charge on the document has a reason.", "Give the reason as text or code.", each(charges, is(isExplained))),
	extended("BR-FXEXT-BR-44", "BG-28", "A charge on a line has a reason.", "Give the reason as text or code.", each(lineCharges, is(isExplained))),
	extended("BR-FXEXT-BR-54-1", "BT-160", "A property of an item has a name or a kind.", "Give one of the two.",
		each(attributes, is(func(a model.Attribute) bool { return a.Name != nil || a.Node.At("TypeCode") != nil }))),
	extended("BR-FXEXT-BR-54-2", "BT-161", "A property of an item has a value or a measure with its unit, not both.", "Keep one of the two.",
		each(attributes, is(func(a model.Attribute) bool {
			measure := a.Node.At("ValueMeasure")
			return a.Value != nil && measure == nil || a.Value == nil && measure.Attribute("unitCode") != ""
		}))),
	extended("BR-FXEXT-CII-DT-097a", "", "A date and time in format 205 is written YYYYMMDDhhmm.", "Correct the date or the time.",
		each(elements("DateTimeString"), is(func(t model.Term) bool {
			return t.Attribute("format") != "205" || isFormatted(t) || isMinute(strings.TrimSpace(t.Text()))
		}))),
	extended("BR-CO-25", "BT-9", "If an amount is due, the invoice says when, or has terms of payment.", "Give the due date or the terms.",
		each(invoice, is(func(i *model.Invoice) bool {
			return !number(i.Totals.Due).above(zero) ||
				len(keep(i.PaymentTerms, func(t model.PaymentTerms) bool { return t.Node.At("DueDateDateTime") != nil || t.Description != nil })) > 0
		}))),
	within(dayRule, "extended"),
}

// extended is a fatal rule of profile extended.
func extended(id, term, demand, fix string, find finder) Rule {
	return within(Rule{id, term, Fatal, demand, fix, find}, "extended")
}

func isGroup(l model.Line) bool { return l.Status.Text() == "GROUP" }

// summing are the lines that sum up others and give the sum.
var summing = scope[model.Line]{
	func(i *model.Invoice) []model.Line {
		return keep(i.Lines, func(l model.Line) bool { return isGroup(l) && model.Filled(l.Total) })
	}, lines.at,
}

// parts sum up the lines that are part of others, by the identifier of those.
type parts map[string]partSum

// partSum is the sum of the net amounts of some lines, and how many they are.
type partSum struct {
	total decimal
	n     int
}

// partsThat are the parts for which a condition holds. White space around identifiers does not count.
func partsThat(holds func(model.Line) bool) func(*model.Invoice) parts {
	return partsBy(trimmed, holds)
}

// partsBy are the parts for which a condition holds, by the identifiers as another function gives them.
func partsBy(id func(model.Term) string, holds func(model.Line) bool) func(*model.Invoice) parts {
	return func(i *model.Invoice) parts {
		all := parts{}
		for _, l := range i.Lines {
			if l.Parent != nil && holds(l) {
				parent := id(l.Parent)
				before := all.at(parent)
				all[parent] = partSum{before.total.plus(number(l.Total)), before.n + 1}
			}
		}
		return all
	}
}

func (p parts) at(id string) partSum {
	if found, is := p[id]; is {
		return found
	}
	return partSum{zero, 0}
}

// of are the parts of a line, none if it has no identifier.
func (p parts) of(l model.Line) partSum {
	if l.ID == nil {
		return partSum{zero, 0}
	}
	return p.at(trimmed(l.ID))
}

// lineIDs are the identifiers of the lines.
func lineIDs(i *model.Invoice) map[string]bool {
	all := map[string]bool{}
	for _, l := range i.Lines {
		if l.ID != nil {
			all[trimmed(l.ID)] = true
		}
	}
	return all
}

func says(n model.Note) bool { return n.Text != nil || n.Node.At("ContentCode") != nil }

func hasUnit(l model.Line) bool {
	_, has := attributeOf(l.Quantity, "unitCode")
	return has
}

func isExplained(a model.Adjustment) bool { return a.Reason != nil || a.ReasonCode != nil }

// isWithin reports whether an element is in one of a name.
func isWithin(t model.Term, name string) bool {
	for ; t != nil; t = t.Parent() {
		if t.Element() == name {
			return true
		}
	}
	return false
}

func isMinute(text string) bool {
	return len(text) == 12 && isDay(text[:8]) && strings.Trim(text[8:], "0123456789") == "" && text[8:10] < "24" && text[10:] < "60"
}
