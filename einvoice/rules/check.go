package rules

import (
	"slices"

	"platen.dev/einvoice"
	"platen.dev/einvoice/model"
)

// MaxPlaces is how many places of one rule are reported. The next rules are still checked.
const MaxPlaces = 10

// Report is the result of checking an invoice by rules.
type Report struct {
	// Sets are the sets that were applied.
	Sets []*Set
	// Violations are in the order of sets, and of rules in a set. A rule that two sets have is reported by the first.
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

// Check applies sets of rules to an invoice that is valid by its schema. Sets that have no rules for its syntax find nothing. The severity of
// a violation is that of the rule, or of Levels of another set that is applied.
func Check(invoice *einvoice.Invoice, sets ...*Set) *Report {
	terms := model.Of(invoice)
	report := &Report{Sets: sets}
	applied := map[string]bool{}
	for n, s := range sets {
		report.apply(s, terms, applied)
		if n < len(sets)-1 {
			for _, r := range s.of(terms) {
				applied[r.ID] = true
			}
		}
	}
	report.level(terms)
	return report
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

// apply applies the rules of a set that no other set has applied.
func (r *Report) apply(s *Set, invoice *model.Invoice, applied map[string]bool) {
	rules := s.of(invoice)
	for n := range rules {
		rule := &rules[n]
		if applied[rule.ID] || rule.find == nil {
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
		if places[id]++; places[id] <= MaxPlaces && !applied[id] {
			r.Violations = append(r.Violations, s.rule(id).violation(s.Name, at, found))
		}
	})
}
