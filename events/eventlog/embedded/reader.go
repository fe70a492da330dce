package embedded

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/eventlog"
)

const (
	// A reader's batches from the database start small, because it may want only one record, and grow
	// as it reads on.
	firstBytes = 16 << 10
	nextBytes  = 1 << 20
	maxRecords = 8192
)

// reader serves one goroutine: from the record cache if possible, otherwise from Pebble.
type reader struct {
	log       *Log
	partition *partition
	err       error // the topic could not be opened, or the reader is closed
	next      int64
	limit     int
	out       []eventlog.Record
	wake      chan struct{}
}

var _ eventlog.Reader = (*reader)(nil)

func (r *reader) Close() { r.err = eventlog.ErrClosed; r.out = nil }

func (r *reader) Next(ctx context.Context) ([]eventlog.Record, error) {
	clear(r.out) // releases the memory of the last batch
	r.out = r.out[:0]
	if err := r.await(ctx); err != nil {
		return nil, err
	}
	if len(r.out) == 0 {
		if err := r.fromDatabase(); err != nil {
			return nil, damaged(err)
		}
	}
	r.next += int64(len(r.out))
	return r.out, nil
}

// await returns once there is a record to read. It fills r.out if the cache has it.
func (r *reader) await(ctx context.Context) error {
	for {
		if err := r.closed(ctx); err != nil {
			return err
		}
		ready, err := r.poll()
		if ready || err != nil {
			return err
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
			r.partition.cancelWait(r)
			return ctx.Err()
		case <-r.log.closed:
			r.partition.cancelWait(r)
			return eventlog.ErrClosed
		}
	}
}

func (r *reader) closed(ctx context.Context) error {
	if r.err != nil {
		return r.err
	}
	select {
	case <-r.log.closed:
		return eventlog.ErrClosed
	default:
		return ctx.Err()
	}
}

// poll checks the position and takes what the cache holds. If there is no record yet,
// it puts the reader on the waiting list.
func (r *reader) poll() (ready bool, err error) {
	p := r.partition
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case r.next < p.start:
		return false, eventlog.ErrTrimmed
	case r.next > p.end:
		return false, eventlog.ErrBeyondEnd
	case r.next == p.end:
		p.waiting = append(p.waiting, r)
		return false, nil
	}
	r.take(p.cache.from(r.next))
	return true, nil
}

func (r *reader) take(records []eventlog.Record) {
	size := 0
	for i := range records {
		size += len(records[i].Key) + len(records[i].Value)
		if i > 0 && (size > nextBytes || i == maxRecords) {
			return
		}
		r.out = append(r.out, records[i])
	}
}

// fromDatabase fills r.out with at least one record, all below the end.
func (r *reader) fromDatabase() error {
	r.log.dbMu.RLock() // keeps the database open
	defer r.log.dbMu.RUnlock()
	if err := r.closed(context.Background()); err != nil {
		return err
	}
	if err := r.log.guard.Err(); err != nil {
		return err
	}
	_, end := r.partition.bounds()
	it, err := r.log.db.NewIter(&pebble.IterOptions{
		LowerBound: recordKey(r.partition.prefix, r.next), UpperBound: recordKey(r.partition.prefix, end),
	})
	if err != nil {
		return fmt.Errorf("read at %d: %w", r.next, err)
	}
	err = r.collect(it)
	if closeErr := it.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("read at %d: %w", r.next, err)
	}
	return r.checkGap()
}

// collect copies records from it until the batch is full.
func (r *reader) collect(it *pebble.Iterator) error {
	arena := make([]byte, 0, r.limit)
	for ok := it.First(); ok && len(r.out) < maxRecords; ok = it.Next() {
		if offsetOf(it.Key()) != r.next+int64(len(r.out)) {
			return nil
		}
		raw, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if len(arena)+len(raw) > cap(arena) {
			if len(r.out) > 0 {
				break
			}
			arena = make([]byte, 0, len(raw))
		}
		arena = append(arena, raw...)
		record, err := decode(arena[len(arena)-len(raw):])
		if err != nil {
			return err
		}
		record.Offset = r.next + int64(len(r.out))
		r.out = append(r.out, record)
	}
	r.limit = nextBytes
	return it.Error()
}

// checkGap explains an empty batch: the records were trimmed in the meantime, or are lost.
func (r *reader) checkGap() error {
	if len(r.out) > 0 {
		return nil
	}
	if start, _ := r.partition.bounds(); r.next < start {
		return eventlog.ErrTrimmed
	}
	return fmt.Errorf("record %d is missing: the database is damaged, restore its directory from a backup", r.next)
}
