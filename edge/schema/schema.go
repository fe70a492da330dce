// Package schema describes JSON values once and uses the description twice: to
// tell what is wrong with a body, and to write its JSON Schema.
//
// What is wrong is told in the shape, types and wording of Pydantic v2, which
// existing clients of such services parse (decisions.md, Errors). Two things
// differ from Pydantic on purpose: nothing is coerced ("1" is no number), and an
// answer is bounded, so that a body made of nothing but mistakes cannot ask for
// an answer larger than itself: see MaxViolations and MaxName.
package schema

import (
	"fmt"
	"slices"
)

const (
	// MaxViolations is how many violations are reported at most; the first ones are.
	MaxViolations = 100
	// MaxName is how many characters of an unknown field's name are repeated in its
	// location; a longer name is cut and ends in an ellipsis.
	MaxName = 100
)

// Violation is one thing that is wrong with a request.
type Violation struct {
	// Loc is the path of strings and integers to the place, beginning with "body".
	Loc  []any  `json:"loc"`
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// Decode parses a body and checks it. It gives either a value or violations,
// never both and never neither.
//
// The value holds maps, strings, bools, json.Numbers and []any. Optional fields
// that are null are taken out of it, and the numbers of Integer fields are written
// without point and exponent, so that json.Number.Int64 reads them.
func (o Object) Decode(body []byte) (map[string]any, []Violation) {
	root := []any{"body"}
	if len(body) == 0 {
		return nil, one(root, "missing", "Field required")
	}
	value, offset, err := parse(body)
	if err != nil {
		return nil, one(at(root, offset), "json_invalid", "JSON decode error")
	}
	if violations := o.check(value, root); len(violations) > 0 {
		return nil, violations
	}
	return value.(map[string]any), nil
}

func one(loc []any, kind, format string, args ...any) []Violation {
	return []Violation{{Loc: loc, Msg: fmt.Sprintf(format, args...), Type: kind}}
}

// at is the location one step below loc. It copies, because siblings share loc.
func at(loc []any, step any) []any { return append(slices.Clone(loc), step) }

// atMost adds violations up to the bound.
func atMost(all, more []Violation) []Violation {
	return append(all, more[:min(len(more), MaxViolations-len(all))]...)
}

// plural is the ending of a noun after a number.
func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
