package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// facturxProfiles are the profiles of Factur-X.
var facturxProfiles = []string{"minimum", "basicwl", "basic", "en16931", "extended"}

// facturx returns the rules of Factur-X: many of EN 16931, its own additions and replacements, and the structure of each profile.
func facturx() []Rule {
	own := slices.Concat(facturxRules, extendedRules, extendedTotalRules, extendedVATRules())
	return slices.Concat(adopted(own), own, structureRules())
}

// adopted returns the rules of EN 16931 that Factur-X has unchanged, each limited to the profiles that have it.
func adopted(own []Rule) []Rule {
	norm := slices.Concat(documentRules, partyRules, lineRules, totalRules, adjustmentRules(), taxRules(taxes), categoryRules(true), paymentRules)
	var all []Rule
	for _, r := range norm {
		if slices.ContainsFunc(own, func(o Rule) bool { return o.ID == r.ID }) {
			continue
		}
		profiles := keep(facturxProfiles, func(profile string) bool { return adopts(profile, r.ID) })
		all = append(all, within(r, profiles...))
	}
	return all
}

// adopts reports whether a profile has a rule of EN 16931 unchanged. It ignores whether the profile's structure rules out violations.
func adopts(profile, id string) bool {
	in := func(list string) bool { return slices.Contains(strings.Fields(list), id) }
	switch profile {
	case "minimum":
		return in("BR-01 BR-02 BR-03 BR-04 BR-05 BR-06 BR-07 BR-08 BR-09 BR-13 BR-14 BR-15 BR-CO-09 BR-CO-26 BR-DEC-12 BR-DEC-13 BR-DEC-14 BR-DEC-18")
	case "basicwl":
		category, number := id[:strings.LastIndex(id, "-")], id[strings.LastIndex(id, "-")+1:]
		return !in("BR-16 BR-B-01 BR-B-02 BR-CO-10 BR-O-12") && (strings.Count(category, "-") == 0 || oneOf(category, "BR-CO BR-DEC") || number != "01" && number != "08")
	case "extended":
		return !in("BR-22 BR-23 BR-24 BR-26 BR-27 BR-28 BR-38 BR-44 BR-54 BR-CO-04 BR-CO-10 BR-CO-11 BR-CO-12 BR-CO-13 BR-CO-15 BR-CO-16 BR-CO-17 BR-CO-22 BR-CO-24 " +
			"BR-S-01 BR-S-08 BR-S-09 BR-S-10 BR-Z-01 BR-Z-08 BR-Z-10 BR-E-01 BR-E-08 BR-AE-01 BR-AE-08 BR-IC-01 BR-IC-08 BR-G-01 BR-G-08 " +
			"BR-O-01 BR-O-02 BR-O-03 BR-O-04 BR-O-08 BR-O-11 BR-O-12 BR-O-13 BR-O-14 BR-AF-01 BR-AF-10 BR-AG-01 BR-AG-10")
	}
	return true
}

// within limits a rule to invoices in some profiles.
func within(r Rule, profiles ...string) Rule {
	find := r.find
	r.find = func(i *model.Invoice, broken func(model.Term, string)) {
		if slices.Contains(profiles, i.Profile) {
			find(i, broken)
		}
	}
	return r
}

