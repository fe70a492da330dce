package projections

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// runRecords bounds the records that one batch folds.
const runRecords = 4096

// follower reads one partition of the journal and folds it into the replica.
type follower struct {
	replica   *Replica
	partition int32

	mu       sync.Mutex
	cursor   Cursor                 // guarded by mu, like all below
	moved    chan struct{}          // closed and replaced when cursor or err changes
	watchers map[int]func(Progress) // by an id that ends the watch
	nextID   int
	err      error // why the follower has stopped
}

func newFollower(ctx context.Context, r *Replica, partition int32) (*follower, error) {
	cursor, ok, err := cursors.Get(r, cursorKey(partition))
	if err != nil {
		return nil, err
	}
	if !ok {
		cursor = Origin()
	}
	_, end, err := r.cfg.Log.Bounds(ctx, events.TopicJournal, partition)
	if err != nil {
		return nil, fmt.Errorf("end of journal %d: %w", partition, err)
	}
	if cursor.Next > end {
		return nil, fmt.Errorf("journal %d ends at offset %d, but the replica has folded it up to %d: the log was recreated or has lost its last records; remove %s to rebuild the replica from the log: %w",
			partition, end, cursor.Next, r.cfg.Dir, eventlog.ErrBeyondEnd)
	}
	return &follower{replica: r, partition: partition, cursor: cursor, moved: make(chan struct{}), watchers: map[int]func(Progress){}}, nil
}

// run folds until ctx ends or the follower fails.
func (f *follower) run(ctx context.Context) {
	reader := f.replica.cfg.Log.Read(events.TopicJournal, f.partition, f.position().Next)
	defer reader.Close()
	for {
		records, err := reader.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		for len(records) > 0 && err == nil {
			n := min(len(records), runRecords)
			err = f.fold(records[:n])
			records = records[n:]
		}
		if err != nil {
			f.fail(err)
			return
		}
	}
}

// fold applies a run of records in one batch, then publishes the progress.
func (f *follower) fold(records []eventlog.Record) error {
	p := Progress{Partition: f.partition, Cursor: f.position(), Steps: make([]Step, 0, len(records))}
	tx := NewTx(f.replica)
	for _, rec := range records {
		entry, err := events.DecodeEntry(rec.Value)
		if errors.Is(err, events.ErrNewer) {
			return fmt.Errorf("journal %d at offset %d: %w", f.partition, rec.Offset, err)
		}
		if err != nil { // not an entry of Platen: every replica skips it
			f.replica.cfg.Logger.Error("foreign record in the journal skipped", "partition", f.partition, "offset", rec.Offset, "error", err)
		}
		accepted := p.Cursor.Step(rec.Offset, entry)
		if e, ok := entry.(events.Envelope); ok && accepted {
			f.apply(tx, e)
		}
		p.Steps = append(p.Steps, Step{rec.Offset, entry, accepted})
	}
	cursors.Put(tx, cursorKey(f.partition), p.Cursor)
	if err := f.commit(tx); err != nil {
		return fmt.Errorf("fold journal %d: %w", f.partition, err)
	}
	f.replica.forgetChanged(p.Steps)
	f.publish(p)
	return nil
}

func (f *follower) apply(tx *Tx, e events.Envelope) {
	for _, projection := range f.replica.cfg.Projections {
		projection.Apply(tx, f.partition, e)
	}
}

// commit does not sync: commits that a power loss undoes are folded again from the journal.
func (f *follower) commit(tx *Tx) error {
	batch := f.replica.db.NewBatch()
	defer batch.Close()
	if err := tx.Flush(batchWriter{batch}); err != nil {
		return err
	}
	return batch.Commit(pebble.NoSync)
}

// batchWriter writes a Tx to a batch.
type batchWriter struct{ batch *pebble.Batch }

func (w batchWriter) Set(key, value []byte) error { return w.batch.Set(key, value, nil) }
func (w batchWriter) Delete(key []byte) error     { return w.batch.Delete(key, nil) }

func (f *follower) publish(p Progress) {
	f.mu.Lock()
	f.cursor = p.Cursor
	f.wake()
	watchers := make([]func(Progress), 0, len(f.watchers))
	for _, receive := range f.watchers {
		watchers = append(watchers, receive)
	}
	f.mu.Unlock()
	for _, receive := range watchers {
		receive(p)
	}
}

// fail stops the follower for good, unless it has failed before. The first failure of a
// replica is reported.
func (f *follower) fail(err error) {
	f.mu.Lock()
	f.err = cmp.Or(f.err, err)
	f.wake()
	f.mu.Unlock()
	f.replica.failed.Do(func() {
		if f.replica.cfg.Failed != nil {
			f.replica.cfg.Failed(err)
		}
	})
}

// wake resumes everything that waits for moved. The caller holds mu.
func (f *follower) wake() {
	close(f.moved)
	f.moved = make(chan struct{})
}

func (f *follower) position() Cursor {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cursor
}

func (f *follower) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *follower) watch(receive func(Progress)) (stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.nextID
	f.nextID++
	f.watchers[id] = receive
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, id)
	}
}

// wait returns once every record below offset end is folded, or with the error that stops
// the follower or ends ctx.
func (f *follower) wait(ctx context.Context, end int64) error {
	for {
		f.mu.Lock()
		cursor, moved, err := f.cursor, f.moved, f.err
		f.mu.Unlock()
		if cursor.Next >= end || err != nil {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("the replica of journal %d is at offset %d, before %d: %w", f.partition, cursor.Next, end, ctx.Err())
		}
	}
}
