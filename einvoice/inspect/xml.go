package inspect

import (
	"errors"
	"fmt"

	"platen.dev/document/markup"
	"platen.dev/einvoice"
	"platen.dev/einvoice/report"
)

// checkXML adds the sections about the XML, and returns the invoice as far as it was readable, nil if it was not.
func checkXML(r *report.Report, document []byte, want Wanted) *einvoice.Invoice {
	if err := einvoice.Fits(document); err != nil {
		r.Leave(report.WellFormedSection, capital(err.Error()))
		return nil
	}
	invoice, err := einvoice.Skim(document)
	kind, guideline := recognise(document)
	r.Kind, r.Guideline = kind, text(guideline)
	r.WellFormed = wellFormed(document, kind, err)
	if err != nil && !errors.Is(err, einvoice.ErrNoInvoice) {
		return nil
	}
	switch {
	case kind == report.UBL:
		checkUBL(r, document, invoice, want)
	case kind == report.CII:
		checkCII(r, document, invoice, want)
	default:
		r.Schema = new(report.NewSection(otherRoot(document), false))
	}
	return invoice
}

// wellFormed is the section on XML itself.
func wellFormed(document []byte, kind report.Kind, err error) *report.Section {
	var all []report.Violation
	var invalid *einvoice.InvalidError
	if errors.As(err, &invalid) {
		all = schemaViolations(invalid.Violations)
	}
	if encoding := markup.ForeignEncoding(document); len(all) == 0 && encoding != "" {
		all = append(all, report.Violation{
			Rule: "ENCODING", Severity: report.Fatal, Line: 1, Message: fmt.Sprintf("The XML is encoded in %s.", markup.Excerpt(encoding)),
			Fix: "Encode it in UTF-8, which Factur-X demands.",
		})
		if kind == report.UBL {
			all[0].Severity, all[0].Fix = report.Warning, "Encode it in UTF-8, as UBL recommends."
		}
	}
	return new(report.NewSection(all, false))
}

func schemaViolations(found []einvoice.Violation) (all []report.Violation) {
	for _, v := range found {
		all = append(all, report.Violation{
			Severity: report.Fatal, Path: report.Text(v.Path), Line: report.Number(v.Line), Column: report.Number(v.Column),
			Message: "Found " + v.Found + "; expected " + v.Expected + ".",
		})
	}
	return all
}

// checkCII adds the sections on a Cross-Industry Invoice.
func checkCII(r *report.Report, document []byte, skimmed *einvoice.Invoice, want Wanted) {
	guideline := skimmed.Guideline().Text()
	basis := basisOf(guideline, want.Profile)
	r.Profile = report.Text(basis.profile)
	if basis.profile == "" {
		leaveOrRefuse(r, skimmed, basis)
		return
	}
	invoice, err := einvoice.ParseSchemaOnly(document, basis.profile)
	r.Schema = schemaSection(skimmed, basis, err)
	if invoice == nil {
		r.Leave(report.RulesSection, "The rules are for invoices that are valid by the schema.")
		return
	}
	checkRules(r, invoice, basis, want.Sets)
}

// leaveOrRefuse says what to do about a guideline for which there is no schema here.
func leaveOrRefuse(r *report.Report, skimmed *einvoice.Invoice, b basis) {
	if b.foreign {
		r.Leave(report.SchemaSection, fmt.Sprintf("There is no schema here for the guideline %q. Name a profile to check by.", markup.Excerpt(b.guideline)))
	} else {
		r.Schema = new(report.NewSection([]report.Violation{guidelineViolation(skimmed, b)}, false))
	}
	r.Leave(report.RulesSection, "The guideline does not say which rules apply.")
}

func schemaSection(skimmed *einvoice.Invoice, b basis, err error) *report.Section {
	var all []report.Violation
	if b.contradicted {
		all = append(all, guidelineViolation(skimmed, b))
	}
	return schemaViolationsSection(all, err)
}

// schemaViolationsSection returns a section with all, followed by the schema's violations.
func schemaViolationsSection(all []report.Violation, err error) *report.Section {
	var invalid *einvoice.InvalidError
	truncated := false
	if errors.As(err, &invalid) {
		all, truncated = append(all, schemaViolations(invalid.Violations)...), invalid.Truncated
	}
	return new(report.NewSection(all, truncated))
}

func guidelineViolation(skimmed *einvoice.Invoice, b basis) report.Violation {
	at := skimmed.Guideline()
	message := fmt.Sprintf("The guideline is %q.", markup.Excerpt(b.guideline))
	if b.profile != "" {
		message = fmt.Sprintf("The guideline is %q, but that of profile %s is %q.", markup.Excerpt(b.guideline), b.profile, einvoice.Guidelines[b.profile])
	}
	return report.Violation{
		Rule: "GUIDELINE", Severity: report.Fatal, Term: "BT-24", Path: report.Text(at.Path()), Line: report.Number(at.SourceLine()),
		Message: message, Fix: report.Text(capital(einvoice.AdviseOn(b.guideline, b.profile))),
	}
}
