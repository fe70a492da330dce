package einvoice

import (
	"fmt"
	"slices"
	"strings"
)

// MaxViolations limits the reported violations of one document.
const MaxViolations = 20

// Violation is one mistake in a document: its position, what was found and what was
// expected. The texts are short and free of control characters.
type Violation struct {
	// Path is the path of the element, with the conventional prefixes instead of the
	// document's own. It is empty outside the root element.
	Path string
	// Line and Column count from one; Column counts characters.
	Line, Column    int
	Found, Expected string
	offset          int
}

// String describes the violation in one sentence.
func (v Violation) String() string {
	path := v.Path
	if path == "" {
		path = "/"
	}
	return fmt.Sprintf("line %d, column %d: %s: found %s; expected %s", v.Line, v.Column, path, v.Found, v.Expected)
}

// InvalidError refuses a document that is not well-formed XML, or that violates its
// schema.
type InvalidError struct {
	// Schema is the name of the schema, such as "profile basic".
	Schema string
	// Malformed: the document is not well-formed. Then there is exactly one violation.
	Malformed bool
	// Violations are in document order, at most MaxViolations.
	Violations []Violation
	// Truncated: the document has more violations than these.
	Truncated bool
}

// Error lists the violations, one per line.
func (e *InvalidError) Error() string {
	var b strings.Builder
	if e.Malformed {
		b.WriteString("the XML cannot be read")
	} else {
		fmt.Fprintf(&b, "the XML violates the schema of %s", e.Schema)
	}
	switch n := len(e.Violations); {
	case n == 1:
		return b.String() + ": " + e.Violations[0].String()
	case e.Truncated:
		fmt.Fprintf(&b, " in more than %d places, of which these are the first:", n)
	default:
		fmt.Fprintf(&b, " in %d places:", n)
	}
	for _, v := range e.Violations {
		b.WriteString("\n" + v.String())
	}
	return b.String()
}

// inDocumentOrder sorts violations, since a missing element is noticed only at the end of its parent.
func inDocumentOrder(violations []Violation) []Violation {
	slices.SortStableFunc(violations, func(a, b Violation) int { return a.offset - b.offset })
	return violations
}
