// Package schema describes JSON bodies and tells what is wrong with one: every
// violation, in the shape and wording of Pydantic v2, which existing clients of
// such services parse (decisions.md, Errors).
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Violation is one thing that is wrong with a request.
type Violation struct {
	// Loc is the path of strings and integers to the place, beginning with "body".
	Loc  []any  `json:"loc"`
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// Kind checks one value that is present and not null.
type Kind interface {
	check(value any, loc []any) []Violation
}

// String is a JSON string.
type String struct {
	// MaxLength is in characters; zero means unbounded.
	MaxLength int
	// OneOf lists the values allowed, compared without regard to case; empty means any.
	OneOf []string
	// Check says in a sentence what is wrong with the value; nil, or "" for nothing.
	Check func(string) string
}

// Bool is a JSON true or false.
type Bool struct{}

// Number is a JSON number within [Min, Max].
type Number struct{ Min, Max float64 }

// Object is a JSON object of known fields; others are refused.
type Object []Field

// Field is one field of an object. An optional field that is null counts as absent.
type Field struct {
	Name     string
	Required bool
	Kind     Kind
}

// Decode parses a body and checks it. The value holds maps, strings, bools and
// json.Numbers; it is nil when there are violations.
func (o Object) Decode(body []byte) (map[string]any, []Violation) {
	if len(body) == 0 {
		return nil, one([]any{"body"}, "missing", "Field required")
	}
	value, offset, err := parse(body)
	if err != nil {
		return nil, []Violation{{Loc: []any{"body", offset}, Msg: "JSON decode error", Type: "json_invalid"}}
	}
	violations := o.check(value, []any{"body"})
	if len(violations) > 0 {
		return nil, violations
	}
	return value.(map[string]any), nil
}

// parse reads one JSON value; when there is none, offset tells where it went wrong.
func parse(body []byte) (value any, offset int64, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, position(err, len(body)), err
	}
	offset = d.InputOffset()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, offset, errors.New("content after the JSON value")
	}
	return value, offset, nil
}

func position(err error, length int) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Offset
	}
	return int64(length)
}

func one(loc []any, kind, format string, args ...any) []Violation {
	return []Violation{{Loc: loc, Msg: fmt.Sprintf(format, args...), Type: kind}}
}

func at(loc []any, name string) []any { return append(slices.Clone(loc), name) }

func (o Object) check(value any, loc []any) (all []Violation) {
	fields, ok := value.(map[string]any)
	if !ok {
		return one(loc, "model_attributes_type", "Input should be a valid dictionary or object to extract fields from")
	}
	for _, f := range o {
		v, present := fields[f.Name]
		switch {
		case !present && f.Required:
			all = append(all, one(at(loc, f.Name), "missing", "Field required")...)
		case v != nil || f.Required:
			all = append(all, f.Kind.check(v, at(loc, f.Name))...)
		}
	}
	return append(all, o.unknown(fields, loc)...)
}

func (o Object) unknown(fields map[string]any, loc []any) (all []Violation) {
	var names []string
	for name := range fields {
		if !slices.ContainsFunc(o, func(f Field) bool { return f.Name == name }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		all = append(all, one(at(loc, name), "extra_forbidden", "Extra inputs are not permitted")...)
	}
	return all
}

func (s String) check(value any, loc []any) []Violation {
	text, ok := value.(string)
	if !ok {
		return one(loc, "string_type", "Input should be a valid string")
	}
	if s.MaxLength > 0 && utf8.RuneCountInString(text) > s.MaxLength {
		return one(loc, "string_too_long", "String should have at most %d characters", s.MaxLength)
	}
	if len(s.OneOf) > 0 && !slices.ContainsFunc(s.OneOf, func(v string) bool { return strings.EqualFold(v, text) }) {
		return one(loc, "literal_error", "Input should be %s", alternatives(s.OneOf))
	}
	if s.Check != nil {
		if wrong := s.Check(text); wrong != "" {
			return one(loc, "value_error", "Value error, %s", wrong)
		}
	}
	return nil
}

// alternatives lists values as 'a', 'b' or 'c'.
func alternatives(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + v + "'"
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

func (Bool) check(value any, loc []any) []Violation {
	if _, ok := value.(bool); !ok {
		return one(loc, "bool_type", "Input should be a valid boolean")
	}
	return nil
}

func (n Number) check(value any, loc []any) []Violation {
	number, ok := value.(json.Number)
	if !ok {
		return one(loc, "float_type", "Input should be a valid number")
	}
	v, err := number.Float64()
	if err != nil || math.IsInf(v, 0) {
		return one(loc, "finite_number", "Input should be a finite number")
	}
	if v < n.Min {
		return one(loc, "greater_than_equal", "Input should be greater than or equal to %s", plain(n.Min))
	}
	if v > n.Max {
		return one(loc, "less_than_equal", "Input should be less than or equal to %s", plain(n.Max))
	}
	return nil
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
