package schema

import "regexp"

// Kind checks one value that is present and not null, and describes itself as a
// JSON Schema.
type Kind interface {
	check(value any, loc []any) []Violation
	describe(d *describer) map[string]any
}

// String is a JSON string.
type String struct {
	// MinLength and MaxLength are in characters; a MaxLength of zero means unbounded.
	MinLength, MaxLength int
	// OneOf lists the values allowed; empty means any. AnyCase compares without regard to case.
	OneOf   []string
	AnyCase bool
	// Pattern has to match the whole value; nil for any.
	Pattern *regexp.Regexp
	// Check says in a sentence what is wrong with the value; nil, or "" for nothing.
	Check func(string) string
	// Format names a JSON Schema format for readers, such as uri or date-time.
	Format string
	// Secret marks a credential: written by clients, never shown.
	Secret bool
}

// Bool is a JSON true or false.
type Bool struct{}

// Integer is a JSON number without fraction within [Min, Max].
type Integer struct{ Min, Max int64 }

// Number is a JSON number within [Min, Max].
type Number struct{ Min, Max float64 }

// Tuple is a JSON array of exactly these values, in this order.
type Tuple []Kind

// List is a JSON array of values of one kind.
type List struct{ Items Kind }

// Object is a JSON object of known fields; others are refused.
type Object struct {
	// Name is the schema's name in the API description; "" writes it in place.
	Name string
	// Doc describes the object in a sentence or two.
	Doc    string
	Fields []Field
	// Rules concern several fields; they are checked once each field for itself is right.
	Rules []Rule
}

// Field is one field of an object. An optional field that is null counts as absent.
type Field struct {
	Name     string
	Required bool
	Kind     Kind
	// Doc describes the field; Default is what its absence means and Example a value, nil for none.
	Doc     string
	Default any
	Example any
	// Plan is the smallest plan that may set the field; "" for every plan.
	Plan string
}

// Rule is a check of several fields of an object.
type Rule struct {
	// Field is where its violation is reported.
	Field string
	// Check says in a sentence what is wrong, "" for nothing.
	Check func(fields map[string]any) string
}

// Gate is a field that was set and is not for every plan.
type Gate struct {
	// Path is the field's path, joined by dots: options.watermark.
	Path string
	// Plan is the smallest plan that may set it.
	Plan string
}
