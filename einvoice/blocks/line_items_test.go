package blocks

import (
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"
	samples "platen.dev/einvoice/sample"
)

// adjusted returns an invoice with an allowance or charge on the document and the same on its first line.
func adjusted(t *testing.T, charge, percent, basis, amount string) *einvoice.Invoice {
	t.Helper()
	adjustment := "<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>" + charge + "</udt:Indicator></ram:ChargeIndicator>" +
		percent + basis + "<ram:ActualAmount>" + amount + "</ram:ActualAmount>"
	const end, category = "</ram:SpecifiedTradeAllowanceCharge>", "<ram:CategoryTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode></ram:CategoryTradeTax>"
	const total = "<ram:SpecifiedTradeSettlementLineMonetarySummation>"
	xml := strings.Replace(string(samples.XML("basic")), total, adjustment+end+total, 1)
	xml = strings.Replace(xml, "<ram:SpecifiedTradePaymentTerms>", adjustment+category+end+"<ram:SpecifiedTradePaymentTerms>", 1)
	i, err := einvoice.Parse([]byte(xml), "basic")
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// An allowance or charge has one sign: that of its effect on the total. Only a percentage makes an equation with the amount that it is of.
func TestAllowancesAndCharges(t *testing.T) {
	percent, basis := "<ram:CalculationPercent>10.00</ram:CalculationPercent>", "<ram:BasisAmount>100.00</ram:BasisAmount>"
	for _, c := range []struct{ charge, percent, basis, amount, line, label, value string }{
		{"false", percent, basis, "10.00", "Allowance: 10\u00a0% of 100.00 = −10.00", "Allowance: 10\u00a0% of 100.00, S", "−10.00\u00a0EUR"},
		{"true", "", "", "10.00", "Charge: +10.00", "Charge: S", "+10.00\u00a0EUR"},
		{"false", "", basis, "10.00", "Allowance: −10.00 (Base amount 100.00)", "Allowance: Base amount 100.00, S", "−10.00\u00a0EUR"},
		{"false", "", "", "-10.00", "Allowance: +10.00", "Allowance: S", "+10.00\u00a0EUR"},
		{"true", "", "", "-10.00", "Charge: −10.00", "Charge: S", "−10.00\u00a0EUR"},
		{"false", "", "", "0.00", "Allowance: 0.00", "Allowance: S", "0.00\u00a0EUR"},
		{"true", "", "", "-0.00", "Charge: 0.00", "Charge: S", "0.00\u00a0EUR"},
	} {
		p := newPresenterOn(adjusted(t, c.charge, c.percent, c.basis, c.amount), Default())
		if got := p.lineItems(Block{}).Rows[0].Details; !slices.Contains(got, c.line) {
			t.Errorf("the line has %q, want %q", got, c.line)
		}
		if got := p.amountsDue(Block{Type: AmountsDue}).Rows; !slices.Contains(got, field{c.label, c.value}) {
			t.Errorf("the totals have %q, want %q: %q", got, c.label, c.value)
		}
	}
}
