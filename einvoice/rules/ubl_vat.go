package rules

import (
	"slices"

	"platen.dev/einvoice/model"
)

// ublCategoryRules are those on kinds of VAT that differ in UBL.
func ublCategoryRules() []Rule {
	var all []Rule
	for _, c := range categories {
		if c.code == "L" {
			c.rate, c.rates = rateNotNegative, "0 or more"
			all = append(all, keep(c.rules(), func(r Rule) bool { return oneOf(r.ID, "BR-AF-05 BR-AF-06 BR-AF-07") })...)
		}
		all = append(all, c.inUBL()...)
	}
	outside := category{code: "O"}.rows()
	return append(all,
		Rule{
			"BR-IC-11", "BT-72", Fatal, "An intra-Community supply has a delivery date or an invoicing period.", "Give one of the two.",
			eachOr(category{code: "K"}.rows(), func(i *model.Invoice) bool {
				return i.DeliveryDate != nil || slices.ContainsFunc(below(i.Document, "cac:InvoicePeriod"), func(t model.Term) bool { return !isEmpty(t) })
			}),
		},
		Rule{
			"BR-IC-12", "BT-80", Fatal, "An intra-Community supply says to which country it goes.", "Give the country of delivery.",
			each(category{code: "K"}.rows(), func(i *model.Invoice, _ model.Tax) bool { return len(i.ShipTo.Address.Country.Text()) > 1 }),
		},
		onlyOutsideInUBL("BR-O-11", "BG-23", outside, taxes), onlyOutsideInUBL("BR-O-12", "BG-25", outside, lineTaxes),
		onlyOutsideInUBL("BR-O-13", "BG-20", outside, allowanceTaxes), onlyOutsideInUBL("BR-O-14", "BG-21", outside, chargeTaxes),
		Rule{
			"BR-B-01", "BT-151", Fatal, "Split payment (category B) is for Italy alone.", "Use another category unless all countries are Italy.",
			each(invoice, is(func(i *model.Invoice) bool {
				return !hasCategory("B", i.Written["cac:TaxCategory"], i.Written["cac:ClassifiedTaxCategory"]) ||
					!slices.ContainsFunc(i.Written["cbc:IdentificationCode"], func(t model.Term) bool { return t.Text() != "IT" })
			})),
		},
		Rule{
			"BR-B-02", "BT-151", Fatal, "Split payment (category B) and the standard rate (S) are not in one invoice.", "Make two invoices.",
			each(invoice, is(func(i *model.Invoice) bool {
				rows, adjusted := below(i.Document, "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory"), below(i.Document, "cac:AllowanceCharge/cac:TaxCategory")
				all := slices.Concat(rows, adjusted, i.Written["cac:ClassifiedTaxCategory"])
				return !hasCategory("B", all) || !hasCategory("S", all)
			})),
		},
	)
}

// inUBL are the rules of a category that differ: which rows there are, and what their amounts are.
func (c category) inUBL() []Rule {
	of := "With " + c.name + " (category " + c.code + "): "
	all := []Rule{
		{"BR-" + c.id + "-01", "BG-23", Fatal, of + "the VAT breakdown has the rows that lines, allowances and charges need.", "Add the missing row, or merge rows.", each(invoice, is(c.brokenDownInUBL))},
		{"BR-" + c.id + "-08", "BT-116", Fatal, of + "the taxable amount is that of its lines, less allowances, plus charges.", "Correct the taxable amount.", c.baseAddsUpInUBL},
		{"BR-" + c.id + "-09", "BT-117", Fatal, of + "the tax is what its rate makes of the taxable amount.", "Correct the tax.", each(c.rows(), is(c.taxIsRight))},
	}
	if c.code == "S" {
		all = append(all, Rule{
			"BR-S-02", "BT-151", Fatal, of + c.parties + ". (A line.)", "Give the numbers, or another category.",
			each(invoice, is(func(i *model.Invoice) bool {
				vat := len(c.subject(lineTaxes).of(i)) > 0
				return vat && c.identified(i) || len(c.within(lineTaxes).of(i)) == 0
			})),
		})
	}
	return all
}

func (c category) brokenDownInUBL(i *model.Invoice) bool {
	isOf := func(anyTax bool) func(t model.Term) bool {
		return func(t model.Term) bool { return trimmed(t.At("ID")) == c.code && (anyTax || schemeIsVAT(t)) }
	}
	anyTax := c.code == "S"
	rows := keep(below(i.Document, "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory"), isOf(anyTax))
	classified := keep(i.Written["cac:ClassifiedTaxCategory"], isOf(anyTax))
	categories := keep(i.Written["cac:TaxCategory"], isOf(anyTax))
	if !c.taxed {
		return len(rows) == 1 || len(classified)+len(categories) == 0
	}
	adjusted := keep(categories, func(t model.Term) bool { return t.Parent().QName() == "cac:AllowanceCharge" })
	if len(classified)+len(adjusted) == 0 {
		return len(rows) == 0
	}
	return slices.ContainsFunc(below(i.Document, "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory"), isOf(c.code != "M"))
}

// baseAddsUpInUBL compares, where tax is due, by rate and within less than 1, otherwise exactly.
func (c category) baseAddsUpInUBL(i *model.Invoice, broken func(model.Term, string)) {
	key := func(t model.Tax) (useKey, bool) { return c.key(t), t.Category.Text() == c.code }
	uses := usesOf(i.Lines, adjusted{charges: i.Charges, allowances: i.Allowances}, key)
	for _, a := range slices.Concat(i.LineAllowances, i.LineCharges) {
		uses.at(key(a.Tax)) // they use a rate, but are part of their line
	}
	for _, row := range c.rows().of(i) {
		if c.taxed && row.Rate == nil {
			continue
		}
		_, used := uses[c.key(row)]
		u := uses.of(c.key(row))
		base := u.lines.plus(u.charges).minus(u.allowances)
		switch {
		case !c.taxed && number(row.Base).equals(base):
		case c.taxed && number(row.Base).near(base) && (used || c.code != "S"):
		default:
			broken(row.Node, "found "+quoted(row.Base)+", calculated "+base.String())
		}
	}
}

// onlyOutsideInUBL is like onlyOutside, for one kind and for VAT alone. A missing category counts as another one.
func onlyOutsideInUBL(id, term string, rows, kind scope[model.Tax]) Rule {
	r := onlyOutside(id, term, rows)
	r.find = eachOr(rows, func(i *model.Invoice) bool {
		return !slices.ContainsFunc(kind.of(i), func(t model.Tax) bool { return isVAT(t) && t.Category.Text() != "O" })
	})
	return r
}

// hasCategory reports whether one of some elements names a category.
func hasCategory(code string, groups ...[]model.Term) bool {
	return slices.ContainsFunc(slices.Concat(groups...), func(t model.Term) bool { return t.At("ID").Text() == code })
}
