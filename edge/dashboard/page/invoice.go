package page

import (
	"strings"

	"platen.dev/einvoice/report"
)

// CheckInvoice is the form that checks an e-invoice, with the report on the one that was sent.
type CheckInvoice struct {
	Frame
	// XML is what was pasted, Profile what was chosen, "" for none.
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
	// Facts are what the section is about, such as the versions of rules.
	Facts string
}

// checkedSections are those that a report has.
func checkedSections(r *report.Report) (all []checked) {
	add := func(key, facts string, s *report.Section) {
		if s != nil {
			all = append(all, checked{s, key, facts})
		}
	}
	add(report.WellFormedSection, "", r.WellFormed)
	add(report.SchemaSection, string(r.Profile), r.Schema)
	if r.Rules != nil {
		var sets []string
		for _, s := range r.Rules.Sets {
			sets = append(sets, s.Name+" "+s.Version)
		}
		add(report.RulesSection, strings.Join(sets, ", "), &r.Rules.Section)
	}
	add(report.PDFASection, "", r.PDFA)
	if e := r.Embedding; e != nil {
		facts := strings.Join(strings.Fields(string(e.FileName+" "+e.Relationship)), " · ")
		add("embedding", facts, &e.Section)
	}
	return all
}

// outcome is the verdict of a report, by which the page chooses its words and its color.
func outcome(valid *bool) string {
	switch {
	case valid == nil:
		return "undecided"
	case *valid:
		return "valid"
	}
	return "invalid"
}
