package inspect

import (
	"slices"

	"platen.dev/einvoice"
	"platen.dev/einvoice/report"
	"platen.dev/einvoice/rules"
)

// checkRules adds the section on business rules, if there are any for the invoice.
func checkRules(r *report.Report, invoice *einvoice.Invoice, b basis, named []*rules.Set) {
	sets := named
	if sets == nil {
		sets = implied(b)
	}
	sets = inSyntax(r, sets, invoice.UBL, named != nil)
	if b.usage && named == nil && !slices.ContainsFunc(sets, func(s *rules.Set) bool { return s.IsOf(b.guideline) }) {
		r.Leave(report.RulesSection, "The invoice follows a specification with rules of its own, which are not checked: only those of EN 16931 are.")
	}
	if len(sets) == 0 {
		return
	}
	found := rules.Check(invoice, sets...)
	all := violations(found)
	r.Rules = &report.Rules{Section: report.NewSection(all, len(all) > report.MaxViolations)}
	r.Rules.Violations = all[:min(len(all), report.MaxViolations)]
	for _, s := range sets {
		r.Rules.Sets = append(r.Rules.Sets, report.Set{Name: s.Name, Version: s.Version})
	}
}

// Rules checks an invoice against sets of business rules, by default those of its profile. It is nil if there are none.
func Rules(invoice *einvoice.Invoice, names []string) *report.Rules {
	sets, err := rules.Choose(names, invoice)
	if err != nil || len(sets) == 0 {
		return nil
	}
	r := &report.Report{}
	checkRules(r, invoice, basis{profile: invoice.Profile}, sets)
	return r.Rules
}

// violations converts violations of business rules, the gravest first.
func violations(found *rules.Report) []report.Violation {
	all := []report.Violation{}
	for _, v := range found.Violations {
		all = append(all, report.Violation{
			Rule: report.Text(v.Rule), Severity: v.Severity.String(), Term: report.Text(v.Term), Path: report.Text(v.Path), Line: report.Number(v.Line),
			Message: v.Message, Fix: report.Text(v.Fix), Docs: report.Text(report.RulePages + "/" + v.PagePath()),
		})
	}
	slices.SortStableFunc(all, func(a, b report.Violation) int { return gravity(a) - gravity(b) })
	return all
}

func gravity(v report.Violation) int { return slices.Index(report.Severities(), v.Severity) }

// implied are the sets that a guideline stands for.
func implied(b basis) []*rules.Set {
	if !b.usage {
		return rules.For(b.profile)
	}
	var sets []*rules.Set
	for _, s := range rules.Sets() {
		if s.Name == "en16931" || s.IsOf(b.guideline) {
			sets = append(sets, s)
		}
	}
	return sets
}
