package blocks

import (
	"strings"
	"testing"
)

// Of two terms each has its own date beside it; the date of the heading and of placeholders is that by which all is to be paid.
func TestTermsOfPayment(t *testing.T) {
	const terms = "<ram:SpecifiedTradePaymentTerms>"
	discount := terms + `<ram:Description>2 % discount</ram:Description>` +
		`<ram:DueDateDateTime><udt:DateTimeString format="102">20260310</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>`
	template := Default()
	template.Blocks[5].Text = "Pay by {due_date}."
	shown := visibleText(t, Render(invoice(t, "extended", terms, discount+terms), template).HTML)
	for _, want := range []string{"Due date Apr 4, 2026", "Pay by Apr 4, 2026.", "2 % discount Due Mar 10, 2026 30 days net Due Apr 4, 2026"} {
		if !strings.Contains(shown, withoutSpace(want)) {
			t.Errorf("the page does not say %q: %s", want, shown)
		}
	}
}

// A discount for programs is said in words; other text of the terms stays.
func TestDiscounts(t *testing.T) {
	for _, c := range [][2]string{
		{"30 days net\n#SKONTO#TAGE=14#PROZENT=2.25#\n", "30 days net\n2,25\u00a0% Skonto bei Zahlung innerhalb von 14 Tagen"},
		{
			"#SKONTO#TAGE=7#PROZENT=3.00#BASISBETRAG=-1357.93#\r\nafterwards net\n",
			"3\u00a0% Skonto bei Zahlung innerhalb von 7 Tagen (Grundbetrag −1.357,93\u00a0EUR)\nafterwards net",
		},
		{
			"#SKONTO#TAGE=7#PROZENT=3.00#\n#SKONTO#TAGE=14#PROZENT=2.00#\n",
			"3\u00a0% Skonto bei Zahlung innerhalb von 7 Tagen\n2\u00a0% Skonto bei Zahlung innerhalb von 14 Tagen",
		},
		{"#SKONTO#TAGE=x#PROZENT=2.25#", "#SKONTO#TAGE=x#PROZENT=2.25#"},
	} {
		text, want := c[0], c[1]
		p := newPresenter(invoice(t, "en16931", "30 days net", text), "de")
		if got := p.payment(Block{}).Terms[0].Text; got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
		if got := p.paymentTerms(); got != want {
			t.Errorf("the placeholder of %q is %q", text, got)
		}
	}
}
