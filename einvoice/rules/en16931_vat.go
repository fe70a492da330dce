package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// category is a kind of VAT, and its requirements on an invoice.
type category struct {
	code, id, name string
	// identified: the parties are identified as the category demands.
	identified func(*model.Invoice) bool
	parties    string
	// rate reports whether the category allows a rate.
	rate  func(model.Tax) bool
	rates string
	// taxed is set if tax is due, so that there is a row per rate and no reason for exemption.
	taxed bool
	// explained is set if a row must give the reason why no tax is due.
	explained bool
	// anyTax is set if the rules cover everything with the category, regardless of the kind of tax, as in Factur-X.
	anyTax bool
}

var categories = []category{
	{"S", "S", "the standard rate", sellerHasTaxNumber, sellerNumber, rateAbove, "above 0", true, false, false},
	{"Z", "Z", "the zero rate", sellerHasTaxNumber, sellerNumber, rateZero, "0", false, false, false},
	{"E", "E", "an exemption", sellerHasTaxNumber, sellerNumber, rateZero, "0", false, true, false},
	{"AE", "AE", "reverse charge", reverseCharged, "The seller is identified by a VAT identifier or tax number, and the buyer by a VAT identifier or register number", rateZero, "0", false, true, false},
	{"K", "IC", "an intra-Community supply", intraCommunity, "Seller (or tax representative) and buyer have VAT identifiers", rateZero, "0", false, true, false},
	{"G", "G", "an export", sellerHasVATID, "The seller or the tax representative has a VAT identifier", rateZero, "0", false, true, false},
	{"O", "O", "no VAT", noVATIDs, "Neither seller, tax representative nor buyer has a VAT identifier", rateAbsent, "left out", false, true, false},
	{"L", "AF", "IGIC", sellerHasTaxNumber, sellerNumber, rateAbove, "above 0", true, false, false},
	{"M", "AG", "IPSI", sellerHasTaxNumber, sellerNumber, rateNotNegative, "0 or more", true, false, false},
}

const sellerNumber = "The seller has a VAT identifier or tax number, or the tax representative a VAT identifier"

func sellerHasTaxNumber(i *model.Invoice) bool {
	return sellerHasVATID(i) || len(i.Seller.TaxNumbers) > 0
}

func sellerHasVATID(i *model.Invoice) bool {
	return len(i.Seller.VATIDs) > 0 || len(i.TaxRepresentative.VATIDs) > 0
}
func intraCommunity(i *model.Invoice) bool { return sellerHasVATID(i) && len(i.Buyer.VATIDs) > 0 }
func reverseCharged(i *model.Invoice) bool {
	return sellerHasTaxNumber(i) && (len(i.Buyer.VATIDs) > 0 || i.Buyer.LegalID != nil)
}
func noVATIDs(i *model.Invoice) bool { return !sellerHasVATID(i) && len(i.Buyer.VATIDs) == 0 }

func rateAbove(t model.Tax) bool       { return number(t.Rate).above(zero) }
func rateZero(t model.Tax) bool        { return number(t.Rate).equals(zero) }
func rateNotNegative(t model.Tax) bool { return number(t.Rate).atLeast(zero) }
func rateAbsent(t model.Tax) bool      { return t.Rate == nil }

// categoryRules returns the rules of all categories.
func categoryRules(anyTax bool) []Rule {
	var all []Rule
	for _, c := range categories {
		c.anyTax = anyTax
		all = append(all, c.rules()...)
	}
	rows := func(code string) scope[model.Tax] { return category{code: code, anyTax: anyTax}.rows() }
	return append(all,
		Rule{
			"BR-IC-11", "BT-72", Fatal, "An intra-Community supply has a delivery date or an invoicing period.", "Give one of the two.",
			each(rows("K"), func(i *model.Invoice, _ model.Tax) bool { return i.DeliveryDate != nil || hasBound(i.Period) }),
		},
		Rule{
			"BR-IC-12", "BT-80", Fatal, "An intra-Community supply says to which country it goes.", "Give the country of delivery.",
			each(rows("K"), func(i *model.Invoice, _ model.Tax) bool { return i.ShipTo.Address.Country != nil }),
		},
		onlyOutside("BR-O-11", "BG-23", rows("O"), taxes, lineTaxes), onlyOutside("BR-O-12", "BG-25", rows("O"), taxes, lineTaxes),
		onlyOutside("BR-O-13", "BG-20", rows("O"), allowanceTaxes, chargeTaxes), onlyOutside("BR-O-14", "BG-21", rows("O"), allowanceTaxes, chargeTaxes),
		Rule{
			"BR-B-01", "BT-151", Fatal, "Split payment (category B) is for Italy alone.", "Use another category unless all parties are in Italy.",
			each(invoice, is(func(i *model.Invoice) bool {
				return !uses(i, "B") || !slices.ContainsFunc(partiesOf(i), func(p model.Party) bool { return p.Address.Country != nil && p.Address.Country.Text() != "IT" })
			})),
		},
		Rule{
			"BR-B-02", "BT-151", Fatal, "Split payment (category B) and the standard rate (S) are not in one invoice.", "Make two invoices.",
			each(invoice, is(func(i *model.Invoice) bool { return !uses(i, "B") || !uses(i, "S") })),
		},
	)
}

