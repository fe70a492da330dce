package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Page describes a rule in Markdown: what it demands, why, how to keep it, and an example for each syntax. It is empty if the set has no
// such rule. The case of the identifier is ignored.
func (s *Set) Page(id string) string {
	id = s.spelled(id)
	var page strings.Builder
	var first *Rule
	for _, ubl := range []bool{false, true} {
		r := withID(s.rulesFor(ubl), id)
		if r == nil {
			continue
		}
		if first == nil {
			first = r
			fmt.Fprintf(&page, "# %s\n\n%s. %s\n\n%s\n\n**Why:** %s\n\n**How to keep it:** %s\n", id, s.Title, r.kind(), r.Demand, s.Why(id), r.Fix)
		}
		e, has := s.Example(id, ubl)
		differs := r.Demand != first.Demand || r.Fix != first.Fix || r.Severity != first.Severity
		if !has && !differs {
			continue
		}
		fmt.Fprintf(&page, "\n## In %s\n", strings.ToUpper(syntaxOf(ubl)))
		if differs {
			fmt.Fprintf(&page, "\n%s. %s %s\n", r.kind(), r.Demand, r.Fix)
		}
		if has {
			page.WriteString(e.markdown())
		}
	}
	return page.String()
}

// spelled returns an identifier, in any case, as the set spells it.
func (s *Set) spelled(id string) string {
	for _, r := range slices.Concat(s.Rules(), s.UBLRules()) {
		if strings.EqualFold(r.ID, id) {
			return r.ID
		}
	}
	return id
}

// withID returns the rule with an identifier, or nil.
func withID(rules []Rule, id string) *Rule {
	if at := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id }); at >= 0 {
		return &rules[at]
	}
	return nil
}

// kind is the severity and the term of a rule, as in a report.
func (r *Rule) kind() string {
	severity := strings.ToUpper(r.Severity.String()[:1]) + r.Severity.String()[1:]
	if r.Term == "" {
		return severity
	}
	return severity + ", " + r.Term
}

func (e Example) markdown() string {
	return fmt.Sprintf("\nIn `%s`, this keeps the rule:\n\n```xml\n%s\n```\n\nThis breaks it:\n\n```xml\n%s\n```\n\nThe report: %s\n", e.Path, e.Kept, e.Broken, e.Found)
}
