package einvoice

import (
	"fmt"
	"slices"
	"strings"
)

// MaxViolations is how many violations are reported of one document.
const MaxViolations = 20

// Violation is one thing that is wrong with a document: where, what stands there, and
// what should. Its texts are short and free of control characters.
type Violation struct {
	// Path has the conventional prefixes, whatever the document's are; it is empty
	// outside the root element.
	Path string
	// Line and Column count from one, in characters.
	Line, Column    int
	Found, Expected string
	offset          int
}

// String says it in one sentence.
func (v Violation) String() string {
	path := v.Path
	if path == "" {
		path = "/"
	}
	return fmt.Sprintf("line %d, column %d: %s: found %s; expected %s", v.Line, v.Column, path, v.Found, v.Expected)
}

// InvalidError is a document that breaks the rules of XML, or those of its profile.
type InvalidError struct {
	Profile string
	// Malformed documents are no XML; then there is one violation.
	Malformed bool
	// Violations are in the document's order, at most MaxViolations.
	Violations []Violation
	// More violations were found than are listed.
	More bool
}

// Error lists the violations, one a line.
func (e *InvalidError) Error() string {
	var b strings.Builder
	if e.Malformed {
		b.WriteString("the XML cannot be read")
	} else {
		fmt.Fprintf(&b, "the XML breaks the schema of profile %s", e.Profile)
	}
	if len(e.Violations) == 1 {
		return b.String() + ": " + e.Violations[0].String()
	}
	fmt.Fprintf(&b, " in %d places", len(e.Violations))
	if e.More {
		b.WriteString(", and in more")
	}
	for _, v := range e.Violations {
		b.WriteString("\n" + v.String())
	}
	return b.String()
}

// ordered puts violations in the document's order; those of missing elements are found late.
func ordered(violations []Violation) []Violation {
	slices.SortStableFunc(violations, func(a, b Violation) int { return a.offset - b.offset })
	return violations
}