// rules returns the ten rules of the category.
func (c category) rules() []Rule {
	of := "With " + c.name + " (category " + c.code + "): "
	parties := c.parties + "."
	rate := of + "the rate is " + c.rates + "."
	in := func(s scope[model.Tax]) scope[model.Tax] { return c.subject(s) }
	identified := func(i *model.Invoice, _ model.Tax) bool { return c.identified(i) }
	fixRate := "Give such a rate, or another category."
	all := []Rule{
		{"BR-" + c.id + "-01", "BG-23", Fatal, of + "the VAT breakdown has the rows that lines, allowances and charges need.", "Add the missing row, or merge rows.", each(invoice, is(c.brokenDown))},
		{"BR-" + c.id + "-02", "BT-151", Fatal, of + parties + " (A line.)", "Give the numbers, or another category.", each(in(lineTaxes), identified)},
		{"BR-" + c.id + "-03", "BT-95", Fatal, of + parties + " (An allowance.)", "Give the numbers, or another category.", each(in(allowanceTaxes), identified)},
		{"BR-" + c.id + "-04", "BT-102", Fatal, of + parties + " (A charge.)", "Give the numbers, or another category.", each(in(chargeTaxes), identified)},
		{"BR-" + c.id + "-05", "BT-152", Fatal, rate, fixRate, each(in(lineTaxes), is(c.rate))},
		{"BR-" + c.id + "-06", "BT-96", Fatal, rate, fixRate, each(in(allowanceTaxes), is(c.rate))},
		{"BR-" + c.id + "-07", "BT-103", Fatal, rate, fixRate, each(in(chargeTaxes), is(c.rate))},
	}
	if c.id != "AF" && c.id != "AG" { // the official rules do not calculate these
		all = append(all,
			Rule{"BR-" + c.id + "-08", "BT-116", Fatal, of + "the taxable amount is that of its lines, less allowances, plus charges.", "Correct the taxable amount.", c.baseAddsUp},
			Rule{"BR-" + c.id + "-09", "BT-117", Fatal, of + "the tax is what its rate makes of the taxable amount.", "Correct the tax.", each(c.rated(), is(c.taxIsRight))})
	}
	return append(all, c.reason(of))
}

func (c category) reason(of string) Rule {
	r := Rule{
		ID: "BR-" + c.id + "-10", Term: "BT-120", Demand: of + "no reason for an exemption is given.", Fix: "Leave the reason out.",
		find: each(c.rows(), is(func(t model.Tax) bool { return t.Reason == nil && t.ReasonCode == nil })),
	}
	if c.explained {
		r.Demand, r.Fix = of+"the reason why no tax is due is given.", "Give the reason as text or as a VATEX code."
		r.find = each(c.rows(), is(func(t model.Tax) bool { return t.Reason != nil || t.ReasonCode != nil }))
	}
	return r
}

// rows are the rows of the VAT breakdown of a category.
func (c category) rows() scope[model.Tax] { return c.subject(taxes) }

// subject returns the taxes of a category to which the rules apply.
func (c category) subject(s scope[model.Tax]) scope[model.Tax] {
	if c.anyTax {
		return c.within(s)
	}
	return scope[model.Tax]{
		func(i *model.Invoice) []model.Tax { return keep(c.within(s).of(i), isVAT) }, s.at,
	}
}

