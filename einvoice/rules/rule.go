package rules

import (
	"fmt"
	"slices"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice/model"
)

// Severity is the consequence of breaking a rule.
type Severity uint8

// The severities. An invoice with a fatal violation is not valid; the others are advice.
const (
	Fatal Severity = iota
	Warning
	Information
)

// String is the name of the severity in reports.
func (s Severity) String() string { return [...]string{"fatal", "warning", "information"}[s] }

// Rule is a row of a table of rules.
type Rule struct {
	// ID is the identifier that the official specification gives the rule.
	ID string
	// Term is the business term (BT-…) or group (BG-…) that the rule is about.
	Term     string
	Severity Severity
	// Demand states what the rule demands, and Fix how to comply, each in a sentence.
	Demand, Fix string
	find        finder
}

// finder reports each place where an invoice breaks a rule, and what is wrong there, "" if the demand says it.
type finder func(i *model.Invoice, broken func(at model.Term, found string))

// onlyIf limits the rule to the invoices for which a condition holds.
func (r Rule) onlyIf(concerned func(*model.Invoice) bool) Rule {
	find := r.find
	r.find = func(i *model.Invoice, broken func(model.Term, string)) {
		if concerned(i) {
			find(i, broken)
		}
	}
	return r
}

// with is the rule with another severity.
func (r Rule) with(s Severity) Rule {
	r.Severity = s
	return r
}

// where puts a condition in front of the rule's demand.
func (r Rule) where(condition string) Rule {
	r.Demand = condition + ": " + strings.ToLower(r.Demand[:1]) + r.Demand[1:]
	return r
}

// inPlaceOf returns rules together with those of others that they do not replace.
func inPlaceOf(others, own []Rule) []Rule {
	return slices.Concat(keep(others, func(r Rule) bool {
		return !slices.ContainsFunc(own, func(o Rule) bool { return o.ID == r.ID })
	}), own)
}

// Violation is a place where an invoice breaks a rule. Its texts are short, have no control characters and may be shown.
type Violation struct {
	Rule     string
	Set      string
	Severity Severity
	Term     string
	// Path and Line locate the element, or the one that lacks a required part. Line counts from 1.
	Path string
	Line int
	// Message says what the rule demands and what was found, Fix how to mend it.
	Message, Fix string
}

// PagePath is that of the page that describes the rule, below docs/rules and without .md.
func (v Violation) PagePath() string { return v.Set + "/" + v.Rule }

// String is the violation in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s %s (%s) line %d: %s: %s %s", v.Severity, v.Rule, v.Term, v.Line, v.Path, v.Message, v.Fix)
}

func (r *Rule) violation(set string, at model.Term, found string) Violation {
	message := r.Demand
	if found != "" {
		message = strings.TrimSuffix(message, ".") + ": " + markup.Excerpt(found) + "."
	}
	return Violation{
		Rule: r.ID, Set: set, Severity: r.Severity, Term: r.Term,
		Path: at.Path(), Line: at.SourceLine(), Message: message, Fix: r.Fix,
	}
}
