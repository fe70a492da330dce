package blocks

import (
	"strings"

	"platen.dev/einvoice"
)

// amountsDue is the block amounts-due.
type amountsDue struct {
	Rows  []field
	Total field
	Due   []field
	// Stacked is set if each value is below its label, because there is too little room beside it.
	Stacked bool
	// Width is the width of the table in millimetres, 0 for the full width.
	Width float64
}

func (p *presenter) amountsDue(b Block) *amountsDue {
	totals := p.totals()
	rows := []field{{p.Word("Sum of lines"), p.money(totals.LineTotal())}}
	for _, a := range p.invoice.AllowanceCharges() {
		rows = append(rows, p.allowanceChargeRow(a))
	}
	for _, l := range p.invoice.LogisticsCharges() {
		rows = append(rows, p.logisticsRow(l))
	}
	rows = append(rows,
		field{p.Word("Allowances"), p.money(totals.AllowanceTotal())}, field{p.Word("Charges"), p.money(totals.ChargeTotal())},
		field{p.label(b, "subtotal"), p.money(totals.TaxBasisTotal())},
	)
	for _, tax := range totals.TaxTotals() {
		rows = append(rows, field{p.taxLabel(b, tax), p.money(tax)})
	}
	return &amountsDue{
		Rows:  nonEmpty(rows...),
		Total: field{p.label(b, "total"), p.money(totals.GrandTotal())},
		Due:   nonEmpty(p.dueRows(totals)...),
	}
}

// taxLabel is the label of a total of VAT. That in the accounting currency has the exchange rate, if the invoice has one.
func (p *presenter) taxLabel(b Block, tax *einvoice.Node) string {
	if currency := strings.TrimSpace(tax.Attribute("currencyID")); currency == "" || currency == p.currency() {
		return p.label(b, "tax")
	}
	exchange, rate := p.invoice.TaxExchange(), ""
	if exchange.Rate() != nil {
		rate = p.Word("Exchange rate") + " " + p.number(exchange.Rate())
	}
	return joinNonEmpty(", ", p.Word("VAT in the accounting currency"), rate, p.date(exchange.Date()))
}

// dueRows lead from the total to the amount due.
func (p *presenter) dueRows(totals einvoice.Totals) []field {
	rows := []field{{p.Word("Paid already"), p.money(totals.Prepaid())}, {p.Word("Rounding"), p.money(totals.Rounding())}}
	for _, t := range p.invoice.ThirdPartyPayments() {
		rows = append(rows, field{joinNonEmpty(": ", p.Word("For a third party"), p.joinTexts(", ", t.Description(), t.Kind())), p.money(t.Amount())})
	}
	return append(rows, field{p.Word("Amount due"), p.money(totals.DuePayable())})
}

func (p *presenter) allowanceChargeRow(a einvoice.AllowanceCharge) field {
	details := joinNonEmpty(", ", p.text(a.Reason()), p.calculation(a), p.vatRate(a.Tax()))
	return field{joinNonEmpty(": ", p.kind(a), details), effect(a.Amount(), a.IsCharge(), p.money(a.Amount()))}
}

func (p *presenter) logisticsRow(l einvoice.LogisticsCharge) field {
	details := []string{p.text(l.Description())}
	for _, tax := range l.Taxes() {
		details = append(details, p.vatRate(tax))
	}
	return field{joinNonEmpty(": ", p.Word("Logistics service charge"), joinNonEmpty(", ", details...)), effect(l.Amount(), true, p.money(l.Amount()))}
}
