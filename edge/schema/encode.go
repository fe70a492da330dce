package schema

import (
	"encoding/json"
	"slices"
)

// Hidden stands for a credential, or for a list or dictionary with one, in what Encode returns.
type Hidden struct{}

// Encode returns a value as JSON that Decode reads as the same value, except for credentials. It omits fields that absence would not
// change, and fields that can only be read.
func (o Object[T]) Encode(value T) Ordered {
	all := Ordered{}
	for _, f := range o.Fields {
		if v, present := f.write(&value); present {
			all = append(all, Member{f.about().name, v})
		}
	}
	return all
}

func (o Object[T]) encode(v T) any { return o.Encode(v) }

func (s String) encode(v string) any {
	if s.Secret {
		return Hidden{}
	}
	return v
}

func (Bool) encode(v bool) any { return v }

func (Integer) encode(v int64) any { return v }

func (Number) encode(v float64) any { return v }

func (Bytes) encode(v []byte) any { return v }

func (t Tuple[V]) encode(all []V) any {
	return encodeItems(all, func(i int) Type[V] { return t[i] })
}

func (l List[V]) encode(all []V) any {
	return encodeItems(all, func(int) Type[V] { return l.Items })
}

// encodeItems returns the values of an array, or Hidden if one contains a credential.
func encodeItems[V any](all []V, kind func(i int) Type[V]) any {
	items := make([]any, len(all))
	for i, v := range all {
		if items[i] = kind(i).encode(v); hides(items[i]) {
			return Hidden{}
		}
	}
	return items
}

func (m Dict[V]) encode(all []Pair[V]) any {
	members := object{}
	for _, p := range all {
		v := m.Values.encode(p.Value)
		if hides(v) {
			return Hidden{}
		}
		members[p.Name] = v
	}
	return members
}

// encode is never needed: the value was only checked.
func (Either) encode(None) any { return nil }

func (DocumentOf[V]) encode(d Document[V]) any { return json.RawMessage(d.Canonical()) }

// hides reports whether an encoded value contains a credential.
func hides(v any) bool {
	switch v := v.(type) {
	case Hidden:
		return true
	case Ordered:
		return slices.ContainsFunc(v, func(m Member) bool { return hides(m.Value) })
	}
	return false // lists and dictionaries with credentials are Hidden themselves
}
