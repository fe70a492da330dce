package projections

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// mark is by what a replica knows the journal of a partition again: the hash of the last record that it has folded. A log that has
// lost its end, and has grown again, has another record there. A mark describes the store, so it is no row of the partition.
type mark struct {
	next int64 // the offset behind the record
	hash uint64
}

func markOf(r eventlog.Record) mark { return mark{r.Offset + 1, xxhash.Sum64(r.Value)} }

func markKey(partition int32) []byte {
	return binary.BigEndian.AppendUint32([]byte("\x00mark"), uint32(partition))
}

func (m mark) encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(m.next)), m.hash)
}

// mark returns the mark of a partition; false if there is none.
func (s *store) mark(partition int32) (m mark, ok bool, err error) {
	b, err := get(s.db, markKey(partition))
	if err != nil || len(b) != 16 {
		return m, false, err
	}
	return mark{int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:])}, true, nil
}

// ErrDiverged means that the journal is not the one that a replica has folded: its end was lost.
var ErrDiverged = errors.New("the journal has lost records that were folded")

// compare returns ErrDiverged if the journal of a partition does not have the record that was folded last. A record
// that is trimmed cannot be compared.
func (f *follower) compare(ctx context.Context) error {
	next := f.position().Next
	if next == 0 {
		return nil
	}
	start, end, err := f.replica.cfg.Log.Bounds(ctx, events.TopicJournal, f.partition)
	if err != nil {
		return fmt.Errorf("end of journal %d: %w", f.partition, err)
	}
	if next > end {
		return fmt.Errorf("journal %d ends at offset %d, and was folded up to %d: %w", f.partition, end, next, ErrDiverged)
	}
	m, ok, err := f.replica.store.Load().mark(f.partition)
	if err != nil || !ok || m.next != next || next <= start {
		return err
	}
	r, err := eventlog.ReadOne(ctx, f.replica.cfg.Log, events.TopicJournal, f.partition, next-1)
	if errors.Is(err, eventlog.ErrTrimmed) {
		return nil
	}
	if err == nil && markOf(r) != m {
		err = fmt.Errorf("journal %d has another record at offset %d than was folded: %w", f.partition, next-1, ErrDiverged)
	}
	return err
}

// discard drops the rows of a partition whose journal is another one than they follow from, and begins again with a snapshot, or
// with the beginning of the journal.
func (f *follower) discard(ctx context.Context, why error) error {
	r := f.replica
	r.diverged.Add(1)
	r.cfg.Logger.Error("the journal has lost its end, so the rows of a partition are made again: what was accepted there is lost", "partition", f.partition, "error", why)
	if err := f.makeAgain(ctx); err != nil {
		return errors.Join(why, err)
	}
	return nil
}

// load replaces the rows of the partition, while nothing is folded.
func (f *follower) load(ctx context.Context, rows Rows) (Cursor, error) {
	f.folding.Lock()
	defer f.folding.Unlock()
	return f.replica.store.Load().load(ctx, f.partition, rows)
}

// markLoaded notes the record before a cursor that was loaded. Without it the partition is compared from the next record on.
func (f *follower) markLoaded(ctx context.Context, next int64) {
	if next == 0 {
		return
	}
	r, err := eventlog.ReadOne(ctx, f.replica.cfg.Log, events.TopicJournal, f.partition, next-1)
	if err == nil {
		err = f.replica.store.Load().db.Set(markKey(f.partition), markOf(r).encode(), pebble.NoSync)
	}
	if err != nil && ctx.Err() == nil {
		f.replica.cfg.Logger.Warn("the last record of a snapshot cannot be noted", "partition", f.partition, "error", err)
	}
}

// restored publishes that the rows are now those of a snapshot.
func (f *follower) restored(cursor Cursor) {
	f.replica.forgetAll()
	f.publish(Progress{Partition: f.partition, Cursor: cursor, Restored: true})
}

// Diverged counts the partitions whose rows were made again because their journal had lost its end.
func (r *Replica) Diverged() int64 { return r.diverged.Load() }

// noteMark notes the last record of a run in the batch that folds it.
func noteMark(b *pebble.Batch, partition int32, records []eventlog.Record) error {
	if len(records) == 0 {
		return nil
	}
	return b.Set(markKey(partition), markOf(records[len(records)-1]).encode(), nil)
}
