package schema

import (
	"slices"
	"unicode/utf8"
)

// object is a JSON object as the parser makes it.
type object = map[string]any

func (o Object[T]) check(d *decoder, value any) { o.decode(d, value) }

func (o Object[T]) decode(d *decoder, value any) (into T) {
	members, ok := value.(object)
	if !ok {
		d.refuse("model_attributes_type", "Input should be a valid dictionary or object to extract fields from")
		return into
	}
	before, known := d.found, 0
	for _, f := range o.Fields {
		if f.read(d, members, &into) {
			known++
		}
	}
	if known < len(members) {
		o.refuseUnknown(d, members)
	}
	if d.found == before {
		o.checkRules(d, &into)
	}
	return into
}

// refuseUnknown refuses the members that are not declared, in the order of their names.
func (o Object[T]) refuseUnknown(d *decoder, members object) {
	for _, name := range o.firstUnknown(members) {
		d.refuseAt(shortened(name), "extra_forbidden", "Extra inputs are not permitted")
	}
}

// firstUnknown returns the first MaxViolations undeclared names. It never holds more of them: a body can have a million.
func (o Object[T]) firstUnknown(members object) (names []string) {
	for name := range members {
		if slices.ContainsFunc(o.Fields, func(f Field[T]) bool { return f.about().name == name }) {
			continue
		}
		place, _ := slices.BinarySearch(names, name)
		if place == MaxViolations {
			continue
		}
		names = slices.Insert(names, place, name)
		names = names[:min(len(names), MaxViolations)]
	}
	return names
}

func shortened(name string) string {
	if utf8.RuneCountInString(name) <= MaxName {
		return name
	}
	return string([]rune(name)[:MaxName-1]) + "…"
}

func (o Object[T]) checkRules(d *decoder, value *T) {
	for _, r := range o.Rules {
		if wrong := r.Check(value); wrong != "" {
			d.refuseAt(r.Field, "value_error", "Value error, %s", wrong)
		}
	}
}

func (o Object[T]) canonical(value any) any {
	members, kept := value.(object), object{}
	for _, f := range o.Fields {
		about := f.about()
		if v := members[about.name]; v != nil {
			kept[about.name] = about.kind.canonical(v)
		}
	}
	return kept
}
