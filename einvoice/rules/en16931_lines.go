package rules

import (
	"slices"

	"platen.dev/einvoice/model"
)

// lineRules are about the lines.
var lineRules = []Rule{
	{
		"BR-21", "BT-126", Fatal, "Each line has an identifier.", "Number the lines.",
		fills(lines, func(l model.Line) model.Term { return l.ID }),
	},
	{
		"BR-22", "BT-129", Fatal, "Each line has a quantity.", "Give the invoiced quantity.",
		has(lines, func(l model.Line) model.Term { return l.Quantity }),
	},
	{
		"BR-23", "BT-130", Fatal, "The quantity of each line has a unit.", "Give the code of the unit, such as C62 for pieces.",
		each(lines, is(func(l model.Line) bool { _, has := attributeOf(l.Quantity, "unitCode"); return has })),
	},
	{
		"BR-24", "BT-131", Fatal, "Each line has a net amount.", "Give the line's net amount.",
		has(lines, func(l model.Line) model.Term { return l.Total }),
	},
	{
		"BR-25", "BT-153", Fatal, "The item of each line has a name.", "Name the item.",
		fills(lines, func(l model.Line) model.Term { return l.Name }),
	},
	{
		"BR-26", "BT-146", Fatal, "The item of each line has a net price.", "Give the item's net price.",
		has(lines, func(l model.Line) model.Term { return l.NetPrice }),
	},
	{
		"BR-27", "BT-146", Fatal, "No net price is negative.", "Give a price of 0 or more, and a negative quantity instead.",
		each(lines, is(func(l model.Line) bool { return number(l.NetPrice).atLeast(zero) })),
	},
	{
		"BR-28", "BT-148", Fatal, "No gross price is negative.", "Give a price of 0 or more, and a negative quantity instead.",
		each(lines, is(func(l model.Line) bool { return l.GrossPrice == nil || number(l.GrossPrice).atLeast(zero) })),
	},
	{
		"BR-30", "BT-135", Fatal, "The period of a line does not end before it starts.", "Correct the start or the end of the line's period.",
		each(linePeriods, is(inOrder)),
	},
	{
		"BR-CO-20", "BG-26", Fatal, "The period of a line has a start, an end or both.", "Give the start or the end, or leave the period out.",
		each(linePeriods, is(hasBound)),
	},
	{
		"BR-54", "BG-32", Fatal, "Each property of an item has a name and a value.", "Give both.",
		each(attributes, is(func(a model.Attribute) bool { return a.Name != nil && a.Value != nil })),
	},
	{
		"BR-64", "BT-157", Fatal, "The standard identifier of an item names its scheme.", "Give the scheme, such as 0160 for a GTIN.",
		each(lines, is(func(l model.Line) bool { return l.ItemID == nil || names(l.ItemID, "schemeID") })),
	},
	{
		"BR-65", "BT-158", Fatal, "The class of an item names its classification.", "Give the list that the class is from.",
		each(terms(lines, itemClasses), is(func(class model.Term) bool { return names(class, "listID") })),
	},
	{
		"BR-CO-04", "BT-151", Fatal, "Each line has a VAT category.", "Give the VAT category of the line.",
		each(lines, is(func(l model.Line) bool { return slices.ContainsFunc(l.Taxes, isVATWithCategory) })),
	},
	{
		"BR-CO-18", "BG-23", Fatal, "The invoice has a VAT breakdown.", "Add a row for each VAT category and rate.",
		each(lines, func(i *model.Invoice, _ model.Line) bool { return len(i.Taxes) > 0 }),
	},
	{
		"BR-DEC-23", "BT-131", Fatal, "The net amount of a line has at most two decimals.", "Round the amount to two decimals.",
		cents(lines, func(l model.Line) model.Term { return l.Total }),
	},
}

func itemClasses(l model.Line) []model.Term { return l.Classes }
