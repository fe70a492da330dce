package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// frSharedRules are about invoices of several sellers in one (processes B8, S8, M8), whose lines are grouped by seller and invoice.
var frSharedRules = []Rule{
	shared("BR-FR-MV-01_EXT-FR-FE-163", "EXT-FR-FE-163", "The status of a line is not blank.", "Give DETAIL, GROUP or INFORMATION.", lines, func(_ *model.Invoice, l model.Line) bool {
		return l.Status == nil || model.Filled(l.Status)
	}),
	shared("BR-FR-MV-02_EXT-FR-FE-163", "EXT-FR-FE-163", "The lines of each seller are part of a line that groups them (GROUP).", "Add the line.", invoice, func(i *model.Invoice, _ *model.Invoice) bool {
		return len(sellerGroups.of(i)) > 0
	}),
	shared("BR-FR-MV-03_EXT-FR-FE-164", "EXT-FR-FE-164", "A group names its seller.", "Give the name.", sellerGroups,
		filled("SpecifiedLineTradeAgreement", "ItemSellerTradeParty", "Name")),
	shared("BR-FR-MV-03_EXT-FR-FE-167", "EXT-FR-FE-167", "A group has its seller's company number.", "Give the number.", sellerGroups, filled(lineSeller...)),
	shared("BR-FR-MV-03_EXT-FR-FE-177", "EXT-FR-FE-177", "A group has its seller's country.", "Give the country.", sellerGroups,
		filled("SpecifiedLineTradeAgreement", "ItemSellerTradeParty", "PostalTradeAddress", "CountryID")),
	shared("BR-FR-MV-03_EXT-FR-FE-181", "EXT-FR-FE-181", "A group has its total VAT in the invoice's currency.", "Give the amount.", sellerGroups, func(i *model.Invoice, l model.Line) bool {
		return model.Filled(groupTax(l, i.Currency))
	}),
	shared("BR-FR-MV-03_EXT-FR-FE-182", "EXT-FR-FE-182", "A group has its total VAT in the accounting currency, if there is one.", "Give the amount.", sellerGroups, func(i *model.Invoice, l model.Line) bool {
		return i.TaxCurrency == nil || i.TaxCurrency.Text() != "" && model.Filled(groupTax(l, i.TaxCurrency))
	}),
	shared("BR-FR-MV-03_BT-128_AFL", "BT-128", "A group's invoice (AFL) is a reference of type 130 with a number.", "Give both.", sellerGroups, func(_ *model.Invoice, l model.Line) bool {
		return len(keep(lineReferences(l, "AFL"), func(t model.Term) bool {
			return t.At("TypeCode").Text() != "130" || !model.Filled(t.At("IssuerAssignedID"))
		})) == 0
	}),
	shared("BR-FR-MV-03_BT-128_AVV", "BT-128", "A group's process (AVV) is a reference of type 130 other than B8, S8 and M8.", "Give both.", sellerGroups, func(_ *model.Invoice, l model.Line) bool {
		return len(keep(lineReferences(l, "AVV"), func(t model.Term) bool {
			id := t.At("IssuerAssignedID")
			return t.At("TypeCode").Text() != "130" || !model.Filled(id) || oneOf(id.Text(), "B8 S8 M8")
		})) == 0
	}),
	sharing("BR-FR-MV-05_EXT-FR-FE-BG-12", "BT-131", "The net amount of a group is the sum of its lines, give or take a cent for each.", "Correct the sum or the lines.", eachWith(sellerGroups, partsBy(model.Term.Text, func(part model.Line) bool {
		return part.Status != nil && part.Status.Text() != "INFORMATION" && part.Total != nil
	}), func(all parts, l model.Line) bool {
		of := all.at(trimmed(l.ID))
		return toleranceOf(of.n).atLeast(number(l.Total).minus(of.total).abs())
	})),
	sharing("BR-FR-MV-06_EXT-FR-FE-167", "EXT-FR-FE-167", "Each line has its seller's company number, that of the group it is part of.", "Correct the number.", sameAsParent(func(l model.Line) string {
		return trimmed(l.Node.At(lineSeller...))
	})),
	sharing("BR-FR-MV-07_BT-128", "BT-128", "Each line has the number of its invoice (AFL), that of the group it is part of.", "Correct the number.", sameAsParent(lineInvoice)),
	shared("BR-FR-MV-08_BT-128", "BT-120", "The reason for exemption of a line begins with the number of its invoice between #.", "Put the number first.", detailLines, func(_ *model.Invoice, l model.Line) bool {
		reason := l.Node.At("SpecifiedLineTradeSettlement", "ApplicableTradeTax", "ExemptionReason")
		return model.Filled(reason) && lineInvoice(l) != "" && strings.HasPrefix(reason.Text(), "#"+lineInvoice(l)+"#")
	}),
	sharing("BR-FR-MV-09_EXT-FR-FE-181", "EXT-FR-FE-181", "A group's total VAT is the sum of the rows of the VAT breakdown for its invoice, give or take a cent.", "Correct the total or the rows.", eachWith(sellerGroups, newInvoiceTaxes, func(taxes *invoiceTaxes, l model.Line) bool {
		return cent.atLeast(number(groupTax(l, taxes.currency)).minus(taxes.of(lineInvoice(l))).abs())
	})),
	sharing("BR-FR-MV-10_EXT-FR-FE-184", "EXT-FR-FE-184", "A group's amount with VAT is its net amount plus its VAT, give or take a cent for each line.", "Correct one of the three.", grossAddsUp),
	shared("BR-FR-MV-11_BT-128", "BT-128", "The group of the seller of the whole invoice has the number of the whole invoice.", "Correct the number.", sellerGroups, func(i *model.Invoice, l model.Line) bool {
		seller := l.Node.At(lineSeller...)
		if seller == nil || i.Seller.LegalID == nil || seller.Text() != i.Seller.LegalID.Text() {
			return true
		}
		return len(keep(invoiceReferences(l), func(t model.Term) bool { return t.At("IssuerAssignedID").Text() == i.Number.Text() })) > 0
	}),
	sharing("BR-FR-MV-12_BT-128", "BT-128", "No two groups have the same invoice.", "Correct the numbers.", eachWith(sellerGroups, firstDocuments, func(
		first map[string]model.Term, l model.Line,
	) bool {
		return !slices.ContainsFunc(invoiceReferences(l), func(t model.Term) bool {
			id := t.At("IssuerAssignedID")
			return id != nil && first[id.Text()] != id
		})
	})),
	shared("BR-FR-MV-13_BT-3", "BT-3", "An invoice of several sellers is none that the buyer issues.", "Correct the type.", invoice, func(i *model.Invoice, _ *model.Invoice) bool {
		return model.Filled(i.TypeCode) && !isSelfBilled(i)
	}),
}

