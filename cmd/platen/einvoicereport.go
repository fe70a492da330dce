package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/einvoice/report"
)

// printReport prints a report. Its error is the verdict, unless the invoice is valid.
func printReport(r *report.Report, asJSON bool, stdout io.Writer) error {
	if asJSON {
		if err := printJSON(r, stdout); err != nil {
			return err
		}
		return verdict(r)
	}
	out := terminal.To(stdout)
	for _, line := range reportLines(r) {
		if err := out.Printf("%s\n", line); err != nil {
			return err
		}
	}
	return verdict(r)
}

// verdict returns nil for a valid invoice.
func verdict(r *report.Report) error {
	switch {
	case r.Valid == nil:
		return errors.New("no errors were found, but parts of the invoice could not be checked")
	case !*r.Valid:
		return errors.New("the invoice is not valid")
	}
	return nil
}

// reportLines returns the sections of a report, each with its violations.
func reportLines(r *report.Report) (lines []string) {
	if r.Kind != "" {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Kind, r.Profile, r.Guideline)))
	}
	names := map[string]string{report.WellFormedSection: "XML", report.PDFASection: "PDF/A-3"}
	for _, p := range r.Parts() {
		name := cmp.Or(names[p.Name], p.Name)
		if p.Name == report.RulesSection {
			name = "rules of " + r.Rules.Names()
		}
		lines = append(lines, sectionLines(name, p.Section)...)
	}
	for _, u := range r.Unchecked {
		lines = append(lines, u.Section+": not checked. "+u.Reason)
	}
	return lines
}

func sectionLines(name string, s *report.Section) []string {
	said := "not valid"
	if s.Valid {
		said = "valid"
	}
	lines := []string{name + ": " + said}
	for _, v := range s.Violations {
		lines = append(lines, "  "+violationLine(v))
	}
	if s.Truncated {
		lines = append(lines, "  and more")
	}
	return lines
}

// violationLine formats a violation in one line.
func violationLine(v report.Violation) string {
	parts := []string{v.Severity}
	for _, part := range []report.Text{v.Rule, v.Term} {
		if part != "" {
			parts = append(parts, string(part))
		}
	}
	if v.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", v.Line))
	}
	if v.Path != "" {
		parts = append(parts, string(v.Path))
	}
	return strings.Join(parts, " ") + ": " + strings.TrimSpace(v.Message+" "+string(v.Fix))
}
