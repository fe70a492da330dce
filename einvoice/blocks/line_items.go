package blocks

import (
	"strings"

	"platen.dev/einvoice"
)

// lineItems is the block line-items. Description and the labels of the columns of numbers are the headings.
type lineItems struct {
	Description string
	Columns     []column
	// Stacked: the numbers of a line are below its description, because beside them there would be too little room for it.
	Stacked bool
	Rows    []lineItem
}

// column is a column of numbers. Width is how wide its label may be, in millimetres, before it is wrapped.
type column struct {
	Label string
	Width float64
}

// lineItem is a row of the table, with a number for each column. Indent is the level of a sub-line, 0 at the top. Kept: the row
// is not broken over pages.
type lineItem struct {
	ID, Name string
	Details  []string
	Numbers  []string
	Indent   int
	Kept     bool
}

const (
	// leastDescription is the minimum width of the description column beside number columns, in millimetres.
	leastDescription = 45
	// maxIndent bounds the indentation of sub-lines.
	maxIndent = 5
)

func (p *presenter) lineItems(b Block) *lineItems {
	all := p.invoice.Lines()
	if len(all) == 0 {
		return nil
	}
	showVAT := b.ShowVATColumn == nil || *b.ShowVATColumn
	items := &lineItems{Description: p.label(b, "description")}
	for _, name := range []string{"qty", "unit_price", "vat", "amount"} {
		if name != "vat" || showVAT {
			items.Columns = append(items.Columns, column{Label: p.label(b, name)})
		}
	}
	indents := map[string]int{}
	for _, line := range all {
		row := p.lineItem(line, showVAT)
		row.Indent = min(line.Nesting(), maxIndent)
		if parent := p.text(line.ParentID()); parent != "" {
			row.Indent = min(indents[parent]+1, maxIndent)
		}
		indents[row.ID] = row.Indent
		items.Rows = append(items.Rows, row)
	}
	items.layOut(p.sheet)
	return items
}

func (p *presenter) lineItem(line einvoice.Line, showVAT bool) lineItem {
	row := lineItem{ID: p.text(line.ID()), Name: p.text(line.Name()), Numbers: []string{p.quantity(line.Quantity()), p.price(line.NetPrice())}}
	if showVAT {
		row.Numbers = append(row.Numbers, p.vatRate(line.Tax()))
	}
	row.Numbers = append(row.Numbers, p.amount(line.Total()))
	for _, detail := range p.lineDetails(line) {
		if detail != "" {
			row.Details = append(row.Details, detail)
		}
	}
	return row
}

// layOut decides how the lines fit on the page: with whole words in the headings of numbers, else with broken ones, else with
// the numbers below the descriptions.
func (items *lineItems) layOut(s sheet) {
	rest := s.width - items.widthOfIDs(s)
	numbers := items.widthsOfNumbers()
	const longestWord = 38
	width := rest - items.setWidths(numbers, func(label string) float64 {
		return min(max(s.heading(), widestPiece(label, headingSize)), longestWord)
	})
	if width < leastDescription {
		width = rest - items.setWidths(numbers, func(string) float64 { return s.heading() })
	}
	if items.Stacked = width < leastDescription; items.Stacked {
		width = rest
	}
	for i := range items.Rows {
		items.Rows[i].Kept = s.keeps(items.Rows[i].height(width))
	}
}

// setWidths sets the widths of the labels and returns the total width of the number columns.
func (items *lineItems) setWidths(numbers []float64, width func(label string) float64) (all float64) {
	for i := range items.Columns {
		c := &items.Columns[i]
		c.Width = width(c.Label)
		all += cellPadding + max(numbers[i], min(c.Width, widthOf(c.Label, headingSize)))
	}
	return all
}

// widthOfIDs estimates the width of the first column, and of the white around the second.
func (items *lineItems) widthOfIDs(s sheet) float64 {
	id := 0.0
	for _, row := range items.Rows {
		id = max(id, min(widthOf(row.ID, bodySize), s.id()))
	}
	return id + 2*cellPadding
}

func (items *lineItems) widthsOfNumbers() []float64 {
	widths := make([]float64, len(items.Columns))
	for _, row := range items.Rows {
		for i, number := range row.Numbers {
			widths[i] = max(widths[i], widestPiece(number, bodySize))
		}
	}
	return widths
}

func (l lineItem) height(width float64) float64 {
	height := heightOf(l.Name, bodySize, width)
	for _, detail := range l.Details {
		height += heightOf(detail, detailSize, width)
	}
	return height
}

