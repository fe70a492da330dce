package pdfa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"platen.dev/document/pdfa/cos"
)

// Violation is the violation of one rule.
type Violation struct {
	// Rule is the clause and test number as in veraPDF, such as "6.1.3-1", or a rule of
	// Factur-X, such as "FX-LEVEL".
	Rule string
	// Detail describes the violation and where it is.
	Detail string
}

func (v *Violation) Error() string { return v.Rule + ": " + v.Detail }

// InvalidError refuses a file.
type InvalidError struct {
	// Violations are in the order of their rules, at most 20 and at most 3 of each rule.
	Violations []*Violation
	// Truncated: the file has more violations than these.
	Truncated bool
}

const (
	maxViolations = 20
	maxPerRule    = 3
	maxSeen       = 10_000
)

func (e *InvalidError) Error() string {
	var lines []string
	for _, v := range e.Violations {
		lines = append(lines, v.Error())
	}
	if e.Truncated {
		lines = append(lines, "and more")
	}
	return strings.Join(lines, "; ")
}

// Unwrap makes each Violation available to errors.As.
func (e *InvalidError) Unwrap() []error {
	all := make([]error, len(e.Violations))
	for i, v := range e.Violations {
		all[i] = v
	}
	return all
}

// Check checks that a file is a PDF/A-3b with a Factur-X invoice, and returns nil or an
// *InvalidError. It has the rules of veraPDF that a printed document can violate, and is at
// least as strict. It is not a validator for arbitrary PDFs.
func Check(pdf []byte) (err error) {
	c := &checker{pdf: pdf, seen: map[Violation]bool{}, count: map[string]int{}}
	defer func() {
		if panicked := recover(); panicked != nil {
			c.report("6.1.2-1", "broken file: %v", panicked)
			err = c.result()
		}
	}()
	c.header()
	if c.file, err = cos.Open(pdf, cos.DefaultLimits); err != nil {
		c.report("6.1.2-1", "%v", err)
		return c.result()
	}
	c.catalog, _ = c.file.Catalog()
	for _, check := range checks {
		check(c)
	}
	return c.result()
}

// checks run in this order; later ones use what earlier ones have found.
var checks = []func(*checker){
	(*checker).trailer,
	(*checker).outputIntents,
	(*checker).document,
	(*checker).pages,
	(*checker).objects,
	(*checker).contents,
	(*checker).metadata,
	(*checker).attachments,
	(*checker).syntaxDeviations, // last, when all objects have been parsed
}

// checker checks one file.
type checker struct {
	pdf        []byte
	file       *cos.File
	catalog    cos.Dict
	violations []*Violation
	seen       map[Violation]bool // what was reported already
	count      map[string]int     // violations of each rule
	truncated  bool

	outputSpace string // the colour space of the output intent's profile, such as "RGB "; "" if there is none
	pageDicts   []cos.Dict
	deviations  cos.Deviations // of content streams
	xmp         xmpData
}

func (c *checker) report(rule, format string, args ...any) {
	v := Violation{rule, fmt.Sprintf(format, args...)}
	if c.seen[v] {
		return
	}
	if len(c.seen) < maxSeen {
		c.seen[v] = true
	}
	if c.count[rule]++; c.count[rule] > maxPerRule || len(c.violations) == maxViolations {
		c.truncated = true
		return
	}
	c.violations = append(c.violations, &v)
}

// reportIf reports a violation if its condition is true.
func (c *checker) reportIf(violated bool, rule, format string, args ...any) {
	if violated {
		c.report(rule, format, args...)
	}
}

func (c *checker) result() error {
	if len(c.violations) == 0 {
		return nil
	}
	slices.SortStableFunc(c.violations, func(a, b *Violation) int { return cmp.Compare(a.Rule, b.Rule) })
	return &InvalidError{c.violations, c.truncated}
}

// name is the name that a value is or refers to, or "" if it is not a name.
func (c *checker) name(value any) string {
	n, _ := c.file.Resolve(value).(cos.Name)
	return string(n)
}
