// Package schema declares JSON values once and uses the declaration three times: to
// check a body, to read it into a Go type, and to write its JSON Schema.
//
// A declaration is generic over the Go type that it fills. Decode gives such a value,
// with the defaults of absent fields filled in, or says what is wrong with the body;
// the JSON tree between the two never leaves this package.
//
// Violations have the shape, types and wording of Pydantic v2, which existing clients
// of such services parse (docs/API.md, Errors). Two things differ from Pydantic on
// purpose: nothing is coerced ("1" is not a number), and the response is bounded, so
// that a body full of mistakes cannot provoke a response larger than itself: see
// MaxViolations and MaxName.
package schema

import "bytes"

const (
	// MaxViolations is how many violations are reported at most; the first ones are.
	MaxViolations = 100
	// MaxName is how many characters of an unknown field's name are repeated in its
	// location; a longer name is cut and ends in an ellipsis.
	MaxName = 100
)

// Violation is one thing that is wrong with a request.
type Violation struct {
	// Loc is the path to the value, of strings and integers, beginning with "body".
	Loc  []any  `json:"loc"`
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// Gate is a field that was set and that needs a plan.
type Gate struct {
	// Path is the field's path, joined by dots: options.watermark.
	Path string
	// Plan is the smallest plan that may set it.
	Plan string
}

// Decode reads a body, regardless of contentType, the request's header or "", which only helps to explain what is
// wrong. It returns either a document or violations, never both and never neither.
//
// The gates are the fields that are set and need a plan, in the order of their
// declaration, an object before its own fields. Only presence counts: a field that is
// set to its default needs the plan, too.
func (o Object[T]) Decode(body []byte, contentType string) (Document[T], []Gate, []Violation) {
	d := &decoder{path: []any{"body"}}
	if len(bytes.TrimPrefix(body, byteOrderMark)) == 0 {
		d.refuse("missing", "Field required")
		return Document[T]{}, nil, d.violations
	}
	tree, offset, err := parse(body)
	if err != nil {
		d.enter(offset)
		d.refuse("json_invalid", "%s", reason(body, contentType, err))
		return Document[T]{}, nil, d.violations
	}
	value := o.decode(d, tree)
	if d.found > 0 {
		return Document[T]{}, nil, d.violations
	}
	return Document[T]{Value: value, tree: tree, kind: o}, d.gates, nil
}

// Empty returns the value of an empty object: the defaults. The object must not have
// required fields.
func (o Object[T]) Empty() T { return o.decode(&decoder{}, object{}) }

// Check returns the violations of a value outside a body, such as a header's.
func Check(k Kind, value any, loc ...any) []Violation {
	d := &decoder{path: loc}
	k.check(d, value)
	return d.violations
}