// rated returns the rows whose tax is calculated: for S and Z, the official rules include any kind of tax.
func (c category) rated() scope[model.Tax] {
	if c.code == "S" || c.code == "Z" {
		return c.within(taxes)
	}
	return c.subject(taxes)
}

// has reports whether a tax is of the category. The official rules for CII take white space around the code for a part of it; those for UBL do not, and
// its terms are read without.
func (c category) has(t model.Tax) bool { return t.Category.Text() == c.code && !t.Category.Padded() }

// within returns the taxes of a category, of any kind of tax.
func (c category) within(s scope[model.Tax]) scope[model.Tax] {
	return scope[model.Tax]{
		func(i *model.Invoice) []model.Tax {
			return keep(s.of(i), c.has)
		}, s.at,
	}
}

// brokenDown counts as the official rules do: where tax is due, they only want two uses if there is one.
func (c category) brokenDown(i *model.Invoice) bool {
	rows, lines := len(c.within(taxes).of(i)), len(c.within(lineTaxes).of(i))
	adjustments := len(c.within(allowanceTaxes).of(i)) + len(c.within(chargeTaxes).of(i))
	switch {
	case c.taxed:
		return (lines == 0 || lines+rows >= 2) && (adjustments == 0 || adjustments+rows >= 2)
	case rows == 0 && c.code == "O":
		return true
	case rows == 0:
		return lines+adjustments == 0
	}
	return rows == 1 && lines+adjustments > 0
}

// baseAddsUp compares exactly where tax is due by rate and where no VAT applies, else within 1.
func (c category) baseAddsUp(i *model.Invoice, broken func(model.Term, string)) {
	rows := c.rows().of(i)
	if len(rows) == 0 {
		return
	}
	uses := usesOf(i.Lines, adjusted{charges: i.Charges, allowances: i.Allowances}, func(t model.Tax) (useKey, bool) {
		return c.key(t), c.has(t) && (!c.taxed || number(t.Rate).exists())
	})
	for _, row := range rows {
		if (!c.taxed || row.Rate != nil) && !c.isBase(number(row.Base), uses.of(c.key(row)).total()) {
			broken(row.Node, "")
		}
	}
}

func (c category) isBase(given, calculated decimal) bool {
	if c.taxed || c.code == "O" {
		return given.equals(calculated)
	}
	difference := given.minus(calculated)
	return difference.abs().below(one) || c.anyTax && difference.equals(one)
}

// key returns the key that tells the rows of a category apart: the rate, if tax is due.
func (c category) key(t model.Tax) (key useKey) {
	if c.taxed {
		key.rate = number(t.Rate).canonical()
	}
	return key
}

func (c category) taxIsRight(row model.Tax) bool {
	if !c.taxed {
		return number(row.Amount).equals(zero)
	}
	product := number(row.Base).abs().times(number(row.Rate)).round(0)
	return number(row.Amount).abs().near(product.percent(one))
}

// onlyOutside demands that if the document is outside VAT, so is everything of some kinds.
func onlyOutside(id, term string, rows scope[model.Tax], kinds ...scope[model.Tax]) Rule {
	return Rule{
		id, term, Fatal, "An invoice with category O has no other category.", "Invoice what is outside VAT on its own.",
		eachOr(rows, func(i *model.Invoice) bool {
			return !slices.ContainsFunc(kinds, func(kind scope[model.Tax]) bool {
				return slices.ContainsFunc(kind.of(i), func(t model.Tax) bool { return t.Category != nil && t.Category.Text() != "O" })
			})
		}),
	}
}

// uses reports whether anything of some kinds, by default of all, has a category.
func uses(i *model.Invoice, code string, kinds ...scope[model.Tax]) bool {
	if len(kinds) == 0 {
		kinds = []scope[model.Tax]{taxes, lineTaxes, allowanceTaxes, chargeTaxes}
	}
	return slices.ContainsFunc(kinds, func(kind scope[model.Tax]) bool { return len(category{code: code}.within(kind).of(i)) > 0 })
}

func isVAT(t model.Tax) bool             { return strings.EqualFold(t.Type.Text(), "VAT") && !t.Type.Padded() }
func isVATWithCategory(t model.Tax) bool { return isVAT(t) && t.Category != nil }
