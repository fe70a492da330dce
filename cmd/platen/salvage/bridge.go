// Package salvage copies what is readable of a damaged embedded log, and reports what is lost.
package salvage

import (
	"slices"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/projections"
)

// bridge keeps a journal valid across lost records. Without it no later envelope would count: each must be of the latest marker's epoch and about the
// command after the last one. So a lost marker is replaced by a marker, and lost envelopes by a gap, as for commands that were trimmed: their changes
// are lost.
type bridge struct {
	cursor projections.Cursor
	// folded is how far a replica has folded the journal, and knows who wrote its last marker.
	folded projections.Cursor
	// first is the offset of the first record seen, -1 before it. Markers before it are trimmed. known is set once the first entry of a marker that was
	// seen has told where the journal continues.
	first int64
	known bool
}

var _ embedded.Bridge = (*bridge)(nil)

func newBridge(folded projections.Cursor) *bridge {
	return &bridge{cursor: projections.Origin(), folded: folded, first: -1}
}

// Saw implements embedded.Bridge.
func (b *bridge) Saw(r eventlog.Record) {
	decoded, _ := events.DecodeEntry(r.Value) // an undecodable record counts as foreign
	if b.first < 0 {
		b.first, b.known = r.Offset, r.Offset == 0
	}
	if e, is := entryOf(decoded); is && b.continues(e) {
		b.cursor.Epoch, b.cursor.Cause, b.known = e.epoch, e.cause-1, e.epoch >= b.first
	}
	b.cursor.Step(r.Offset, decoded)
}

// continues reports whether a journal that is trimmed continues with an entry, since nothing before it tells: it is of the greatest of the trimmed epochs,
// or the first of the one whose marker was seen.
func (b *bridge) continues(e entry) bool {
	return e.epoch > b.cursor.Epoch && e.epoch < b.first || !b.known && e.epoch >= b.first && e.epoch == b.cursor.Epoch
}

// Fill implements embedded.Bridge.
func (b *bridge) Fill(lost embedded.Lost, later func(func(eventlog.Record) bool)) map[int64][]byte {
	all := map[int64]events.Entry{}
	if lost.From <= b.folded.Next && b.folded.Next < lost.To { // the replica continues amid what is lost, and so does everybody who begins with its rows
		if b.folded.Epoch >= lost.From {
			all[b.folded.Epoch] = events.Marker{Owner: b.folded.Owner, Commands: b.folded.Commands, Level: b.folded.Level(), At: b.folded.At}
		}
		b.cursor, lost.From = b.folded, b.folded.Next
	}
	next, found := b.following(lost, later)
	if !found {
		return encode(all)
	}
	gap := events.Gap{Epoch: b.cursor.Epoch, From: b.cursor.Cause + 1, To: next.cause, Commands: b.cursor.Commands}
	at := lost.From
	if next.epoch >= lost.From && next.epoch < lost.To {
		all[next.epoch] = events.Marker{Owner: b.ownerOf(next.epoch), Commands: b.cursor.Commands, Level: b.cursor.Level(), At: b.cursor.At}
		if next.epoch+1 < lost.To {
			gap.Epoch, at = next.epoch, next.epoch+1
		}
	}
	if _, taken := all[at]; !taken && gap.From < gap.To {
		all[at] = gap
	}
	return encode(all)
}

// ownerOf returns who wrote a lost marker, as far as is known.
func (b *bridge) ownerOf(epoch int64) events.NodeID {
	if epoch == b.folded.Epoch && b.folded.Owner != "" {
		return b.folded.Owner
	}
	return salvager
}

// salvager is the owner named by the markers that replace lost ones.
const salvager = events.NodeID("salvage")

func encode(all map[int64]events.Entry) map[int64][]byte {
	values := map[int64][]byte{}
	for offset, entry := range all {
		if value, err := events.EncodeEntry(entry); err == nil {
			values[offset] = value
		}
	}
	return values
}

// continuation is where a journal continues after lost records: with the command at offset cause, in an epoch.
type continuation struct{ epoch, cause int64 }

// lookAhead bounds how many records are read to find out where a journal continues.
const lookAhead = 100_000

// following finds the first envelope or gap after lost records that counts.
func (b *bridge) following(lost embedded.Lost, later func(func(eventlog.Record) bool)) (next continuation, found bool) {
	run, after, known := b.read(lost, later)
	for len(run) > 0 {
		next = latest(run)
		if !known || end(run, next) == after {
			return next, true
		}
		run = slices.DeleteFunc(run, func(e entry) bool { return e.epoch == next.epoch }) // its marker was not the last one lost
	}
	if lost.To-lost.From == 1 && after > b.cursor.Cause+1 { // an envelope was lost, and nothing counts before the next marker
		return continuation{b.cursor.Epoch, after}, known
	}
	return continuation{lost.To - 1, after}, known // nothing counts before the next surviving marker: another one may be lost
}

// entry is an envelope or a gap: it covers the commands from offset cause up to, not including, to.
type entry struct {
	continuation
	to int64
}

// read returns what may count before the next marker after lost records, and the first command that its owner decided.
func (b *bridge) read(lost embedded.Lost, later func(func(eventlog.Record) bool)) (run []entry, after int64, known bool) {
	read, marker := 0, int64(-1)
	later(func(r eventlog.Record) bool {
		decoded, _ := events.DecodeEntry(r.Value)
		if _, is := decoded.(events.Marker); is {
			marker = r.Offset
		}
		e, is := entryOf(decoded)
		switch {
		case !is:
		case marker >= 0 && e.epoch == marker:
			after, known = e.cause, true
		case marker < 0 && (e.epoch == b.cursor.Epoch || e.epoch >= lost.From && e.epoch < lost.To):
			run = append(run, e)
		}
		read++
		return !known && read < lookAhead
	})
	return run, after, known
}

// latest returns where the latest epoch of a run begins.
func latest(run []entry) (next continuation) {
	next.epoch = -1
	for _, e := range run {
		if e.epoch > next.epoch {
			next = e.continuation
		}
	}
	return next
}

// end returns the command after those that a run covers, if it counts from one of its entries on.
func end(run []entry, from continuation) int64 {
	to := from.cause
	for _, e := range run {
		if e.epoch == from.epoch && e.cause == to {
			to = e.to
		}
	}
	return to
}

func entryOf(decoded events.Entry) (entry, bool) {
	switch e := decoded.(type) {
	case events.Envelope:
		return entry{continuation{e.Epoch, e.Cause}, e.Cause + 1}, true
	case events.Gap:
		return entry{continuation{e.Epoch, e.From}, e.To}, true
	}
	return entry{}, false
}
