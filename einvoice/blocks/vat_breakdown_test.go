package blocks

import (
	"strings"
	"testing"

	"platen.dev/einvoice"
	samples "platen.dev/einvoice/sample"
)

// A category other than the standard rate is explained: in the words of the invoice or, if it has none, in ours.
func TestVATCategories(t *testing.T) {
	const end = "<ram:RateApplicablePercent>0</ram:RateApplicablePercent>\n      </ram:ApplicableTradeTax>"
	const rate, text = "<ram:RateApplicablePercent>20.00</ram:RateApplicablePercent>", "<ram:ExemptionReason>Own words</ram:ExemptionReason>"
	const code = "<ram:ExemptionReasonCode>VATEX-EU-AE</ram:ExemptionReasonCode>"
	for _, c := range []struct {
		locale, category, text, code, rate string
		want                               [2]string
	}{
		{"de", "S", "", "", rate, [2]string{"USt.", ""}},
		{"de", "S", "", "", "", [2]string{"USt. S", ""}},
		{"de", "AE", "", code, rate, [2]string{"USt. AE", "Steuerschuldnerschaft des Leistungsempfängers (VATEX-EU-AE)"}},
		{"de", "AE", text, code, rate, [2]string{"USt. AE", "Own words (VATEX-EU-AE)"}},
		{"fr", "AE", "", "", rate, [2]string{"TVA AE", "Autoliquidation"}},
		{"en", "O", "", "", "", [2]string{"VAT O", "Not subject to VAT"}},
		{"en", "?", "", code, rate, [2]string{"VAT ?", "(VATEX-EU-AE)"}},
	} {
		tax := "<ram:ApplicableTradeTax><ram:CalculatedAmount>0.00</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode>" + c.text +
			"<ram:BasisAmount>1.00</ram:BasisAmount><ram:CategoryCode>" + c.category + "</ram:CategoryCode>" + c.code + c.rate + "</ram:ApplicableTradeTax>"
		xml := strings.Replace(string(samples.XML("basic")), end, end+tax, 1)
		i, err := einvoice.Parse([]byte(xml), "basic")
		if err != nil {
			t.Fatal(err)
		}
		rows := newPresenter(i, c.locale).vatBreakdown(Block{Type: VATBreakdown}).Rows
		if row := rows[len(rows)-1]; [2]string{row.Category, row.Reason} != c.want {
			t.Errorf("%s in %s: %q, %q, want %q", c.category, c.locale, row.Category, row.Reason, c.want)
		}
	}
}

// A line of a category without a rate says what it is.
func TestLineWithoutVATRate(t *testing.T) {
	const category = "<ram:CategoryCode>S</ram:CategoryCode>\n          <ram:RateApplicablePercent>19.00</ram:RateApplicablePercent>"
	p := newPresenterOn(invoice(t, "basic", category, "<ram:CategoryCode>O</ram:CategoryCode>"), Template{Locale: "de"})
	if got := p.lineItems(Block{}).Rows[0].Numbers[2]; got != "Nicht steuerbar" {
		t.Errorf("the VAT of the line is %q", got)
	}
}
