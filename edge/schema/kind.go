package schema

import "regexp"

// Kind is a set of JSON values: it checks one that is present and not null, and
// describes itself as a JSON Schema.
type Kind interface {
	check(d *decoder, value any)
	// canonical is a checked value as Document.Canonical writes it.
	canonical(value any) any
	describe(d *describer) JSONSchema
}

// Type is a Kind whose values are read as V.
type Type[V any] interface {
	Kind
	// decode reports violations to d; if there are any, its result is meaningless.
	decode(d *decoder, value any) V
	// encode returns the JSON that is decoded as v: a text, number, truth, Ordered, list or Hidden.
	encode(v V) any
}

// None stands for the value where only the JSON matters.
type None = struct{}

// String is a JSON string.
type String struct {
	// MinLength and MaxLength are in characters; a MaxLength of zero means unbounded.
	MinLength, MaxLength int
	// OneOf lists the allowed values; empty means any. AnyCase ignores case; the value is then read with the list's spelling.
	OneOf   []string
	AnyCase bool
	// Pattern has to match the whole value; nil for any.
	Pattern *regexp.Regexp
	// Check returns a sentence that says what is wrong with the value, "" for nothing.
	Check func(string) string
	// Normal, in place of Check, also returns the normal form of the value, which is read instead.
	Normal func(string) (usual, wrong string)
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
type Tuple[V any] []Type[V]

// List is a JSON array of values of one kind.
type List[V any] struct {
	Items Type[V]
	// Most is the maximum length; zero means unbounded.
	Most int
}

// Dict is a JSON object whose names are free, within Names, and whose values are of one kind. It is
// read in the order of the names.
type Dict[V any] struct {
	Names  String
	Values Type[V]
	// Most is the maximum number of members.
	Most int
}

// Either is a value of one of these kinds. It is only checked: which kind a value was
// taken for is not remembered.
type Either []Kind

// Object is a JSON object of known fields; others are refused.
type Object[T any] struct {
	// Name is the schema's name in the API description; "" describes it in place.
	Name string
	// Doc describes the object in a sentence or two.
	Doc    string
	Fields []Field[T]
	// Rules concern several fields; they are checked once each field for itself is right.
	Rules []Rule[T]
}

// Rule is a check of several fields of an object.
type Rule[T any] struct {
	// Field is the name of the field at which a violation is reported.
	Field string
	// Check returns a sentence that says what is wrong, "" for nothing.
	Check func(*T) string
}