var (
	lineSeller = []string{"SpecifiedLineTradeAgreement", "ItemSellerTradeParty", "SpecifiedLegalOrganization", "ID"}
	// sellerGroups are the lines that group the lines of a seller.
	sellerGroups = scope[model.Line]{
		func(i *model.Invoice) []model.Line {
			return keep(i.Lines, func(l model.Line) bool { return isGroup(l) && l.Parent == nil })
		}, lines.at,
	}
	detailLines = scope[model.Line]{
		func(i *model.Invoice) []model.Line {
			return keep(i.Lines, func(l model.Line) bool { return l.Status.Text() == "DETAIL" })
		}, lines.at,
	}
)

// shared is a fatal rule on invoices of several sellers.
func shared[T any](id, term, demand, fix string, s scope[T], keeps func(*model.Invoice, T) bool) Rule {
	return sharing(id, term, demand, fix, each(s, keeps))
}

// sharing is like shared, with a condition of its own.
func sharing(id, term, demand, fix string, find finder) Rule {
	return Rule{id, term, Fatal, demand, fix, find}.where("With several sellers (process B8, S8, M8)").onlyIf(func(i *model.Invoice) bool {
		return oneOf(i.Process.Text(), "B8 S8 M8")
	})
}

func filled(path ...string) func(*model.Invoice, model.Line) bool {
	return func(_ *model.Invoice, l model.Line) bool { return model.Filled(l.Node.At(path...)) }
}

