package match

import (
	"strings"
	"time"

	"platen.dev/einvoice"
	"platen.dev/einvoice/model"
)

// kind is the kind of a term. It tells which place of a page is for the term.
type kind string

// The kinds of terms that have a place on pages. Other terms have no kind.
const (
	lineSum    kind = "lines"
	allowance  kind = "allowance"
	charge     kind = "charge"
	allowances kind = "allowances"
	charges    kind = "charges"
	net        kind = "net"
	tax        kind = "tax"
	gross      kind = "gross"
	paid       kind = "paid"
	rounding   kind = "rounding"
	due        kind = "due"
	vatBase    kind = "base"
	vatAmount  kind = "vat"
	vatRate    kind = "rate"
	price      kind = "price"
	quantity   kind = "quantity"
	lineTotal  kind = "total"
	issueDate  kind = "issued"
	dueDate    kind = "due date"
	delivery   kind = "delivered"
	period     kind = "period"
	number     kind = "number"
	iban       kind = "iban"
	vatID      kind = "vat id"
	itemName   kind = "item"
)

// term is a value of the invoice that is looked for.
type term struct {
	number, name string
	kind         kind
	node         model.Term
	line         int // of the invoice, from 1; 0 for the document
	// One of these is the value.
	amount string    // canonical, without sign
	rate   bool      // the amount is a percentage
	date   time.Time // a day
	month  bool      // the date is only a month
	text   string    // folded
	found  bool
}

// collector collects terms.
type collector struct {
	all  []term
	line int
}

// amount adds a number, unless it is zero. One that is longer than any on a page is looked for as a text.
func (c *collector) amount(number, name string, k kind, node model.Term) {
	value, ok := canonical(node.Text())
	switch {
	case !ok || value == "0":
		return
	case len(value) > maxDigits:
		c.text(number, name, "", node)
		return
	}
	c.all = append(c.all, term{number: number, name: name, kind: k, node: node, line: c.line, amount: value, rate: k == vatRate})
}

// text adds a text, unless it is not legible on a page.
func (c *collector) text(number, name string, k kind, node model.Term) {
	if folded := fold(node.Text()); folded != "" && legible(node.Text()) {
		c.all = append(c.all, term{number: number, name: name, kind: k, node: node, line: c.line, text: folded})
	}
}

func (c *collector) date(number, name string, k kind, node model.Term) {
	if day, ok := (einvoice.Date{Node: node}).Time(); ok {
		c.all = append(c.all, term{
			number: number, name: name, kind: k, node: node, line: c.line, date: day.Truncate(24 * time.Hour),
			month: strings.TrimSpace(node.Attribute("format")) == "610",
		})
		return
	}
	c.text(number, name, k, node) // not a day, but present
}

// termsOf returns the terms to search for, in the order of reporting.
func termsOf(i *model.Invoice) []term {
	c := &collector{}
	c.text("BT-1", "Invoice number", number, i.Number)
	c.date("BT-2", "Issue date", issueDate, i.IssueDate)
	for _, t := range i.PaymentTerms {
		c.date("BT-9", "Due date", dueDate, t.DueDate)
	}
	c.text("BT-10", "Buyer reference", "", i.BuyerReference)
	c.text("BT-12", "Contract reference", "", i.Contract)
	c.text("BT-13", "Purchase order reference", "", i.BuyerOrder)
	for _, p := range i.PreviousInvoices {
		c.text("BT-25", "Preceding invoice reference", "", p.Number)
		c.date("BT-26", "Preceding invoice date", "", p.Date)
	}
	c.date("BT-72", "Delivery date", delivery, i.DeliveryDate)
	c.date("BT-73", "Start of the period", period, i.Period.Start)
	c.date("BT-74", "End of the period", period, i.Period.End)
	c.party("BT-27", "Seller name", "BT-31", "Seller VAT identifier", i.Seller)
	for _, id := range i.Seller.TaxNumbers {
		c.text("BT-32", "Seller tax number", "", id)
	}
	c.party("BT-44", "Buyer name", "BT-48", "Buyer VAT identifier", i.Buyer)
	c.party("BT-59", "Payee name", "", "", i.Payee)
	c.party("BT-62", "Tax representative name", "BT-63", "Tax representative VAT identifier", i.TaxRepresentative)
	for _, p := range i.Payments {
		c.text("BT-84", "IBAN", iban, p.IBAN)
		c.text("BT-84", "Account", "", p.AccountID)
	}
	c.adjustments(i)
	c.totals(i)
	for n, l := range i.Lines {
		c.line = n + 1
		c.invoiceLine(l)
	}
	return c.all
}

func (c *collector) party(number, name, idNumber, idName string, p model.Party) {
	c.text(number, name, "", p.Name)
	if idNumber == "" {
		return
	}
	for _, id := range p.VATIDs {
		c.text(idNumber, idName, vatID, id)
	}
}

func (c *collector) adjustments(i *model.Invoice) {
	for _, a := range i.Allowances {
		c.amount("BT-92", "Allowance amount", allowance, a.Amount)
	}
	for _, a := range append(append([]model.Adjustment{}, i.Charges...), i.Logistics...) {
		c.amount("BT-99", "Charge amount", charge, a.Amount)
	}
}

func (c *collector) totals(i *model.Invoice) {
	t := i.Totals
	c.amount("BT-106", "Sum of lines", lineSum, t.Lines)
	c.amount("BT-107", "Sum of allowances", allowances, t.Allowances)
	c.amount("BT-108", "Sum of charges", charges, t.Charges)
	c.amount("BT-109", "Total without VAT", net, t.WithoutTax)
	for n, amount := range t.Tax {
		c.amount([]string{"BT-110", "BT-111"}[min(n, 1)], "Total VAT", tax, amount)
	}
	c.amount("BT-112", "Total with VAT", gross, t.WithTax)
	c.amount("BT-113", "Paid amount", paid, t.Paid)
	c.amount("BT-114", "Rounding amount", rounding, t.Rounding)
	c.amount("BT-115", "Amount due", due, t.Due)
	for _, x := range i.Taxes {
		c.amount("BT-116", "VAT taxable amount", vatBase, x.Base)
		c.amount("BT-117", "VAT amount", vatAmount, x.Amount)
		c.amount("BT-119", "VAT rate", vatRate, x.Rate)
	}
}

func (c *collector) invoiceLine(l model.Line) {
	c.text("BT-153", "Item name", itemName, l.Name)
	c.amount("BT-129", "Quantity", quantity, l.Quantity)
	c.amount("BT-146", "Net price", price, l.NetPrice)
	for _, a := range l.Allowances {
		c.amount("BT-136", "Line allowance amount", allowance, a.Amount)
	}
	for _, a := range l.Charges {
		c.amount("BT-141", "Line charge amount", charge, a.Amount)
	}
	for _, x := range l.Taxes {
		c.amount("BT-152", "Item VAT rate", vatRate, x.Rate)
	}
	c.amount("BT-131", "Line total", lineTotal, l.Total)
	c.date("BT-134", "Start of the line's period", period, l.Period.Start)
	c.date("BT-135", "End of the line's period", period, l.Period.End)
}
