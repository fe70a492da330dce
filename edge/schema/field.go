package schema

import "reflect"

// Field is one field of an object that is read into a T. Fields made by At, Pointer and Not can also be written as JSON; those
// made by Read need From for that. A field is optional unless it is Required.
type Field[T any] interface {
	about() *member
	// read decodes the field out of an object's members and reports whether they have it.
	read(d *decoder, members object, into *T) (present bool)
	// write returns the field as JSON; present is false if an absent field would be read as the same value.
	write(from *T) (value any, present bool)
}

// member holds the parts of a field that do not depend on its types.
type member struct {
	name     string
	step     any // name, ready for a path
	required bool
	// unless names a field beside which a required one may be absent; "" for none.
	unless string
	kind   Kind
	doc    string
	// absence is the default for the description, nil for none.
	absence any
	example any
	plan    string
}

// TypedField is a Field that is read as a V. Its methods return changed copies.
type TypedField[T, V any] struct {
	member
	typed Type[V]
	set   func(*T, V)
	// get returns the field's value in a T, if there is one; nil if the field can only be read.
	get func(*T) (V, bool)
	// fallback makes the value of an absent field; nil leaves the T as it is.
	fallback func(*decoder) V
	// given is called if the field is present; it may be nil.
	given func(*T)
	// sent reports whether a value that is the default has to be written; nil if none has.
	sent func(*T) bool
	// gated reports whether a value needs the plan valuePlan; nil if none needs one beyond the field's own.
	gated     func(V) bool
	valuePlan string
}

// At declares a field whose value place locates: the zero value if it is absent and has no default.
func At[T, V any](name string, kind Type[V], place func(*T) *V) *TypedField[T, V] {
	return Read(name, kind, func(t *T, v V) { *place(t) = v }).From(func(t *T) (V, bool) {
		v := *place(t)
		return v, !reflect.ValueOf(v).IsZero()
	})
}

// Pointer declares a field whose value is behind a pointer that place locates: nil if it is absent and has no default.
func Pointer[T, V any](name string, kind Type[V], place func(*T) **V) *TypedField[T, V] {
	return Read(name, kind, func(t *T, v V) { *place(t) = &v }).From(func(t *T) (v V, present bool) {
		if p := *place(t); p != nil {
			return *p, true
		}
		return v, false
	})
}

// Not declares a field that is true by default; place locates the negation of its value.
func Not[T any](name string, place func(*T) *bool) *TypedField[T, bool] {
	return Read(name, Bool{}, func(t *T, v bool) { *place(t) = !v }).From(func(t *T) (bool, bool) { return false, *place(t) }).Default(true)
}

// Unless lets a required field be absent, or null, where another one is there.
func (f *TypedField[T, V]) Unless(other string) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.unless = other })
}

// always reports whether the field is required unconditionally.
func (m *member) always() bool { return m.required && m.unless == "" }

// Read declares a field whose value set stores. If the field is absent or null, set is called only if it has a default.
func Read[T, V any](name string, kind Type[V], set func(*T, V)) *TypedField[T, V] {
	return &TypedField[T, V]{member: member{name: name, step: name, kind: kind}, typed: kind, set: set}
}

// From makes get supply the value when the field is written.
func (f *TypedField[T, V]) From(get func(*T) (V, bool)) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.get = get })
}

// Unread declares a field that is checked and described, but not read.
func Unread[T, V any](name string, kind Type[V]) *TypedField[T, V] {
	return Read(name, kind, func(*T, V) {})
}

// Required makes the field mandatory, and null invalid.
func (f *TypedField[T, V]) Required() *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.required = true })
}

// Doc describes the field in a sentence or two.
func (f *TypedField[T, V]) Doc(doc string) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.doc = doc })
}

// Default is the value of an absent field.
func (f *TypedField[T, V]) Default(value V) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) {
		f.absence = value
		f.fallback = func(*decoder) V { return value }
	})
}

// Given has a function called, after the value is stored, if the field is not absent: for a T that
// has to tell a default from the same value that was sent.
func (f *TypedField[T, V]) Given(given func(*T)) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.given = given })
}

// Sent has a value that is the default written if sent reports that it was in the request: absent, it would mean something else.
func (f *TypedField[T, V]) Sent(sent func(*T) bool) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.sent = sent })
}

// DefaultEmpty reads an absent field as an empty object, whose defaults are filled in.
func (f *TypedField[T, V]) DefaultEmpty() *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) {
		f.fallback = func(d *decoder) V { return f.typed.decode(d, object{}) }
	})
}

// DefaultLater describes a default that is not filled in here: the value stays absent,
// and whatever uses it in the end applies the default.
func (f *TypedField[T, V]) DefaultLater(value V) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.absence = value })
}

// Example is a value for readers.
func (f *TypedField[T, V]) Example(value V) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.example = value })
}

// Plan gates the field: it is the smallest plan that may set it.
func (f *TypedField[T, V]) Plan(plan string) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.plan = plan })
}

// PlanFor gates some values of the field: plan is the smallest one that may set those for which gated is true. The field's Doc
// says which they are.
func (f *TypedField[T, V]) PlanFor(plan string, gated func(V) bool) *TypedField[T, V] {
	return f.with(func(f *TypedField[T, V]) { f.valuePlan, f.gated = plan, gated })
}

func (f *TypedField[T, V]) with(change func(*TypedField[T, V])) *TypedField[T, V] {
	changed := *f
	change(&changed)
	return &changed
}

func (f *TypedField[T, V]) about() *member { return &f.member }

func (f *TypedField[T, V]) read(d *decoder, members object, into *T) bool {
	value, present := members[f.name]
	required := f.required && (f.unless == "" || members[f.unless] == nil)
	switch {
	case value != nil || present && required:
		f.readPresent(d, value, into)
	case required:
		d.refuseAt(f.step, "missing", "Field required")
	case f.fallback != nil:
		f.set(into, f.fallback(d))
	}
	return present
}

func (f *TypedField[T, V]) readPresent(d *decoder, value any, into *T) {
	d.enter(f.step)
	defer d.leave()
	if f.plan != "" {
		d.gate(f.plan)
	}
	before := d.found
	if v := f.typed.decode(d, value); d.found == before {
		if f.gated != nil && f.gated(v) {
			d.gate(f.valuePlan)
		}
		f.set(into, v)
		if f.given != nil {
			f.given(into)
		}
	}
}

func (f *TypedField[T, V]) write(from *T) (value any, present bool) {
	if f.get == nil {
		return nil, false
	}
	v, present := f.get(from)
	if present && f.fallback != nil && (f.sent == nil || !f.sent(from)) {
		present = !reflect.DeepEqual(v, f.fallback(&decoder{}))
	}
	if !present && !f.always() {
		return nil, false
	}
	return f.typed.encode(v), true
}
