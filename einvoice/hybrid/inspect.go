package hybrid

import (
	"errors"
	"fmt"
	"strings"

	"platen.dev/document/pdfa"
	"platen.dev/document/pdfa/cos"
	"platen.dev/einvoice"
	"platen.dev/events/contract"
)

// Inspection describes a PDF from any producer. It does not judge whether the XML is an invoice.
type Inspection struct {
	// Embedded is zero if there is no invoice that could be read; then Err says why.
	Embedded
	Err error
	// Level is the conformance level that the XMP packet names; "" for none.
	Level string
	// PDFA are the violations of PDF/A-3. Those of a rule that is pdfa.Doubtful may be none.
	PDFA []*pdfa.Violation
	// Truncated: there are more of them.
	Truncated bool
	// Embedding are the violations of Factur-X, and of its predecessors, whose form it has replaced.
	Embedding []*pdfa.Violation
}

// Inspect inspects a PDF from any source. Time and memory are bounded for any input.
func Inspect(source *cos.Source) *Inspection {
	in := &Inspection{}
	in.Embedded, in.Err = ReadFrom(source)
	var invalid *pdfa.InvalidError
	if errors.As(pdfa.CheckForeign(source, in.look), &invalid) {
		in.PDFA, in.Truncated = invalid.Violations, invalid.Truncated
	}
	return in
}

// look checks the embedding of a file's invoice.
func (in *Inspection) look(of *pdfa.Subject) {
	s := subject{of, of.File(), func(rule, format string, args ...any) {
		in.Embedding = append(in.Embedding, &pdfa.Violation{Rule: rule, Detail: fmt.Sprintf(format, args...)})
	}}
	invoice, err := findInvoice(s.file)
	if err != nil {
		return // Extract has reported that
	}
	in.Level, _ = s.Property(namespace, "ConformanceLevel")
	if in.Level == "" && einvoice.IsUBL(in.XML) {
		in.ubl(s, invoice)
		return
	}
	want := fileNameOf(in.Level)
	s.reportIf(invoice.name != want, "FX-FILE", "the invoice is named %.60q; Factur-X names it %s", invoice.name, want)
	s.embedded(invoice)
	s.reportIf(!invoice.associated, "FX-AF", "the invoice is not in the catalog's AF")
	if in.Level == "" {
		s.report("FX-LEVEL", "the XMP packet does not say that the file is a Factur-X invoice (%s)", namespace)
		return
	}
	s.described(want)
	in.relationship(s, s.relation(invoice))
	in.level(s)
}

// ubl checks how a UBL invoice is attached. There is no standard for that besides PDF/A: it checks only that the file name is not Factur-X's.
func (in *Inspection) ubl(s subject, invoice attachment) {
	s.reportIf(invoice.name == FileName || invoice.name == FileNameXRechnung, "FX-FILE", "an invoice of UBL is named %s, as those of Factur-X are", invoice.name)
	s.embedded(invoice)
	s.reportIf(!invoice.associated, "FX-AF", "the invoice is not in the catalog's AF")
}

// relationship checks AFRelationship. France takes more of them than Germany does (Factur-X 1.08, 6.2).
func (in *Inspection) relationship(s subject, is string) {
	want := "Alternative"
	if name := profileOf(in.Level); name != "" {
		want = profiles[name].relationship
	}
	switch is {
	case want, "": // PDF/A requires a value
	case "Source", "Data":
		if want == "Alternative" {
			s.report(RuleRelationGermany, "AFRelationship is %s, which France takes, and Germany does not: %s fits both", is, want)
			return
		}
		fallthrough
	default:
		s.report("FX-RELATION", "AFRelationship of %s is %.60q; it must be %s", in.Level, is, want)
	}
}

// RuleRelationGermany is the only embedding rule whose violation some country allows.
const RuleRelationGermany = "FX-RELATION-DE"

// level checks that the packet names the profile of the XML.
func (in *Inspection) level(s subject) {
	name := profileOf(in.Level)
	if name == "" {
		s.report("FX-LEVEL", "fx:ConformanceLevel is %.60q, which is none of Factur-X", in.Level)
		return
	}
	if in.Err != nil || einvoice.Fits(in.XML) != nil {
		return // reported for the XML
	}
	guideline, problem := guidelineOf(in.XML)
	if problem != "" {
		return
	}
	agrees := guideline == einvoice.Guidelines[name] ||
		name == contract.XRechnung && strings.Contains(guideline, contract.XRechnung) // of any version
	s.reportIf(!agrees, "FX-LEVEL", "fx:ConformanceLevel is %q, but the guideline of the XML is %.100q", in.Level, guideline)
}