func lineTotals(l model.Line) model.Term {
	return l.Node.At("SpecifiedLineTradeSettlement", "SpecifiedTradeSettlementLineMonetarySummation")
}

// groupTax is the total VAT of a line in a currency.
func groupTax(l model.Line, currency model.Term) model.Term {
	for _, t := range lineTotals(l).All("TaxTotalAmount") {
		if currency != nil && t.Attribute("currencyID") == currency.Text() {
			return t
		}
	}
	return nil
}

// lineReferences returns a line's references of a kind.
func lineReferences(l model.Line, kind string) []model.Term {
	return keep(l.Node.At("SpecifiedLineTradeSettlement").All("AdditionalReferencedDocument"), func(t model.Term) bool { return t.At("ReferenceTypeCode").Text() == kind })
}

// invoiceReferences returns a line's references to its invoice.
func invoiceReferences(l model.Line) []model.Term {
	return keep(lineReferences(l, "AFL"), func(t model.Term) bool { return t.At("TypeCode").Text() == "130" })
}

// lineInvoice is the number of a line's invoice, empty if it has none.
func lineInvoice(l model.Line) string {
	for _, t := range invoiceReferences(l) {
		return trimmed(t.At("IssuerAssignedID"))
	}
	return ""
}

// sameAsParent holds if a property of each line is present, and equal in its parent line.
func sameAsParent(of func(model.Line) string) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		own, first := make([]string, len(i.Lines)), map[string]string{}
		for n, l := range i.Lines {
			own[n] = of(l)
			if _, known := first[l.ID.Text()]; !known && l.ID != nil {
				first[l.ID.Text()] = own[n]
			}
		}
		for n, l := range i.Lines {
			if own[n] == "" || l.Parent != nil && first[l.Parent.Text()] != own[n] {
				broken(l.Node, "")
			}
		}
	}
}

// grossAddsUp holds if the amount with VAT of each group that has one is right.
func grossAddsUp(i *model.Invoice, broken func(model.Term, string)) {
	details := partsBy(model.Term.Text, func(part model.Line) bool { return part.Status.Text() == "DETAIL" })(i)
	for _, l := range sellerGroups.of(i) {
		gross, of := lineTotals(l).At("GrandTotalAmount"), details.at(l.ID.Text())
		if gross != nil && !toleranceOf(of.n).atLeast(number(gross).minus(number(l.Total)).minus(number(groupTax(l, i.Currency))).abs()) {
			broken(l.Node, "")
		}
	}
}

// invoiceTaxes are the rows of the VAT breakdown, in the order of their reasons: those for one invoice are side by side.
type invoiceTaxes struct {
	rows     []model.Tax
	known    map[string]decimal
	currency model.Term
}

func newInvoiceTaxes(i *model.Invoice) *invoiceTaxes {
	rows := keep(i.Taxes, func(t model.Tax) bool { return t.Type.Text() == "VAT" })
	slices.SortStableFunc(rows, func(a, b model.Tax) int { return strings.Compare(a.Reason.Text(), b.Reason.Text()) })
	return &invoiceTaxes{rows, map[string]decimal{}, i.Currency}
}

// of is the VAT of the rows whose reason begins with the number of an invoice.
func (t *invoiceTaxes) of(invoice string) decimal {
	if total, known := t.known[invoice]; known {
		return total
	}
	begin, total := "#"+invoice+"#", zero
	at, _ := slices.BinarySearchFunc(t.rows, begin, func(row model.Tax, begin string) int { return strings.Compare(row.Reason.Text(), begin) })
	for _, row := range t.rows[at:] {
		if !strings.HasPrefix(row.Reason.Text(), begin) {
			break
		}
		total = total.plus(optional(row.Amount))
	}
	t.known[invoice] = total
	return total
}

// firstDocuments are the first references to a document in the invoice, by the identifier.
func firstDocuments(i *model.Invoice) map[string]model.Term {
	first := map[string]model.Term{}
	for _, t := range called("IssuerAssignedID", "").of(i) {
		if first[t.Text()] == nil {
			first[t.Text()] = t
		}
	}
	return first
}
