package rules

import "platen.dev/einvoice"

// Choose returns the sets of these names or, if there are none, those for the profile of an invoice. UBL has only one profile, so an
// XRechnung in UBL is known by its guideline. The error is that of Named.
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
