package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"platen.dev/events/eventlog"
)

// logWriter appends records of a partition to a log, at their original offsets.
type logWriter struct {
	ctx       context.Context
	log       eventlog.Log
	topic     string
	partition int32
	next      int64
	// pending has the outcome of each append under way.
	pending []chan error
}

// maxPending bounds the appends under way.
const maxPending = 4096

// add appends a copy of a record.
func (w *logWriter) add(r eventlog.Record) error {
	if r.Offset != w.next {
		return fmt.Errorf("%w: %s/%d at %d: the next record has the offset %d", ErrDamaged, w.topic, w.partition, w.next, r.Offset)
	}
	if len(w.pending) == maxPending {
		if err := w.wait(); err != nil {
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

// addNext appends a record at the next offset.
func (w *logWriter) addNext(r eventlog.Record) error {
	r.Offset = w.next
	return w.add(r)
}

// fill appends empty records up to an offset.
func (w *logWriter) fill(to int64) error {
	for w.next < to {
		if err := w.add(eventlog.Record{Offset: w.next}); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until all appends are durable.
func (w *logWriter) wait() (err error) {
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
