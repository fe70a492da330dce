package projections

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// tail folds one partition of the journal.
type tail struct {
	replica   *Replica
	partition int32

	mu       sync.Mutex
	cursor   Cursor
	moved    chan struct{} // closed and replaced when cursor or err changes
	watchers map[int]func(Progress)
	nextID   int
	err      error
}

func openTail(ctx context.Context, r *Replica, partition int32) (*tail, error) {
	cursor, ok, err := cursors.Get(r, cursors.Key(partition))
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
		return nil, fmt.Errorf("journal %d ends at %d but %d was folded from it: the log was recreated or lost its tail; remove %s to rebuild from the log: %w",
			partition, end, cursor.Next, r.cfg.Dir, eventlog.ErrBeyondEnd)
	}
	return &tail{replica: r, partition: partition, cursor: cursor, moved: make(chan struct{}), watchers: map[int]func(Progress){}}, nil
}

// run folds until ctx ends or the journal cannot be followed.
func (t *tail) run(ctx context.Context) {
	reader := t.replica.cfg.Log.Read(events.TopicJournal, t.partition, t.position().Next)
	defer reader.Close()
	for {
		records, err := reader.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		for len(records) > 0 && err == nil {
			n := min(len(records), runRecords)
			err = t.fold(records[:n])
			records = records[n:]
		}
		if err != nil {
			t.fail(err)
			return
		}
	}
}

// fold applies a run of records in one batch and tells the watchers.
func (t *tail) fold(records []eventlog.Record) error {
	p := Progress{Partition: t.partition, Cursor: t.position(), Steps: make([]Step, 0, len(records))}
	tx := NewTx(t.replica)
	for _, rec := range records {
		entry, err := events.DecodeEntry(rec.Value)
		if errors.Is(err, events.ErrNewer) {
			return fmt.Errorf("journal %d at %d: %w", t.partition, rec.Offset, err)
		}
		if err != nil { // not ours: every replica skips it alike
			t.replica.cfg.Logger.Error("foreign record in journal", "partition", t.partition, "offset", rec.Offset, "error", err)
		}
		accepted := p.Cursor.Step(rec.Offset, entry)
		if accepted {
			t.apply(tx, entry.(events.Envelope))
		}
		p.Steps = append(p.Steps, Step{rec.Offset, entry, accepted})
	}
	cursors.Put(tx, cursors.Key(t.partition), p.Cursor)
	if err := t.commit(tx); err != nil {
		return fmt.Errorf("fold journal %d: %w", t.partition, err)
	}
	if tx.callers {
		t.replica.callers.forgetAll()
	}
	t.replica.jobs.forgetChanged(tx)
	t.publish(p)
	return nil
}

func (t *tail) apply(tx *Tx, e events.Envelope) {
	for _, projection := range t.replica.cfg.Projections {
		projection.Apply(tx, t.partition, e)
	}
}

// commit is not synced: what a power loss takes is folded again from the journal.
func (t *tail) commit(tx *Tx) error {
	batch := t.replica.db.NewBatch()
	defer batch.Close()
	if err := tx.Flush(batchWriter{batch}); err != nil {
		return err
	}
	return batch.Commit(pebble.NoSync)
}

type batchWriter struct{ batch *pebble.Batch }

func (w batchWriter) Set(key, value []byte) error { return w.batch.Set(key, value, nil) }
func (w batchWriter) Delete(key []byte) error     { return w.batch.Delete(key, nil) }

func (t *tail) publish(p Progress) {
	t.mu.Lock()
	t.cursor = p.Cursor
	t.wake()
	watchers := make([]func(Progress), 0, len(t.watchers))
	for _, f := range t.watchers {
		watchers = append(watchers, f)
	}
	t.mu.Unlock()
	for _, f := range watchers {
		f(p)
	}
}

func (t *tail) fail(err error) {
	t.replica.cfg.Logger.Error("replica stopped", "partition", t.partition, "error", err)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
	t.wake()
}

// wake is called with mu held.
func (t *tail) wake() {
	close(t.moved)
	t.moved = make(chan struct{})
}

func (t *tail) position() Cursor {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cursor
}

func (t *tail) fault() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

func (t *tail) watch(f func(Progress)) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.nextID
	t.nextID++
	t.watchers[id] = f
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watchers, id)
	}
}

// wait returns once everything below end is folded.
func (t *tail) wait(ctx context.Context, end int64) error {
	for {
		t.mu.Lock()
		cursor, moved, err := t.cursor, t.moved, t.err
		t.mu.Unlock()
		if cursor.Next >= end || err != nil {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("replica of journal %d is at %d of %d: %w", t.partition, cursor.Next, end, ctx.Err())
		}
	}
}
