package blocks

import (
	"strings"

	"platen.dev/einvoice"
)

// lineItems is the block line-items. The texts are the headings of its columns.
type lineItems struct {
	Description, Quantity, Price, VAT, Amount string
	ShowVAT                                   bool
	Rows                                      []lineItem
}

// lineItem is a row of the table. Indent is the level of a sub-line, 0 at the top.
type lineItem struct {
	ID, Name                     string
	Details                      []string
	Quantity, Price, VAT, Amount string
	Indent                       int
}

// maxIndent bounds the indentation of sub-lines.
const maxIndent = 5

func (p *presenter) lineItems(b Block) *lineItems {
	all := p.invoice.Lines()
	if len(all) == 0 {
		return nil
	}
	items := &lineItems{
		Description: p.expand(b.label("description")), Quantity: p.expand(b.label("qty")), Price: p.expand(b.label("unit_price")),
		VAT: p.expand(b.label("vat")), Amount: p.expand(b.label("amount")), ShowVAT: b.ShowVATColumn == nil || *b.ShowVATColumn,
	}
	indents := map[string]int{}
	for _, line := range all {
		row := p.lineItem(line, items.ShowVAT)
		if parent := p.text(line.ParentID()); parent != "" {
			row.Indent = min(indents[parent]+1, maxIndent)
		}
		indents[row.ID] = row.Indent
		items.Rows = append(items.Rows, row)
	}
	return items
}

func (p *presenter) lineItem(line einvoice.Line, showVAT bool) lineItem {
	row := lineItem{
		ID: p.text(line.ID()), Name: p.text(line.Name()), Quantity: p.quantity(line.Quantity()),
		Price: p.price(line.NetPrice()), Amount: p.amount(line.Total()),
	}
	if showVAT {
		row.VAT = p.vatRate(line.Tax())
	}
	for _, detail := range p.lineDetails(line) {
		if detail != "" {
			row.Details = append(row.Details, detail)
		}
	}
	return row
}

// vatRate is the rate of a tax or, if there is none, its category.
func (p *presenter) vatRate(t einvoice.Tax) string {
	if t.Rate() != nil {
		return p.percent(t.Rate())
	}
	return p.text(t.Category())
}

// price formats a price, with its basis quantity unless that is 1.
func (p *presenter) price(price einvoice.Price) string {
	basis := ""
	if n := price.Basis(); n != nil && p.locale.number(n.Text(), 0) != "1" {
		basis = "/ " + p.quantity(n)
	}
	return joinNonEmpty(" ", p.amount(price.Amount()), basis)
}

// lineDetails are the texts shown below the name of a line.
func (p *presenter) lineDetails(line einvoice.Line) []string {
	details := []string{p.text(line.Description()), p.joinTexts(", ", line.ProductIDs()...)}
	for _, c := range line.Characteristics() {
		details = append(details, joinNonEmpty(": ", p.text(c.Description()), joinNonEmpty(" ", p.text(c.Value()), p.quantity(c.Measure()))))
	}
	if period := p.period(line.Period()); period != "" {
		details = append(details, "Period: "+period)
	}
	if gross := line.GrossPrice(); gross.Node != nil {
		details = append(details, "Gross price: "+p.price(gross))
	}
	for _, a := range append(line.GrossPrice().AllowanceCharges(), line.AllowanceCharges()...) {
		details = append(details, p.allowanceCharge(a))
	}
	for _, n := range line.Notes() {
		details = append(details, p.text(n.Content()))
	}
	return details
}

// allowanceCharge formats an allowance or charge in one line.
func (p *presenter) allowanceCharge(a einvoice.AllowanceCharge) string {
	kind, sign := kindAndSign(a)
	percentage := joinNonEmpty(" of ", p.percent(a.Percent()), p.amount(a.Basis()))
	return strings.TrimSpace(joinNonEmpty(": ", joinNonEmpty(" ", kind, p.text(a.Reason())), joinNonEmpty(" = ", percentage, sign+p.amount(a.Amount()))))
}

// kindAndSign are the name of an allowance or charge and the sign of its amount.
func kindAndSign(a einvoice.AllowanceCharge) (kind, sign string) {
	if a.IsCharge() {
		return "Charge", "+"
	}
	return "Allowance", "−"
}
