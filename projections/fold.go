package projections

import (
	"cmp"

	"platen.dev/events"
)

// Projection folds accepted envelopes into tables. Apply must depend on nothing but its
// arguments, so that every replica holds the same bytes.
type Projection interface {
	Apply(tx *Tx, partition int32, e events.Envelope)
}

// Cursor is the position of a reader in one partition of the journal, together with the
// whole state of the acceptance rule (docs/decisions/0003).
type Cursor struct {
	// Next is the offset of the first journal record not yet read.
	Next int64 `cbor:"1,keyasint"`
	// Epoch is the offset of the latest marker, -1 before the first.
	Epoch int64 `cbor:"2,keyasint"`
	// Cause is the command offset of the last accepted envelope, -1 before the first. After
	// a gap it is the offset before the first command that is still there.
	Cause int64 `cbor:"3,keyasint"`
	// Owner is the node of the latest marker; empty before the first.
	Owner events.NodeID `cbor:"4,keyasint,omitempty"`
	// Commands identifies the topic of the causes. The first marker that names one sets it,
	// and a gap changes it.
	Commands events.TopicID `cbor:"5,keyasint,omitempty"`
	// At is the time of the last accepted envelope; zero before the first.
	At events.Instant `cbor:"6,keyasint,omitempty"`
}

// Origin returns the cursor before the first record of a partition.
func Origin() Cursor { return Cursor{Next: 0, Epoch: -1, Cause: -1} }

// Step moves the cursor past one record and reports whether the record is an accepted
// envelope or gap. Both must be of the latest marker's epoch and about the command after the
// last accepted one: what follows an append that got lost is void. The entry of a foreign
// record is nil.
func (c *Cursor) Step(offset int64, entry events.Entry) bool {
	c.Next = offset + 1
	switch e := entry.(type) {
	case events.Marker:
		c.Epoch, c.Owner = offset, e.Owner
		c.Commands = cmp.Or(c.Commands, e.Commands)
	case events.Envelope:
		if e.Epoch == c.Epoch && e.Cause == c.Cause+1 {
			c.Cause, c.At = e.Cause, e.At
			return true
		}
	case events.Gap:
		if e.Epoch == c.Epoch && e.From == c.Cause+1 {
			c.Cause, c.Commands = e.To-1, e.Commands
			return true
		}
	}
	return false
}
