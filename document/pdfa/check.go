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
	maxReports    = 10_000
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

// Check checks that a file conforms to what is claimed, and returns nil or an *InvalidError. It has the rules
// of veraPDF that a printed document can violate, and is at least as strict. further are the rules of a format that
// rests on PDF/A.
func Check(pdf []byte, claim Claim, further ...func(*Subject)) error {
	return newChecker(pdf, claim).run(func() (*cos.File, error) { return cos.Open(pdf, cos.DefaultLimits) }, further)
}

// CheckForeign checks a file from any source for PDF/A-3, of any conformance level, by the rules of level B, as Check does.
// Features that it cannot judge are reported as violations of a rule that is Doubtful. It does not look for glyphs that only the encoding of a CFF
// program, an expert encoding or the names in a TrueType program find, for names of structure types that are not in UTF-8, for overprint that forms
// inherit, nor for signatures. Time and memory are bounded for any input.
func CheckForeign(source *cos.Source, further ...func(*Subject)) error {
	c := newChecker(source.Data, Claim{Part: 3})
	c.foreign = true
	return c.run(source.Open, further)
}

// Doubtful reports whether a file that violates a rule may conform nevertheless: Check reads the rule more narrowly than the
// standard, since the browser has no use for the rest.
func Doubtful(rule string) bool {
	switch rule {
	case "INFO", "LIMIT", "JPX", "XMP", "CIDSET", "6.2.11.3.3-1":
		return true
	}
	return false
}

func newChecker(pdf []byte, claim Claim) *checker {
	return &checker{pdf: pdf, claim: claim, seen: map[Violation]bool{}, count: map[string]int{}, reports: map[string]int{}}
}

func (c *checker) run(open func() (*cos.File, error), further []func(*Subject)) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			c.report("6.1.2-1", "broken file: %v", panicked)
			err = c.result()
		}
	}()
	c.header()
	if c.file, err = open(); err != nil {
		c.report("6.1.2-1", "%v", err)
		return c.result()
	}
	if c.catalog, _ = c.file.Catalog(); c.foreign && c.file.Encrypted() {
		c.trailer()
		return c.result() // nothing else is readable
	}
	for _, check := range checks {
		check(c)
	}
	for _, check := range further {
		check(&Subject{c})
	}
	if c.claim.Accessible {
		c.accessible()
	}
	c.syntaxDeviations() // last, after all objects were parsed
	c.reportIf(c.file.Exhausted(), "LIMIT", "the file exceeds the limits of the check")
	return c.result()
}

// Subject is a file that is being checked.
type Subject struct{ c *checker }

// File has the objects of the file.
func (s *Subject) File() *cos.File { return s.c.file }

// Report reports a violation of a rule.
func (s *Subject) Report(rule, format string, args ...any) { s.c.report(rule, format, args...) }

// Described reports whether the file has an XMP packet that could be read.
func (s *Subject) Described() bool { return s.c.xmp.values != nil }

// Property is the value of a property in the XMP packet and the prefix of its namespace there; both are "" if
// the packet does not have it.
func (s *Subject) Property(namespace, name string) (value, prefix string) {
	return s.c.xmp.get(namespace, name), s.c.xmp.prefixes[[2]string{namespace, name}]
}

// SchemaPrefix is the prefix that an extension schema of the packet declares; "" for none.
func (s *Subject) SchemaPrefix(namespace string) string { return s.c.schemas[namespace] }

// checks run in this order; later ones use what earlier ones have found.
var checks = []func(*checker){
	(*checker).trailer,
	(*checker).outputIntents,
	(*checker).document,
	(*checker).pages,
	(*checker).objects,
	(*checker).contents,
	(*checker).metadata,
}

// checker checks one file.
type checker struct {
	lookup
	pdf        []byte
	claim      Claim
	foreign    bool // from any source
	catalog    cos.Dict
	violations []*Violation
	seen       map[Violation]bool // reported violations
	count      map[string]int     // violations of each rule
	reports    map[string]int     // reports of each rule, including repetitions of the same violation
	truncated  bool

	outputSpace string // the colour space of the output intent's profile, such as "RGB "; "" if there is none
	pageDicts   []cos.Dict
	resources   []cos.Dict        // that the pages have or inherit
	fileSpecs   []int             // file specifications, by number
	associated  map[cos.Ref]bool  // those that an AF names
	deviations  cos.Deviations    // of content streams
	parts       map[cos.Ref]*part // what pages show
	fonts       *fontReader
	queue       []queued
	spots       *spotColors
	xmp         xmpData
	schemas     map[string]string     // prefixes of the extension schemas, by namespace
	types       map[string]fieldTypes // of the extension schemas, by name
}

// counterparts maps rules of PDF/A to the equivalent rules of PDF/UA-1.
var counterparts = map[string]string{
	"6.1.2-1": "6.1-1", "6.1.3-2": "7.16-1", "6.6.2.1-1": "7.1-8", "6.6.2.1-4": "7.1-8", "6.6.2.1-5": "7.1-8", "6.8-2": "7.11-1",
	"6.9-1": "7.10-1", "6.9-4": "7.10-2", "6.2.9-2": "7.20-1", "6.2.11.3.2-1": "7.21.3.2-1", "6.2.11.3.3-1": "7.21.3.3-1",
	"6.2.11.4.1-1": "7.21.4.1-1", "6.2.11.4.1-2": "7.21.4.1-2", "6.2.11.6-2": "7.21.6-2", "6.2.11.8-1": "7.21.8-1",
}

// report reports a violation of a rule of PDF/A, which counts if the file claims PDF/A, or PDF/UA has that rule, too.
func (c *checker) report(rule, format string, args ...any) {
	if c.claim.Part == 0 && strings.HasPrefix(rule, "6.") {
		if rule = counterparts[rule]; rule == "" {
			return
		}
	}
	c.add(rule, format, args...)
}

// add adds a violation of a rule of what the file claims.
func (c *checker) add(rule, format string, args ...any) {
	if c.reports[rule]++; c.reports[rule] > maxReports { // describing each takes time
		c.truncated = true
		return
	}
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
