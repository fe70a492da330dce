package rules

import (
	_ "embed"
	"slices"
	"strings"

	"platen.dev/einvoice/model"
	"platen.dev/einvoice/schema"
)

//go:embed unused.txt
var unusedTable string

// unusedRules say of elements of Factur-X that EN 16931 alone does not use them.
func unusedRules() []Rule {
	var all []Rule
	for line := range strings.Lines(unusedTable) {
		id, path, isRow := strings.Cut(strings.TrimSpace(line), "  ")
		if !isRow || strings.HasPrefix(line, "#") {
			continue
		}
		all = append(all, Rule{
			id, "", Warning, "EN 16931 does not use " + path + ".", "Leave the element out.",
			each(found(path), is(func(model.Term) bool { return false })),
		})
	}
	return all
}

// found are the elements at a path below the root, in which "..." stands for SupplyChainTradeTransaction and "line" for an
// IncludedSupplyChainTradeLineItem in it.
func found(path string) scope[model.Term] {
	path = strings.Replace(path, "line/", ".../IncludedSupplyChainTradeLineItem/", 1)
	steps := strings.Split(strings.Replace(path, "...", "SupplyChainTradeTransaction", 1), "/")
	return termsIn(func(i *model.Invoice) (all []model.Term) {
		walk(i.Root, steps, func(t model.Term) { all = append(all, t) })
		return all
	})
}

// walk visits every element at a path.
func walk(t model.Term, steps []string, visit func(model.Term)) {
	if len(steps) == 0 {
		visit(t)
		return
	}
	for child := range t.Children() {
		if child.Element() == steps[0] {
			walk(child, steps[1:], visit)
		}
	}
}

// elements are the elements of the invoice whose names end so, in document order.
func elements(suffix string) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		var all []model.Term
		visitAll(i.Root, func(t model.Term) {
			if strings.HasSuffix(t.Element(), suffix) {
				all = append(all, t)
			}
		})
		return all
	})
}

func visitAll(t model.Term, visit func(model.Term)) {
	visit(t)
	for child := range t.Children() {
		visitAll(child, visit)
	}
}

var (
	references = elements("ReferencedDocument")
	tradeTaxes = elements("TradeTax")
	amounts    = elements("Amount")
)

// supports reports whether a reference is a further document of one of the kinds.
func supports(t model.Term, kinds ...string) bool {
	code := t.At("TypeCode").Written()
	for _, kind := range kinds {
		if t.Element() == "AdditionalReferencedDocument" && code == kind {
			return true
		}
	}
	return false
}

// onlyIn holds if an element is there only where a condition holds.
func onlyIn(id string, severity Severity, s scope[model.Term], child, where string, may func(model.Term) bool) Rule {
	return Rule{
		id, "", severity, child + " is used only in " + where + ".", "Leave the element out.",
		each(s, is(func(t model.Term) bool { return t.At(child) == nil || may(t) })),
	}
}

// inSettlement reports whether an element belongs to the settlement of the document.
func inSettlement(t model.Term) bool {
	for ; t != nil; t = t.Parent() {
		if t.Element() == "ApplicableHeaderTradeSettlement" {
			return true
		}
	}
	return false
}

func never(model.Term) bool { return false }

func isBreakdown(t model.Term) bool { return t.Element() == "ApplicableTradeTax" }

// once holds if there is at most one of what is counted.
func once(id, term string, severity Severity, what string, count func(*model.Invoice) int) Rule {
	return Rule{id, term, severity, what, "Keep one.", each(invoice, is(func(i *model.Invoice) bool { return count(i) <= 1 }))}
}

func kind(i *model.Invoice, code string) []model.Document { return ofKind(i.Documents, code) }

func ofKind(all []model.Document, code string) []model.Document {
	return keep(all, func(d model.Document) bool { return strings.TrimSpace(d.TypeCode.Text()) == code })
}

// oneID holds if a party is identified with a scheme or without, not both.
func oneID(id, term, who string, s scope[model.Party]) Rule {
	return Rule{
		id, term, Warning, who + " has an identifier with a scheme or one without, not both.", "Keep one of the two.",
		each(s, is(func(p model.Party) bool { return len(p.IDs) == 0 || len(p.GlobalIDs) == 0 })),
	}
}

func oneContactName(id, who string, s scope[model.Party]) Rule {
	return Rule{
		id, "BT-41", Warning, "A contact of the " + who + " is a person or a department.", "Keep the name of one of the two.",
		each(s, is(func(p model.Party) bool {
			var person, department bool
			for _, c := range p.Contacts {
				person, department = person || c.Person != nil, department || c.Department != nil
			}
			return !person || !department
		})),
	}
}

