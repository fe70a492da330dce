package inspect

import (
	"strings"

	"platen.dev/document/markup"
	"platen.dev/document/pdfa"
	"platen.dev/document/pdfa/cos"
	"platen.dev/einvoice/hybrid"
	"platen.dev/einvoice/report"
	"platen.dev/einvoice/rules"
)

// Wanted says what an invoice is checked against. The zero value leaves that to its guideline.
type Wanted struct {
	// Profile is one of contract.Profiles, or "".
	Profile string
	// Sets are the rule sets, nil for those that the guideline implies.
	Sets []*rules.Set
}

// XML checks an invoice.
func XML(document []byte, want Wanted) *report.Report {
	r := &report.Report{}
	checkXML(r, document, want)
	r.Conclude()
	return r
}

// PDF checks a PDF that contains an invoice.
func PDF(pdf []byte, want Wanted) *report.Report {
	source := cos.NewSource(pdf)
	r, found := &report.Report{}, hybrid.Inspect(source)
	r.PDFA = pdfaSection(found)
	r.Embedding = embeddingSection(found)
	if found.Err == nil {
		invoice := checkXML(r, found.XML, want)
		r.Kind = report.Hybrid
		r.Match = matchSection(source, invoice)
	}
	r.Conclude()
	return r
}

func pdfaSection(found *hybrid.Inspection) *report.Section {
	var all []report.Violation
	for _, v := range found.PDFA {
		severity := report.Fatal
		if pdfa.Doubtful(v.Rule) {
			severity = report.Warning
		}
		all = append(all, violation(severity, v))
	}
	return new(report.NewSection(all, found.Truncated))
}

func embeddingSection(found *hybrid.Inspection) *report.Embedding {
	var all []report.Violation
	if found.Err != nil {
		all = append(all, report.Violation{Rule: "FX-FILE", Severity: report.Fatal, Message: capital(found.Err.Error())})
	}
	for _, v := range found.Embedding {
		severity := report.Fatal
		if v.Rule == hybrid.RuleRelationGermany {
			severity = report.Warning
		}
		all = append(all, violation(severity, v))
	}
	return &report.Embedding{
		Section:  report.NewSection(all, false),
		FileName: text(found.FileName), Relationship: text(found.Relationship), Level: text(found.Level),
	}
}

func violation(severity string, v *pdfa.Violation) report.Violation {
	return report.Violation{Rule: report.Text(v.Rule), Severity: severity, Message: capital(v.Detail)}
}

// text makes a value from outside safe to show, and shortens it.
func text(s string) report.Text { return report.Text(markup.Excerpt(s)) }

// capital makes a message a sentence that may be shown. A name at its beginning stays unchanged.
func capital(s string) string {
	s = markup.Excerpt(s)
	word, _, _ := strings.Cut(s, " ")
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return s + "."
}
