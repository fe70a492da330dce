package blocks

import (
	"slices"
	"strings"
	"testing"
)

// VAT in the accounting currency is not mistaken for the VAT of the invoice, and has the exchange rate if there is one.
func TestVATInTheAccountingCurrency(t *testing.T) {
	const total, means = `<ram:TaxTotalAmount currencyID="EUR">47.50</ram:TaxTotalAmount>`, "<ram:SpecifiedTradeSettlementPaymentMeans>"
	exchange := `<ram:TaxApplicableTradeCurrencyExchange><ram:SourceCurrencyCode>EUR</ram:SourceCurrencyCode>` +
		`<ram:TargetCurrencyCode>PLN</ram:TargetCurrencyCode><ram:ConversionRate>4.25000</ram:ConversionRate>` +
		`<ram:ConversionRateDateTime><udt:DateTimeString format="102">20260304</udt:DateTimeString></ram:ConversionRateDateTime></ram:TaxApplicableTradeCurrencyExchange>`
	for _, c := range []struct{ exchange, want string }{
		{"", "USt. in Buchungswährung"}, {exchange, "USt. in Buchungswährung, Wechselkurs 4,25, 04.03.2026"},
	} {
		i := invoice(t, "extended", total, total+`<ram:TaxTotalAmount currencyID="PLN">201.88</ram:TaxTotalAmount>`, means, c.exchange+means)
		rows := newPresenter(i, "de").amountsDue(Block{Type: AmountsDue, Labels: map[string]string{"tax": "MwSt."}}).Rows
		for _, want := range []field{{"MwSt.", "47,50\u00a0EUR"}, {c.want, "201,88\u00a0PLN"}} {
			if !slices.Contains(rows, want) {
				t.Errorf("the totals have %q, want %q", rows, want)
			}
		}
	}
}

// Charges for logistics are among the charges of the totals.
func TestLogisticsCharges(t *testing.T) {
	const terms = "<ram:SpecifiedTradePaymentTerms>"
	charge := func(amount string) string {
		return "<ram:SpecifiedLogisticsServiceCharge><ram:Description>Freight</ram:Description><ram:AppliedAmount>" + amount + "</ram:AppliedAmount>" +
			"<ram:AppliedTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode>" +
			"<ram:RateApplicablePercent>19.00</ram:RateApplicablePercent></ram:AppliedTradeTax></ram:SpecifiedLogisticsServiceCharge>"
	}
	rows := newPresenter(invoice(t, "extended", terms, charge("3.00")+charge("-1.00")+terms), "en").amountsDue(Block{Type: AmountsDue}).Rows
	for _, value := range []string{"+3.00\u00a0EUR", "−1.00\u00a0EUR"} {
		if want := (field{"Logistics service charge: Freight, 19\u00a0%", value}); !slices.Contains(rows, want) {
			t.Errorf("the totals have %q, want %q", rows, want)
		}
	}
}

// A test invoice says so beside its title, and asks for no payment.
func TestTestInvoice(t *testing.T) {
	for value, test := range map[string]bool{" true ": true, "1": true, "false": false} {
		html := withQR(invoice(t, "extended", "<udt:Indicator>true<", "<udt:Indicator>"+value+"<"))
		if marked := strings.Contains(html, `</h1><div class="test">Test invoice</div>`); marked != test {
			t.Errorf("%s: marked: %v", value, marked)
		}
		if asked := scanned(t, html) != ""; asked == test {
			t.Errorf("%s: asked for payment: %v", value, asked)
		}
	}
}
