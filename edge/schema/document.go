package schema

import "encoding/json"

// Document is a value together with the JSON that it was read from.
type Document[T any] struct {
	Value T
	tree  any
	kind  Kind
}

// Canonical is the JSON without white space and nulls, with fields in the order of their names and integers in plain digits. Fractions (1 and 1.0),
// the case of texts and defaults stay as they were written, so that equal values may differ. Commands and idempotency fingerprints keep these
// bytes: they must never change.
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
