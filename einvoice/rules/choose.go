package rules

import "platen.dev/einvoice"

// Choose are the sets of these names or, if there are none, those for the profile of an invoice; in UBL, which has one profile only, the
// guideline tells whether it is an XRechnung. Its error is that of Named.
func Choose(names []string, invoice *einvoice.Invoice) ([]*Set, error) {
	if len(names) > 0 {
		return Named(names)
	}
	german := set("xrechnung")
	if invoice.UBL && german.IsOf(invoice.Guideline().Text()) {
		return For(german.Name), nil
	}
	return For(invoice.Profile), nil
}