// Facts are the numbers of a line with their labels.
func (items *lineItems) Facts(row lineItem) (facts []field) {
	for i, c := range items.Columns {
		facts = append(facts, field{c.Label, row.Numbers[i]})
	}
	return nonEmpty(facts...)
}

// vatRate is the rate of a tax or, without one, its category: in words if there are any.
func (p *presenter) vatRate(t einvoice.Tax) string {
	if t.Rate() != nil {
		return p.percent(t.Rate())
	}
	if words := p.Word(vatCategories[t.Category().Text()]); words != "" {
		return p.reformat(t.Category(), words)
	}
	return p.text(t.Category())
}

// price formats a price, with its basis quantity unless that is 1.
func (p *presenter) price(price einvoice.Price) string {
	basis := ""
	switch n := price.Basis(); {
	case n == nil:
	case p.locale.number(n.Text(), 0) == "1":
		p.reformatted.add(p.fullTerm(n), withAttributes(p.text(n), n, ""))
	default:
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
	details = append(details, p.lineReferences(line))
	if period := p.period(line.Period()); period != "" {
		details = append(details, p.Word("Period")+": "+period)
	}
	if gross := line.GrossPrice(); gross.Node != nil {
		details = append(details, p.Word("Gross price")+": "+p.price(gross))
	}
	for _, a := range append(line.GrossPrice().AllowanceCharges(), line.AllowanceCharges()...) {
		details = append(details, p.allowanceCharge(a))
	}
	for _, n := range line.Notes() {
		details = append(details, p.text(n.Content()))
	}
	return details
}

// lineReferences returns the orders and deliveries of a line, for comparison with the reader's own papers.
func (p *presenter) lineReferences(line einvoice.Line) string {
	var all []string
	for _, r := range []struct {
		label string
		of    einvoice.Reference
	}{
		{p.Word("Order"), line.BuyerOrder()},
		{p.Word("Order confirmation"), line.SellerOrder()},
		{p.Word("Contract"), line.Contract()},
		{p.Word("Despatch advice"), line.DespatchAdvice()},
		{p.Word("Delivery note"), line.DeliveryNote()},
	} {
		number := joinNonEmpty(", ", joinNonEmpty(", "+p.Word("line")+" ", p.text(r.of.ID()), p.text(r.of.Line())), p.text(r.of.Name()), p.date(r.of.IssueDate()))
		if r.of.ID() == nil && r.of.Line() != nil {
			number = p.Word("line") + " " + number
		}
		if number != "" {
			all = append(all, r.label+" "+number)
		}
	}
	return strings.Join(all, " · ")
}

// allowanceCharge formats an allowance or charge in one line.
func (p *presenter) allowanceCharge(a einvoice.AllowanceCharge) string {
	amount, calculation := effect(a.Amount(), a.IsCharge(), p.amount(a.Amount())), p.calculation(a)
	if a.Percent() != nil {
		amount = joinNonEmpty(" = ", calculation, amount)
	} else {
		amount = joinNonEmpty(" ", amount, inParentheses(calculation))
	}
	return strings.TrimSpace(joinNonEmpty(": ", joinNonEmpty(" ", p.kind(a), p.text(a.Reason())), amount))
}

// kind is the name of an allowance or charge.
func (p *presenter) kind(a einvoice.AllowanceCharge) string {
	if a.IsCharge() {
		return p.reformat(a.Indicator(), p.Word("Charge"))
	}
	return p.reformat(a.Indicator(), p.Word("Allowance"))
}

// calculation is the percentage that makes an allowance or charge, of an amount. An amount without a percentage is named, as it makes nothing.
func (p *presenter) calculation(a einvoice.AllowanceCharge) string {
	basis := p.amount(a.Basis())
	if a.Percent() == nil && basis != "" {
		return p.Word("Base amount") + " " + basis
	}
	return joinNonEmpty(" "+p.Word("of")+" ", p.percent(a.Percent()), basis)
}

// effect gives the formatted amount of an allowance or charge the sign of what it does to the total, where it does anything: an
// allowance below zero adds to it.
func effect(n *einvoice.Node, charge bool, formatted string) string {
	amount, negative := strings.CutPrefix(formatted, "−")
	switch {
	case strings.Trim(n.Text(), "+-0. ") == "":
		return amount
	case negative == charge:
		return "−" + amount
	}
	return "+" + amount
}