// unschemed are identifiers that may not name a scheme.
var unschemed = terms(invoice, func(i *model.Invoice) []model.Term {
	all := []model.Term{i.Guideline, i.Number}
	for _, l := range i.Lines {
		all = append(all, l.ID, l.Node.At("SpecifiedTradeProduct", "SellerAssignedID"))
	}
	return all
})

// syntaxRules are restrictions of EN 16931's binding to CII that the schemas of Factur-X do not enforce.
var syntaxRules = []Rule{
	oneContactName("CII-SR-465", "seller", seller), oneContactName("CII-SR-466", "buyer", buyer),
	oneID("CII-SR-449", "BT-71", "The place of delivery", shipTo), oneID("CII-SR-450", "BT-46", "The buyer", buyer), oneID("CII-SR-451", "BT-60", "The payee", payee),
	once("CII-SR-455", "BG-6", Fatal, "The seller has one contact.", func(i *model.Invoice) int { return len(i.Seller.Contacts) }),
	once("CII-SR-456", "BG-9", Fatal, "The buyer has one contact.", func(i *model.Invoice) int { return len(i.Buyer.Contacts) }),
	once("CII-SR-457", "BT-17", Warning, "There is one reference to a tender.", func(i *model.Invoice) int { return len(kind(i, "50")) }),
	once("CII-SR-458", "BT-18", Warning, "There is one identifier of what is invoiced.", func(i *model.Invoice) int { return len(kind(i, "130")) }),
	once("CII-SR-475", "BT-123", Warning, "At most one supporting document has a description.", func(i *model.Invoice) int {
		return len(keep(kind(i, "916"), func(d model.Document) bool { return d.Name != nil }))
	}),
	once("CII-SR-476", "BT-125", Warning, "At most one supporting document is attached.", func(i *model.Invoice) int {
		return len(keep(kind(i, "916"), func(d model.Document) bool { return d.Attachment != nil }))
	}),
	once("CII-SR-452", "BT-20", Warning, "There is one set of payment terms.", func(i *model.Invoice) int { return len(i.PaymentTerms) }),
	once("CII-SR-453", "BT-20", Warning, "The payment terms have one text.", func(i *model.Invoice) int {
		return len(keep(i.PaymentTerms, func(p model.PaymentTerms) bool { return p.Description != nil }))
	}),
	once("CII-SR-461", "BT-7", Fatal, "The date when VAT is due is given once.", func(i *model.Invoice) int {
		return len(keep(i.Taxes, func(t model.Tax) bool { return t.TaxPointDate != nil }))
	}),
	once("CII-SR-462", "BT-8", Fatal, "The event that makes VAT due is the same everywhere.", func(i *model.Invoice) int {
		different := map[string]bool{}
		for _, t := range slices.Concat(lineTaxes.of(i), i.Taxes) {
			if t.TaxPointCode != nil {
				different[t.TaxPointCode.Text()] = true
			}
		}
		return len(different)
	}),
	{"CII-SR-039", "BT-127", Warning, "A line has one note.", "Join the notes.", each(lines, is(func(l model.Line) bool { return len(l.Notes) <= 1 }))},
	{"CII-SR-040", "BT-127", Warning, "A line has one text of notes.", "Join the notes.", each(lines, is(func(l model.Line) bool {
		return len(keep(l.Notes, func(n model.Note) bool { return n.Text != nil })) <= 1
	}))},
	{
		"CII-SR-046", "BT-157", Fatal, "The standard identifier of an item names its scheme.", "Give the scheme, such as 0160 for a GTIN.",
		each(lines, is(func(l model.Line) bool { _, has := attributeOf(l.ItemID, "schemeID"); return l.ItemID == nil || has })),
	},
	{"CII-SR-069", "BT-160", Fatal, "A property of an item has a name.", "Give the name.", has(attributes, func(a model.Attribute) model.Term { return a.Name })},
	{"CII-SR-072", "BT-161", Fatal, "A property of an item has a value.", "Give the value.", has(attributes, func(a model.Attribute) model.Term { return a.Value })},
	{
		"CII-SR-119", "BT-147", Warning, "The discount on a price is an allowance.", "Give the price without the charge.",
		each(lines, is(func(l model.Line) bool {
			return len(l.PriceAdjustments) == 0 || len(keep(l.PriceAdjustments, func(a model.Adjustment) bool { return !a.Charge })) > 0
		})),
	},
	{
		"CII-SR-439", "BT-146", Fatal, "The agreement on a line has a net price.", "Give the item's net price.",
		each(lines, is(func(l model.Line) bool { return l.NetPrice != nil || l.Node.At("SpecifiedLineTradeAgreement") == nil })),
	},
	{"CII-SR-454", "BG-30", Warning, "A line has one VAT category.", "Split the line.", each(lines, is(func(l model.Line) bool { return len(l.Taxes) == 1 }))},
	{"CII-DT-005", "", Fatal, "This identifier has no scheme.", "Leave schemeID out.", each(unschemed, is(func(t model.Term) bool { _, has := attributeOf(t, "schemeID"); return !has }))},
	onlyIn("CII-DT-015", Fatal, references, "URIID", "a supporting document (type 916)", func(t model.Term) bool { return supports(t, "916") }),
	onlyIn("CII-DT-018", Fatal, references, "TypeCode", "a further document of type 50, 130 or 916", func(t model.Term) bool { return supports(t, "50", "130", "916") }),
	onlyIn("CII-DT-021", Fatal, references, "Name", "a supporting document (type 916)", func(t model.Term) bool { return supports(t, "916") }),
	onlyIn("CII-DT-022", Fatal, references, "AttachmentBinaryObject", "a supporting document (type 916)", func(t model.Term) bool { return supports(t, "916") }),
	onlyIn("CII-DT-024", Fatal, references, "ReferenceTypeCode", "the identifier of what is invoiced (type 130)", func(t model.Term) bool { return supports(t, "130") }),
	onlyIn("CII-DT-027", Fatal, references, "FormattedIssueDateTime", "a reference to a preceding invoice", func(t model.Term) bool { return t.Element() == "InvoiceReferencedDocument" }),
	{
		"CII-DT-031", "", Fatal, "Only the total VAT names its currency.", "Leave currencyID out: all other amounts are in the invoice's currency.",
		each(amounts, is(func(t model.Term) bool {
			_, has := attributeOf(t, "currencyID")
			return !has || t.Element() == "TaxTotalAmount"
		})),
	},
	{"CII-DT-037", "", Fatal, "The kind of tax is VAT.", "Give VAT.", each(tradeTaxes, is(func(t model.Term) bool { kind := t.At("TypeCode"); return kind == nil || kind.Written() == "VAT" }))},
	{
		"CII-DT-033", "BT-130", Fatal, "If a quantity names a unit, so does an invoiced quantity.", "Give the unit of the invoiced quantity.",
		eachOr(termsIn(func(i *model.Invoice) []model.Term {
			return keep(elements("Quantity").of(i), func(t model.Term) bool { _, has := attributeOf(t, "unitCode"); return has })
		}), func(i *model.Invoice) bool { return slices.ContainsFunc(i.Lines, hasUnit) }),
	},
	onlyIn("CII-DT-043", Warning, tradeTaxes, "LineTotalBasisAmount", "other syntaxes", never),
	onlyIn("CII-DT-044", Warning, tradeTaxes, "AllowanceChargeBasisAmount", "other syntaxes", never),
	onlyIn("CII-DT-071", Fatal, called("BillingSpecifiedPeriod", ""), "Description", "other syntaxes", never),
	onlyIn("CII-DT-041", Warning, tradeTaxes, "BasisAmount", "the VAT breakdown", inSettlement),
	onlyIn("CII-DT-052", Warning, tradeTaxes, "ExemptionReasonCode", "the VAT of lines and the VAT breakdown", isBreakdown),
	onlyIn("CII-DT-098", Warning, tradeTaxes, "ExemptionReason", "the VAT of lines and the VAT breakdown", isBreakdown),
	onlyIn("CII-DT-054", Warning, tradeTaxes, "TaxPointDate", "the VAT breakdown", inSettlement),
	onlyIn("CII-DT-058", Warning, tradeTaxes, "DueDateTypeCode", "the VAT breakdown", inSettlement),
	dayRule,
}

var dayRule = Rule{
	"CII-DT-097", "", Fatal, "A date in format 102 is written YYYYMMDD, with months to 12 and days to 31.", "Correct the date.",
	each(elements("DateTimeString"), is(func(t model.Term) bool {
		return t.Attribute("format") != "102" || t.Kind() != schema.String || isFormatted(t) || isDay(t.Text())
	})),
}

// isFormatted reports whether a date is of the type that the official rules on dates leave out.
func isFormatted(t model.Term) bool { return strings.HasPrefix(t.Parent().Element(), "Formatted") }

// isDay checks the form of a date, not that the month has such a day.
func isDay(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) != 8 || strings.Trim(text, "0123456789") != "" {
		return false
	}
	month, day := text[4:6], text[6:]
	return month >= "01" && month <= "12" && day >= "01" && day <= "31"
}
