package rules

import (
	"slices"

	"platen.dev/einvoice"
	"platen.dev/einvoice/model"
)

// MaxPlaces limits the reported places of one rule. The next rules are still checked.
const MaxPlaces = 10

// Report is the result of checking an invoice by rules.
type Report struct {
	// Sets are the sets that were applied.
	Sets []*Set
	// Violations are in the order of sets, and of rules in a set. What two sets find by one rule at one place is reported by the first,
	// with the graver severity.
	Violations []Violation
}

// Valid reports whether no fatal rule is broken.
func (r *Report) Valid() bool {
	for i := range r.Violations {
		if r.Violations[i].Severity == Fatal {
			return false
		}
	}
	return true
}

// Check applies sets of rules to an invoice that satisfies its schema. Sets without rules for its syntax find nothing. The severity of a
// violation is that of the rule, unless the Levels of another applied set change it.
func Check(invoice *einvoice.Invoice, sets ...*Set) *Report {
	terms := model.Of(invoice)
	report := &Report{Sets: sets}
	known := map[finding]int{}
	for _, s := range sets {
		before := len(report.Violations)
		report.apply(s, terms)
		report.merge(before, known)
	}
	report.level(terms)
	return report
}

// finding is a rule and the place where it is broken.
type finding struct{ rule, path string }

// merge removes, from an index on, the violations that an earlier set has reported. known has the index of each finding.
func (r *Report) merge(from int, known map[finding]int) {
	found := r.Violations[from:]
	r.Violations = r.Violations[:from]
	for _, v := range found {
		if at, repeated := known[finding{v.Rule, v.Path}]; repeated && at < from {
			r.Violations[at].Severity = min(r.Violations[at].Severity, v.Severity)
			continue
		}
		known[finding{v.Rule, v.Path}] = len(r.Violations)
		r.Violations = append(r.Violations, v)
	}
}

// level gives violations the severities that sets demand of rules of others.
func (r *Report) level(invoice *model.Invoice) {
	for _, s := range r.Sets {
		for _, l := range s.Levels {
			if !l.of(invoice) {
				continue
			}
			for n := range r.Violations {
				if v := &r.Violations[n]; v.Set != s.Name && slices.Contains(l.Rules, v.Rule) {
					v.Severity = l.Severity
				}
			}
		}
	}
}

// apply applies the rules of a set.
func (r *Report) apply(s *Set, invoice *model.Invoice) {
	rules := s.of(invoice)
	for n := range rules {
		rule := &rules[n]
		if rule.find == nil {
			continue
		}
		places := 0
		rule.find(invoice, func(at model.Term, found string) {
			if places++; places <= MaxPlaces {
				r.Violations = append(r.Violations, rule.violation(s.Name, at, found))
			}
		})
	}
	if s.findAll == nil || invoice.Document != nil {
		return
	}
	places := map[string]int{}
	s.findAll(invoice, func(id string, at model.Term, found string) {
		if places[id]++; places[id] <= MaxPlaces {
			r.Violations = append(r.Violations, withID(s.Rules(), id).violation(s.Name, at, found))
		}
	})
}