// facturxRules are the rules of several profiles that EN 16931 lacks, or states differently.
var facturxRules = []Rule{
	within(Rule{
		"BR-17", "BT-59", Fatal, "A payee has a name.", "Name the payee.",
		each(called("PayeeTradeParty", ""), is(func(t model.Term) bool { return t.At("Name") != nil })),
	}, "basicwl", "basic", "en16931", "extended"),
	{
		"BR-18", "BT-62", Fatal, "A tax representative of the seller has a name.", "Give the representative's name.",
		fills(taxRepresentative, func(p model.Party) model.Term { return p.Name }),
	},
	{
		"BR-20", "BT-69", Fatal, "The address of a tax representative has a country.", "Give the country code of the representative.",
		fills(taxRepresentative, func(p model.Party) model.Term { return p.Address.Country }),
	},
	within(Rule{
		"BR-52", "BT-122", Fatal, "Each further document has a reference.", "Give the document's number.",
		fills(called("AdditionalReferencedDocument", ""), func(t model.Term) model.Term { return t.At("IssuerAssignedID") }),
	}, "en16931", "extended"),
	{"BR-47", "BT-118", Fatal, "Each row of the VAT breakdown has a category.", "Give the category, such as S.", has(taxes, taxCategory)},
	{
		"BR-48", "BT-119", Fatal, "Each row of the VAT breakdown has a rate, unless it is outside VAT.", "Give the rate, 0 if no tax is due.",
		each(taxes, is(func(t model.Tax) bool { return t.Rate != nil || t.Category.Text() == "O" })),
	},
	{"BR-50", "BT-84", Fatal, "The account of a transfer has a number.", "Give the IBAN or another account number.", each(transferAccounts, is(hasFilledAccount))},
	{
		"BR-65", "BT-158", Fatal, "A class of each item that has any names its classification.", "Give the list that the class is from.",
		each(lines, is(func(l model.Line) bool {
			return len(l.Classes) == 0 || slices.ContainsFunc(l.Classes, func(class model.Term) bool { return names(class, "listID") })
		})),
	},
	{
		"BR-CO-03", "BT-7", Fatal, "The date when VAT is due and the code for it exclude each other.", "Give only one of the two.",
		each(taxes, is(func(t model.Tax) bool { return t.TaxPointDate == nil || t.TaxPointCode == nil })),
	},
	within(Rule{
		"BR-CO-18", "BG-23", Fatal, "The invoice has a VAT breakdown.", "Add a row for each VAT category and rate.",
		each(invoice, is(func(i *model.Invoice) bool { return len(i.Taxes) > 0 })),
	}, "basicwl", "basic", "en16931", "extended"),
	within(Rule{
		"PEPPOL-EN16931-R008", "", Warning, "No element is empty.", "Give the element content, or leave it out.",
		each(elements(""), is(func(t model.Term) bool { return !isEmpty(t) })),
	}, "basic", "en16931", "extended"),
	within(alike("CII-SR-467", "BT-81", "All means of payment have the same code.", func(p model.Payment) model.Term { return p.TypeCode }), "basicwl", "basic", "en16931", "extended"),
	within(alike("CII-SR-468", "BT-82", "All means of payment have the same text.", func(p model.Payment) model.Term { return p.Text }), "basicwl", "basic", "en16931", "extended"),
	within(Rule{
		"CII-SR-470", "BT-84", Fatal, "A transfer goes to an IBAN or to another account number, not to both.", "Keep one of the two.",
		each(transfers, is(func(p model.Payment) bool { return (p.IBAN != nil) != (p.AccountID != nil) })),
	}, "basicwl", "basic", "en16931"),
	within(Rule{
		"CII-SR-474", "BT-128", Warning, "A line names one object that is invoiced.", "Keep one.",
		each(lines, is(func(l model.Line) bool { return len(ofKind(l.Documents, "130")) <= 1 })),
	}, "en16931"),
	within(Rule{
		"CII-SR-475", "BT-123", Warning, "One supporting document has a name.", "Keep the name of one.",
		each(invoice, is(func(i *model.Invoice) bool {
			return len(keep(kind(i, "916"), func(d model.Document) bool { return d.Name != nil })) <= 1
		})),
	}, "en16931", "extended"),
	within(Rule{
		"CII-SR-476", "BT-125", Warning, "One supporting document is attached.", "Attach one.",
		each(invoice, is(func(i *model.Invoice) bool {
			return len(keep(kind(i, "916"), func(d model.Document) bool { return d.Attachment != nil })) <= 1
		})),
	}, "en16931", "extended"),
	within(oneName("CII-SR-465", "seller", seller), "basicwl", "basic", "en16931", "extended"),
	within(oneName("CII-SR-466", "buyer", buyer), "basicwl", "basic", "en16931", "extended"),
}

// transfers are the means of payment that are credit transfers.
var transfers = scope[model.Payment]{
	func(i *model.Invoice) []model.Payment { return keep(i.Payments, isTransfer) }, payments.at,
}

func hasFilledAccount(p model.Payment) bool { return model.Filled(p.IBAN) || model.Filled(p.AccountID) }

func isEmpty(t model.Term) bool {
	for range t.Children() {
		return false
	}
	return !model.Filled(t)
}

// alike holds if all means of payment that have a term have it with the same text.
func alike(id, term, demand string, of func(model.Payment) model.Term) Rule {
	return Rule{id, term, Fatal, demand, "Make them the same.", func(i *model.Invoice, broken func(model.Term, string)) {
		var first model.Term
		var text string
		for _, p := range i.Payments {
			switch t := of(p); {
			case t == nil:
			case first == nil:
				first, text = t, strings.TrimSpace(t.Text())
			case strings.TrimSpace(t.Text()) != text:
				broken(t, "found "+quoted(t)+" after "+quoted(first))
			}
		}
	}}
}

// oneName is oneContactName, which Factur-X enforces.
func oneName(id, who string, s scope[model.Party]) Rule {
	r := oneContactName(id, who, s)
	r.Severity = Fatal
	return r
}
