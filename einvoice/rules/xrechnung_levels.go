package rules

import (
	"slices"

	"platen.dev/einvoice/model"
)

// Levels are the severities that a set assigns to other sets' rules, for invoices that declare a guideline.
type Levels struct {
	Guideline string
	// UBL is set if they apply only to invoices in UBL.
	UBL      bool
	Severity Severity
	Rules    []string
}

// of reports whether they are for an invoice.
func (l *Levels) of(i *model.Invoice) bool {
	return i.Guideline.Text() == l.Guideline && (!l.UBL || i.Document != nil)
}

// germanLevels are those of the configuration of KoSIT's validator (April 2026): a code that no list has yet does not refuse an invoice, what the
// extension allows is reported for information, and what XRechnung excludes is fatal.
func germanLevels() []Levels {
	excluded := []string{"CII-SR-452", "CII-SR-453", "CII-SR-454"}
	withSubLines := append(slices.Clone(excluded), "UBL-CR-646")
	widened := []string{"BR-CL-10", "BR-CL-11", "BR-CL-21", "BR-CL-24", "BR-CL-25", "BR-CL-26", "UBL-CR-470", "UBL-CR-646"}
	unlisted := []string{"BR-CL-21", "BR-CL-23"}
	return []Levels{
		{xrechnungGuideline, false, Fatal, withSubLines},
		{xrechnungGuideline, false, Warning, unlisted},
		{vehiclesGuideline, false, Fatal, withSubLines},
		{vehiclesGuideline, false, Warning, unlisted},
		{vehiclesGuideline, false, Information, []string{"BR-CL-13"}},
		{extensionGuideline, false, Fatal, excluded},
		{extensionGuideline, false, Warning, []string{"BR-CL-23"}},
		{extensionGuideline, false, Information, widened},
		// BR-DEX-09 adds third-party payments, which CII lacks.
		{extensionGuideline, true, Information, []string{"BR-CO-16"}},
	}
}
