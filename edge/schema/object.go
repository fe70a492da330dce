package schema

import (
	"slices"
	"strings"
	"unicode/utf8"
)

func (o Object) check(value any, loc []any) []Violation {
	fields, ok := value.(map[string]any)
	if !ok {
		return one(loc, "model_attributes_type", "Input should be a valid dictionary or object to extract fields from")
	}
	all := o.checkFields(fields, loc)
	all = atMost(all, o.unknown(fields, loc))
	if len(all) > 0 {
		return all
	}
	return o.checkRules(fields, loc)
}

func (o Object) checkFields(fields map[string]any, loc []any) (all []Violation) {
	for _, f := range o.Fields {
		v, present := fields[f.Name]
		switch {
		case !present && f.Required:
			all = atMost(all, one(at(loc, f.Name), "missing", "Field required"))
		case v == nil && !f.Required:
			delete(fields, f.Name)
		default:
			all = atMost(all, f.Kind.check(v, at(loc, f.Name)))
			fields[f.Name] = settled(f.Kind, v)
		}
	}
	return all
}

// unknown refuses the fields that are not declared, in the order of their names.
func (o Object) unknown(fields map[string]any, loc []any) (all []Violation) {
	for _, name := range o.firstUnknown(fields) {
		all = append(all, one(at(loc, shortened(name)), "extra_forbidden", "Extra inputs are not permitted")...)
	}
	return all
}

// firstUnknown is the first MaxViolations undeclared names. It keeps no more than
// that while it looks: a body can have a million of them.
func (o Object) firstUnknown(fields map[string]any) (names []string) {
	for name := range fields {
		if slices.ContainsFunc(o.Fields, func(f Field) bool { return f.Name == name }) {
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

func (o Object) checkRules(fields map[string]any, loc []any) (all []Violation) {
	for _, r := range o.Rules {
		if wrong := r.Check(fields); wrong != "" {
			all = atMost(all, one(at(loc, r.Field), "value_error", "Value error, %s", wrong))
		}
	}
	return all
}

// Gates lists the fields set in a decoded value that are not for every plan, in
// the order they are declared in, an object before its own fields. Only presence
// counts: a gated field set to its default is gated too.
func (o Object) Gates(value map[string]any) []Gate { return o.gates(value, nil) }

func (o Object) gates(value map[string]any, path []string) (all []Gate) {
	for _, f := range o.Fields {
		v := value[f.Name]
		if v == nil {
			continue
		}
		below := append(slices.Clone(path), f.Name)
		if f.Plan != "" {
			all = append(all, Gate{Path: strings.Join(below, "."), Plan: f.Plan})
		}
		all = append(all, gatesOf(f.Kind, v, below)...)
	}
	return all
}
