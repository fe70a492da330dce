package page

import (
	"strings"

	"platen.dev/einvoice/report"
)

// CheckInvoice is the form that checks an e-invoice, with the report on the one that was sent.
type CheckInvoice struct {
	Frame
	// XML is the text that was pasted, Profile the profile that was chosen; "" for none.
	XML, Profile string
	Profiles     []string
	// Problem is why there is no report; nil if nothing was refused.
	Problem *TryProblem
	// Report is nil before anything was sent.
	Report *report.Report
}

// checked is a section of a report.
type checked struct {
	*report.Section
	Key string
	// Facts name the subject of the section, such as the versions of rules.
	Facts string
}

// checkedSections returns the sections of a report.
func checkedSections(r *report.Report) (all []checked) {
	for _, p := range r.Parts() {
		facts := ""
		switch p.Name {
		case report.SchemaSection:
			facts = string(r.Profile)
		case report.RulesSection:
			facts = r.Rules.Names()
		case report.EmbeddingSection:
			facts = strings.Join(strings.Fields(string(r.Embedding.FileName+" "+r.Embedding.Relationship)), " · ")
		}
		all = append(all, checked{p.Section, p.Name, facts})
	}
	return all
}

// outcome returns the verdict of a report, which selects the page's words and colour.
func outcome(valid *bool) string {
	switch {
	case valid == nil:
		return "undecided"
	case *valid:
		return "valid"
	}
	return "invalid"
}
