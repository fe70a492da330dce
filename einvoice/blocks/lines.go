package blocks

import (
	"strings"

	"platen.dev/einvoice"
)

// lines is the line-items block.
type lines struct {
	Description, Quantity, Price, VAT, Amount string
	ShowVAT                                   bool
	Rows                                      []line
}

// line is a row of the table. Depth tells how deep a part of another it is.
type line struct {
	ID, Name                     string
	Details                      []string
	Quantity, Price, VAT, Amount string
	Depth                        int
}

func (s *sheet) lines(b Block) *lines {
	all := s.invoice.Lines()
	if len(all) == 0 {
		return nil
	}
	l := &lines{
		Description: s.fill(b.label("description")), Quantity: s.fill(b.label("qty")), Price: s.fill(b.label("unit_price")),
		VAT: s.fill(b.label("vat")), Amount: s.fill(b.label("amount")), ShowVAT: b.ShowVATColumn == nil || *b.ShowVATColumn,
	}
	depths := map[string]int{}
	for _, item := range all {
		row := s.line(item, l.ShowVAT)
		if parent := s.text(item.ParentID()); parent != "" {
			row.Depth = min(depths[parent]+1, maxDepth)
		}
		depths[row.ID] = row.Depth
		l.Rows = append(l.Rows, row)
	}
	return l
}

// maxDepth is how far parts of parts are moved in.
const maxDepth = 5

func (s *sheet) line(item einvoice.Line, vat bool) line {
	row := line{
		ID: s.text(item.ID()), Name: s.text(item.Name()), Quantity: s.quantity(item.Quantity()),
		Price: s.price(item.NetPrice()), Amount: s.amount(item.Total()),
	}
	if vat {
		row.VAT = s.rateOf(item.Tax())
	}
	for _, detail := range s.details(item) {
		if detail != "" {
			row.Details = append(row.Details, detail)
		}
	}
	return row
}

// rateOf shows the rate of a tax, and where there is none its category.
func (s *sheet) rateOf(t einvoice.Tax) string {
	if t.Rate() != nil {
		return s.percent(t.Rate())
	}
	return s.text(t.Category())
}

// price shows a price, and for how much it is if that is not one.
func (s *sheet) price(p einvoice.Price) string {
	basis := ""
	if n := p.Basis(); n != nil && s.locale.number(n.Text(), 0) != "1" {
		basis = "/ " + s.quantity(n)
	}
	return joined(" ", s.amount(p.Amount()), basis)
}

// details stand below a line's name.
func (s *sheet) details(item einvoice.Line) []string {
	details := []string{s.text(item.Description()), s.texts(", ", item.ProductIDs()...)}
	for _, c := range item.Characteristics() {
		details = append(details, joined(": ", s.text(c.Description()), joined(" ", s.text(c.Value()), s.quantity(c.Measure()))))
	}
	if period := s.period(item.Period()); period != "" {
		details = append(details, "Period: "+period)
	}
	if gross := item.GrossPrice(); gross.Node != nil {
		details = append(details, "Gross price: "+s.price(gross))
	}
	for _, a := range append(item.GrossPrice().Allowances(), item.Allowances()...) {
		details = append(details, s.allowance(a))
	}
	for _, n := range item.Notes() {
		details = append(details, s.text(n.Content()))
	}
	return details
}

// kindOf names an allowance or charge, with the sign of its amount.
func kindOf(a einvoice.Allowance) (kind, sign string) {
	if a.IsCharge() {
		return "Charge", "+"
	}
	return "Allowance", "−"
}

// allowance shows an allowance or charge in one line.
func (s *sheet) allowance(a einvoice.Allowance) string {
	kind, sign := kindOf(a)
	of := joined(" of ", s.percent(a.Percent()), s.amount(a.Basis()))
	return strings.TrimSpace(joined(": ", joined(" ", kind, s.text(a.Reason())), joined(" = ", of, sign+s.amount(a.Amount()))))
}
