package blocks

import (
	"strings"
	"testing"
)

// Of two terms each has its own date beside it; the date of the heading and of placeholders is that by which all is to be paid.
func TestTermsOfPayment(t *testing.T) {
	const terms = "<ram:SpecifiedTradePaymentTerms>"
	discount := terms + `<ram:Description>2 % discount</ram:Description><ram:DueDateDateTime><udt:DateTimeString format="102">20260310</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>`
	template := Default()
	template.Blocks[5].Text = "Pay by {due_date}."
	shown := visibleText(t, Render(invoice(t, "extended", terms, discount+terms), template).HTML)
	for _, want := range []string{"Due date Apr 4, 2026", "Pay by Apr 4, 2026.", "2 % discount Due Mar 10, 2026 30 days net Due Apr 4, 2026"} {
		if !strings.Contains(shown, withoutSpace(want)) {
			t.Errorf("the page does not say %q: %s", want, shown)
		}
	}
}
