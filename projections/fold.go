package projections

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/projections/table"
)

// Cursor is the position of a reader in one partition of the journal, together with the whole state of the acceptance rule (docs/decisions/0003).
type Cursor struct {
	// Next is the offset of the first journal record not yet read.
	Next int64 `cbor:"1,keyasint"`
	// Epoch is the offset of the latest marker, -1 before the first.
	Epoch int64 `cbor:"2,keyasint"`
	// Cause is the command offset of the last accepted envelope, -1 before the first. After a gap it is the offset before the first remaining command.
	Cause int64 `cbor:"3,keyasint"`
	// Owner is the node of the latest marker; empty before the first.
	Owner events.NodeID `cbor:"4,keyasint,omitempty"`
	// Commands identifies the topic of the causes. The first marker that names one sets it,
	// and a gap changes it.
	Commands events.TopicID `cbor:"5,keyasint,omitempty"`
	// At is the time of the last accepted envelope; zero before the first.
	At events.Instant `cbor:"6,keyasint,omitempty"`
	// Raised is the level that the partition began with or was raised to; zero means the first level.
	Raised events.Level `cbor:"7,keyasint,omitempty"`
	// Timeline is that of the record before Next; empty in a partition that has named none yet. Number is that of the last public event that follows
	// from the records before Next, zero while Timeline is empty.
	Timeline events.TimelineID `cbor:"8,keyasint,omitempty"`
	Number   int64             `cbor:"9,keyasint,omitempty"`
}

// Level is the feature level of the partition.
func (c Cursor) Level() events.Level { return max(c.Raised, events.FirstLevel) }

// Origin returns the cursor before the first record of a partition.
func Origin() Cursor { return Cursor{Next: 0, Epoch: -1, Cause: -1} }

// Step moves the cursor past one record and reports whether the record is an accepted envelope or gap. It must be of the latest marker's epoch and
// about the command after the last accepted one: records after a lost append are void. The entry of a foreign record is nil.
func (c *Cursor) Step(offset int64, entry events.Entry) bool {
	c.Next = offset + 1
	switch e := entry.(type) {
	case events.Marker:
		c.Epoch, c.Owner = offset, e.Owner
		if offset == 0 {
			c.Raised = e.Level
		}
		c.Commands = cmp.Or(c.Commands, e.Commands)
		c.begin(offset, e)
	case events.Envelope:
		if e.Epoch == c.Epoch && e.Cause == c.Cause+1 {
			c.Cause, c.At = e.Cause, e.At
			c.raise(e.Events)
			if c.Timeline != "" {
				c.Number += int64(public.Count(e))
			}
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

// begin begins a timeline with a marker: the first that names one, one after a restored part, or one that knows of more public events than follow
// from the journal, which has therefore lost its end.
//
// Numbers rise over timelines. The numbers of lost events are unknown, but each is below the time at which it was given, in microseconds. So a
// timeline that is not the partition's first continues from the time at which it began. Its first event says so (public.TimelineBegun).
func (c *Cursor) begin(offset int64, m events.Marker) {
	if m.Timeline == "" || c.Timeline != "" && !m.Restored && m.Published <= c.Number {
		return
	}
	c.Timeline = m.Timeline
	if offset > 0 || m.Restored {
		c.Number = max(c.Number, m.Published, int64(m.At)*1000) + 1
	}
}

// raise takes a new level from events.
func (c *Cursor) raise(evs []events.Event) {
	for _, ev := range evs {
		if raised, ok := ev.(events.LevelRaised); ok {
			c.Raised = max(c.Raised, raised.Level)
		}
	}
}

// Read moves the cursor past a record of the journal and returns its entry, and whether Step accepts it. events.ErrNewer means that this version must
// not read on; any other error that the record is foreign, and has no entry.
func (c *Cursor) Read(partition int32, rec eventlog.Record) (entry events.Entry, accepted bool, err error) {
	entry, err = events.DecodeEntry(rec.Value)
	if errors.Is(err, events.ErrNewer) {
		return nil, false, fmt.Errorf("journal %d at offset %d: %w", partition, rec.Offset, err)
	}
	accepted = c.Step(rec.Offset, entry)
	if level := c.Level(); level > events.NewestLevel {
		return nil, false, fmt.Errorf("journal %d at offset %d is of level %d, this node reads up to %d: %w", partition, rec.Offset, level, events.NewestLevel, events.ErrNewer)
	}
	return entry, accepted, err
}

// fold applies records of a partition's journal, from cursor on, in one batch.
func (s *store) fold(partition int32, cursor Cursor, records []eventlog.Record) (Progress, error) {
	p := Progress{Partition: partition, Cursor: cursor, Steps: make([]Step, 0, len(records))}
	tx := table.NewTx(s)
	for _, rec := range records {
		entry, accepted, err := p.Cursor.Read(partition, rec)
		if errors.Is(err, events.ErrNewer) {
			return p, err
		}
		if err != nil { // not an entry of Platen: every replica skips it
			s.cfg.Logger.Error("foreign record in the journal skipped", "topic", events.TopicJournal, "partition", partition, "offset", rec.Offset, "error", err)
		}
		if e, ok := entry.(events.Envelope); ok && accepted {
			if err := s.apply(tx, partition, e); err != nil {
				return p, foldError{rec.Offset, err}
			}
		}
		p.Steps = append(p.Steps, Step{rec.Offset, entry, accepted})
	}
	cursors.Put(tx, cursorKey(partition), p.Cursor)
	if err := s.commit(tx, partition, records, p.Steps); err != nil {
		return p, fmt.Errorf("fold journal %d: %w", partition, err)
	}
	return p, nil
}

// apply applies the projections to an envelope. An error means that rows cannot be decoded, or that a projection panics.
func (s *store) apply(tx *table.Tx, partition int32, e events.Envelope) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p, debug.Stack()}
		}
	}()
	for _, projection := range s.cfg.Projections {
		projection.Apply(tx, partition, e)
	}
	if err := tx.Err(); errors.Is(err, table.ErrUndecodable) {
		return err
	}
	return nil
}

// commit does not sync: commits lost in a power failure are folded again from the journal.
func (s *store) commit(tx *table.Tx, partition int32, records []eventlog.Record, steps []Step) error {
	batch := s.db.NewBatch()
	defer batch.Close()
	if err := errors.Join(tx.Flush(batchWriter{batch}), noteMark(batch, partition, records, steps)); err != nil {
		return err
	}
	return batch.Commit(pebble.NoSync)
}

// batchWriter writes a table.Tx to a batch.
type batchWriter struct{ batch *pebble.Batch }

func (w batchWriter) Set(key, value []byte) error { return w.batch.Set(key, value, nil) }
func (w batchWriter) Delete(key []byte) error     { return w.batch.Delete(key, nil) }
