package inspect

import (
	"fmt"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice"
	"platen.dev/einvoice/report"
	"platen.dev/einvoice/rules"
	"platen.dev/events/contract"
)

// ublProfile is the only profile of UBL invoices.
const ublProfile = contract.UBLProfile

// checkUBL adds the sections on an invoice or a credit note in UBL. The schema is the same for any guideline.
func checkUBL(r *report.Report, document []byte, skimmed *einvoice.Invoice, want Wanted) {
	b := basisOf(strings.TrimSpace(skimmed.Guideline().Text()), "")
	r.Profile = ublProfile
	invoice, err := einvoice.ParseUBL(document)
	r.Schema = ublSchemaSection(skimmed, b, want, err)
	switch {
	case invoice == nil:
		r.Leave(report.RulesSection, "The rules are for invoices that are valid by the schema.")
	case b.profile != ublProfile && !b.usage && want.Sets == nil && want.Profile == "":
		r.Leave(report.RulesSection, "The guideline does not say which rules apply.")
	default:
		b.profile = ublProfile
		checkRules(r, invoice, b, want.Sets)
	}
}

func ublSchemaSection(skimmed *einvoice.Invoice, b basis, want Wanted, err error) *report.Section {
	at := skimmed.Guideline()
	v := report.Violation{Rule: "GUIDELINE", Severity: report.Fatal, Term: "BT-24", Path: report.Text(at.Path()), Line: report.Number(at.SourceLine())}
	switch {
	case want.Profile != "" && want.Profile != ublProfile:
		v.Message = fmt.Sprintf("An invoice in UBL has the profile %s, not %s.", ublProfile, want.Profile)
		v.Fix = "Name that profile or none."
	case isFacturX(b.guideline):
		v.Message = fmt.Sprintf("The guideline is %q, which is for Cross-Industry Invoices.", markup.Excerpt(b.guideline))
		v.Fix = report.Text("Give the guideline that the invoice follows, such as " + einvoice.Guidelines[ublProfile] + ".")
	default:
		return schemaViolationsSection(nil, err)
	}
	return schemaViolationsSection([]report.Violation{v}, err)
}

// inSyntax drops the sets without rules for the invoice's syntax, and reports those that were named.
func inSyntax(r *report.Report, sets []*rules.Set, ubl, named bool) (left []*rules.Set) {
	other := "invoices in UBL"
	if ubl {
		other = "Cross-Industry Invoices"
	}
	for _, s := range sets {
		switch {
		case s.IsFor(ubl):
			left = append(left, s)
		case named:
			r.Leave(report.RulesSection, fmt.Sprintf("The rule set %s is for %s alone.", s.Name, other))
		}
	}
	return left
}
