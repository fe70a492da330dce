package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// Writer appends records of a partition to a log that nobody else writes, at their original offsets. It belongs to one goroutine.
type Writer struct {
	ctx       context.Context
	log       Log
	topic     string
	partition int32
	next      int64
	// pending has the outcome of each append under way.
	pending []chan error
}

// NewWriter returns a writer whose first record gets the offset next, which must be the partition's end.
func NewWriter(ctx context.Context, log Log, topic string, partition int32, next int64) *Writer {
	return &Writer{ctx: ctx, log: log, topic: topic, partition: partition, next: next}
}

// ErrMisplaced means that a record has another offset than the next.
var ErrMisplaced = errors.New("records are missing, or come twice")

// maxPending bounds the appends under way.
const maxPending = 4096

// Add appends a copy of a record.
func (w *Writer) Add(r Record) error {
	if r.Offset != w.next {
		return fmt.Errorf("%w: %s/%d at %d: the next record has the offset %d", ErrMisplaced, w.topic, w.partition, w.next, r.Offset)
	}
	if len(w.pending) == maxPending {
		if err := w.Wait(); err != nil {
			return err
		}
	}
	r.Key, r.Value = bytes.Clone(r.Key), bytes.Clone(r.Value)
	outcome := make(chan error, 1)
	w.pending = append(w.pending, outcome)
	w.next++
	w.log.Append(w.topic, w.partition, r, func(offset int64, err error) {
		if err == nil && offset != r.Offset {
			err = fmt.Errorf("a record got the offset %d instead of %d: somebody else writes to the log", offset, r.Offset)
		}
		outcome <- err
	})
	return nil
}

// AddNext appends a record at the next offset.
func (w *Writer) AddNext(r Record) error {
	r.Offset = w.next
	return w.Add(r)
}

// Fill appends empty records up to an offset.
func (w *Writer) Fill(to int64) error {
	for w.next < to {
		if err := w.Add(Record{Offset: w.next}); err != nil {
			return err
		}
	}
	return nil
}

// Wait waits until all appends are durable.
func (w *Writer) Wait() (err error) {
	for _, outcome := range w.pending {
		select {
		case one := <-outcome:
			err = errors.Join(err, one)
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
	}
	w.pending = w.pending[:0]
	if err != nil {
		err = fmt.Errorf("append to %s/%d: %w", w.topic, w.partition, err)
	}
	return err
}
