package table

import "platen.dev/events"

// Projection folds accepted envelopes into tables. Apply must depend only on its arguments, so that
// every replica holds the same bytes.
type Projection interface {
	Apply(tx *Tx, partition int32, e events.Envelope)
}
