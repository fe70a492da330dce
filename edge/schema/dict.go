package schema

import (
	"maps"
	"slices"
)

// Pair is a member of a Dict.
type Pair[V any] struct {
	Name  string
	Value V
}

func (m Dict[V]) check(d *decoder, value any) { m.decode(d, value) }

func (m Dict[V]) decode(d *decoder, value any) (all []Pair[V]) {
	members, ok := value.(object)
	if !ok {
		d.refuse("dict_type", "Input should be a valid dictionary")
		return nil
	}
	if len(members) > m.Most {
		d.refuse("too_long", "Dictionary should have at most %d item%s after validation, not %d", m.Most, plural(m.Most), len(members))
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		d.enter(shortened(name))
		m.Names.check(d, name)
		all = append(all, Pair[V]{name, m.Values.decode(d, members[name])})
		d.leave()
	}
	return all
}

func (m Dict[V]) canonical(value any) any {
	all := object{}
	for name, v := range value.(object) {
		all[name] = m.Values.canonical(v)
	}
	return all
}

func (m Dict[V]) describe(d *describer) JSONSchema {
	return JSONSchema{
		"type": "object", "maxProperties": m.Most,
		"propertyNames": m.Names.describe(d), "additionalProperties": m.Values.describe(d),
	}
}
