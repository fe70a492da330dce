// Package sample has e-invoices to look at and to test with: one of each profile, and an invoice and a credit note of UBL. They
// are Platen's own, and fill as many fields as an invoice of their kind has any use for.
package sample

import "embed"

//go:embed *.xml
var files embed.FS

// The samples of UBL.
const (
	UBLInvoice    = "ubl-invoice"
	UBLCreditNote = "ubl-credit-note"
)

// XML returns the sample of a profile, or one of those in UBL, nil if there is no such sample. The caller may change it.
func XML(name string) []byte {
	xml, err := files.ReadFile(name + ".xml")
	if err != nil {
		return nil
	}
	return xml
}
