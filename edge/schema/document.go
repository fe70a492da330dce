package schema

import "encoding/json"

// Document is a value together with the JSON that it was read from.
type Document[T any] struct {
	Value T
	tree  any
	kind  Kind
}

// Canonical is the JSON in a form that is the same for equal values, however they were
// written: without white space and nulls, fields in the order of their names, integers
// in plain digits. Defaults are not filled in. Commands and idempotency fingerprints
// keep these bytes: they must never change.
func (d Document[T]) Canonical() []byte {
	b, err := json.Marshal(d.kind.canonical(d.tree))
	if err != nil {
		panic(err) // impossible: it was parsed from JSON
	}
	return b
}

// DocumentOf is a kind that keeps the JSON beside the value.
type DocumentOf[V any] struct{ Type[V] }

func (k DocumentOf[V]) decode(d *decoder, value any) Document[V] {
	return Document[V]{Value: k.Type.decode(d, value), tree: value, kind: k.Type}
}
