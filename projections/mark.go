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

// mark is how a replica recognises the journal of a partition: the hash of a record that it has folded. A log that has lost its end, and has grown
// again, has another record there. Two marks are kept: of the last record, and of the last marker, because a gap may be identical in the epoch of
// another owner, while no two markers are. A mark describes the store, so it is no row of the partition.
type mark struct {
	next int64 // the offset after the record
	hash uint64
}

func markOf(r eventlog.Record) mark { return mark{r.Offset + 1, xxhash.Sum64(r.Value)} }

func markKey(partition int32) []byte {
	return binary.BigEndian.AppendUint32([]byte("\x00mark"), uint32(partition))
}

// epochMarkKey is the key of the mark of the last marker.
func epochMarkKey(partition int32) []byte {
	return binary.BigEndian.AppendUint32([]byte("\x00epochmark"), uint32(partition))
}

func (m mark) encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(m.next)), m.hash)
}

// mark returns a mark by its key; false if there is none.
func (s *store) mark(key []byte) (m mark, ok bool, err error) {
	b, err := get(s.db, key)
	if err != nil || len(b) != 16 {
		return m, false, err
	}
	return mark{int64(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:])}, true, nil
}

// ErrDiverged means that the journal is not the one that a replica has folded: its end was lost.
var ErrDiverged = errors.New("the journal has lost records that were folded")

// compare returns ErrDiverged if the journal of a partition lacks the last record folded, or the marker before it. A trimmed record cannot be
// compared.
func (f *follower) compare(ctx context.Context) error {
	cursor := f.position()
	if cursor.Next == 0 {
		return nil
	}
	start, end, err := f.replica.cfg.Log.Bounds(ctx, events.TopicJournal, f.partition)
	if err != nil {
		return fmt.Errorf("end of journal %d: %w", f.partition, err)
	}
	if cursor.Next > end {
		return lostEnd(f.partition, end, cursor.Next)
	}
	if err := f.compareOne(ctx, epochMarkKey(f.partition), cursor.Epoch+1, start); err != nil {
		return err
	}
	return f.compareOne(ctx, markKey(f.partition), cursor.Next, start)
}

// lostEnd is the error of a journal that ends before what was folded.
func lostEnd(partition int32, end, next int64) error {
	return fmt.Errorf("journal %d ends at offset %d, and was folded up to %d: %w", partition, end, next, ErrDiverged)
}

// compareOne compares the record before the offset next with the mark under a key, if the mark is of that record.
func (f *follower) compareOne(ctx context.Context, key []byte, next, start int64) error {
	m, ok, err := f.replica.store.Load().mark(key)
	if err != nil || !ok || m.next != next || next <= start {
		return err
	}
	r, there, err := f.recordAt(ctx, next-1)
	if there && markOf(r) != m {
		err = fmt.Errorf("journal %d has another record at offset %d than was folded: %w", f.partition, next-1, ErrDiverged)
	}
	return err
}

// recordAt reads a record of the journal; false if it is trimmed.
func (f *follower) recordAt(ctx context.Context, offset int64) (r eventlog.Record, there bool, err error) {
	r, err = eventlog.ReadOne(ctx, f.replica.cfg.Log, events.TopicJournal, f.partition, offset)
	if errors.Is(err, eventlog.ErrTrimmed) {
		return r, false, nil
	}
	return r, err == nil, err
}

// discard drops the rows of a partition whose journal is another one than theirs, and begins again with a snapshot, or with the beginning of the
// journal.
func (f *follower) discard(ctx context.Context, why error) error {
	r := f.replica
	r.diverged.Add(1)
	r.cfg.Logger.Error("the journal has lost its end; rebuilding the partition's rows: work accepted there is lost", "partition", f.partition, "error", why)
	if err := f.makeAgain(ctx); err != nil {
		return errors.Join(why, err)
	}
	return nil
}

// load replaces the rows of the partition while nothing is folded. It refuses rows of another journal.
func (f *follower) load(ctx context.Context, rows Rows) (Cursor, error) {
	f.folding.Lock()
	defer f.folding.Unlock()
	return f.replica.store.Load().load(ctx, f.partition, func(visit func(key, value []byte) error) error {
		return rows(func(key, value []byte) error {
			if len(key) > 0 && key[0] == cursors.Name {
				if c, err := cursors.Decode(value); err == nil { // otherwise the store refuses it
					if err := f.owned(ctx, c); err != nil {
						return err
					}
				}
			}
			return visit(key, value)
		})
	})
}

// owned returns ErrDiverged if the marker of a cursor's epoch is of another owner. The last record of a snapshot may match nevertheless, if it is a
// gap.
func (f *follower) owned(ctx context.Context, c Cursor) error {
	start, end, err := f.replica.cfg.Log.Bounds(ctx, events.TopicJournal, f.partition)
	if err != nil || c.Epoch < start || c.Epoch >= end {
		return err
	}
	r, there, err := f.recordAt(ctx, c.Epoch)
	if !there {
		return err
	}
	entry, _ := events.DecodeEntry(r.Value)
	if m, is := entry.(events.Marker); !is || m.Owner != c.Owner {
		return fmt.Errorf("the rows are of %s, which the journal does not have at offset %d: %w", c.Owner, c.Epoch, ErrDiverged)
	}
	return nil
}

// markLoaded stores the marks of the record before a loaded cursor, and of its marker. Without them the partition is compared from the next ones on.
func (f *follower) markLoaded(ctx context.Context, cursor Cursor) {
	if err := f.markAt(ctx, cursor); err != nil && ctx.Err() == nil {
		f.replica.cfg.Logger.Warn("cannot store the mark of a snapshot's last record", "partition", f.partition, "error", err)
	}
}

func (f *follower) markAt(ctx context.Context, cursor Cursor) error {
	return errors.Join(f.markOne(ctx, markKey(f.partition), cursor.Next), f.markOne(ctx, epochMarkKey(f.partition), cursor.Epoch+1))
}

// Adopt takes the journal for the one that a partition was folded from. Call it before Start, after records that were folded have been replaced: those
// that a salvage has not found.
func (r *Replica) Adopt(ctx context.Context, partition int32) error {
	f := r.followers[partition]
	return f.markAt(ctx, f.position())
}

func (f *follower) markOne(ctx context.Context, key []byte, next int64) error {
	if next == 0 {
		return nil
	}
	r, there, err := f.recordAt(ctx, next-1)
	if !there { // a mark of another offset does not count
		return err
	}
	return f.replica.store.Load().db.Set(key, markOf(r).encode(), pebble.NoSync)
}

// restored publishes that the rows are now those of a snapshot.
func (f *follower) restored(cursor Cursor) {
	f.replica.forgetAll()
	f.publish(Progress{Partition: f.partition, Cursor: cursor, Restored: true})
}

// Diverged counts the partitions whose rows were rebuilt because their journal had lost its end.
func (r *Replica) Diverged() int64 { return r.diverged.Load() }

// noteMark stores the marks of a run's last record and last marker, in the batch that folds it.
func noteMark(b *pebble.Batch, partition int32, records []eventlog.Record, steps []Step) error {
	if len(records) == 0 {
		return nil
	}
	err := b.Set(markKey(partition), markOf(records[len(records)-1]).encode(), nil)
	for i := len(steps) - 1; i >= 0 && err == nil; i-- {
		if _, is := steps[i].Entry.(events.Marker); is {
			return b.Set(epochMarkKey(partition), markOf(records[i]).encode(), nil)
		}
	}
	return err
}
