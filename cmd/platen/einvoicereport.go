package main

import (
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

// verdict is nil for a valid invoice.
func verdict(r *report.Report) error {
	switch {
	case r.Valid == nil:
		return errors.New("nothing is wrong as far as the invoice was checked, but not all of it could be")
	case !*r.Valid:
		return errors.New("the invoice is not valid")
	}
	return nil
}

// reportLines are the sections of a report, each with what is wrong.
func reportLines(r *report.Report) (lines []string) {
	if r.Kind != "" {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Kind, r.Profile, r.Guideline)))
	}
	add := func(name string, s *report.Section) { lines = append(lines, sectionLines(name, s)...) }
	add("XML", r.WellFormed)
	add("schema", r.Schema)
	if r.Rules != nil {
		var sets []string
		for _, s := range r.Rules.Sets {
			sets = append(sets, s.Name+" "+s.Version)
		}
		add("rules of "+strings.Join(sets, ", "), &r.Rules.Section)
	}
	add("PDF/A-3", r.PDFA)
	if r.Embedding != nil {
		add("embedding", &r.Embedding.Section)
	}
	for _, u := range r.Unchecked {
		lines = append(lines, u.Section+": not checked. "+u.Reason)
	}
	return lines
}

func sectionLines(name string, s *report.Section) []string {
	if s == nil {
		return nil
	}
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

// violationLine is a violation in one line.
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
