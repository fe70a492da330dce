// Package timeline reads from the journal what the read models leave out, because they keep only a job's present state: each event of one job with
// its time (Read), and a summary of the last jobs of all accounts (ReadRecent).
package timeline

import (
	"context"
	"errors"
	"fmt"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Query names a job.
type Query struct {
	Partition int32
	Account   events.AccountID
	Job       events.JobID
	// Submitted is the offset of the command that submitted the job.
	Submitted int64
}

// Timeline lists what has happened to a job, in order.
type Timeline struct {
	Steps []Step
	// Read is the time of the account's last entry that was read: later events of the job are missing unless Whole is set.
	Read  events.Instant
	Whole bool
}

// Step is an event of the job.
type Step struct {
	At    events.Instant
	Event events.Event
	// cause is the offset of the command that caused it.
	cause int64
}

// ErrGone means that the journal no longer has the beginning of the job, or does not have it yet.
var ErrGone = errors.New("the journal does not have the job's beginning")

// Bounds of a timeline: the number of records read, not counting the search for the beginning, and the number of steps.
const (
	maxRecords = 100_000
	maxSteps   = 300
)

// Read reads the timeline of a job from a bounded part of the journal. If ctx ends, it returns what it has read so far.
func Read(ctx context.Context, l eventlog.Log, q Query) (Timeline, error) {
	return read(ctx, l, q, maxRecords)
}

func read(ctx context.Context, l eventlog.Log, q Query, most int) (Timeline, error) {
	start, end, err := l.Bounds(ctx, events.TopicJournal, q.Partition)
	if err != nil {
		return Timeline{}, err
	}
	from, err := find(ctx, l, q, start, end)
	if err != nil {
		return Timeline{}, err
	}
	c := collector{query: q}
	if err := c.collect(ctx, l.Read(events.TopicJournal, q.Partition, from), from, min(end, from+int64(most))); err != nil && (ctx.Err() == nil || !c.begun()) {
		return Timeline{}, fmt.Errorf("read the journal: %w", err)
	}
	if !c.begun() {
		return Timeline{}, ErrGone
	}
	c.Whole = c.next == end
	return c.Timeline, nil
}

const (
	// maxProbes bounds the search for the beginning. Each command has one envelope, so the distance between two causes is nearly that of their
	// envelopes, and a few probes suffice.
	maxProbes = 40
	// slack is how many records before the likely beginning are read too: void ones may have led the search astray.
	slack = 4_096
)

// find returns an offset shortly before the envelope that the command at q.Submitted caused.
func find(ctx context.Context, l eventlog.Log, q Query, start, end int64) (int64, error) {
	at := start
	for range maxProbes {
		if at >= end {
			at = end - 1
		}
		if at < start {
			break // the journal is empty
		}
		offset, cause, err := probe(ctx, l, q.Partition, at, end)
		if err != nil {
			return 0, err
		}
		distance := q.Submitted - cause
		if -slack/2 < distance && distance < slack/2 {
			return max(start, offset+distance-slack), nil
		}
		at = max(start, offset+distance)
	}
	return 0, ErrGone
}

// probe finds the first envelope from an offset on, and its cause.
func probe(ctx context.Context, l eventlog.Log, partition int32, from, end int64) (offset, cause int64, err error) {
	err = visit(ctx, l.Read(events.TopicJournal, partition, from), from, end, func(r eventlog.Record) (goOn bool) {
		entry, err := events.DecodeEntry(r.Value)
		e, ok := entry.(events.Envelope)
		offset, cause = r.Offset, e.Cause
		return err != nil || !ok
	})
	return offset, cause, err
}

// visit visits the records from an offset to an end, until do returns false, and closes the reader.
func visit(ctx context.Context, r eventlog.Reader, from, end int64, do func(eventlog.Record) bool) error {
	defer r.Close()
	for next := from; next < end; {
		records, err := r.Next(ctx)
		if err != nil {
			return err
		}
		for _, record := range records {
			if record.Offset >= end || !do(record) {
				return nil
			}
			next = record.Offset + 1
		}
	}
	return nil
}

// epochs tells which envelopes count, by the rule of package projections: those of the latest marker's epoch. It begins in the middle of a journal,
// where that is the greatest epoch so far.
type epochs struct{ latest int64 }

// accept returns the envelope of a record, or false if the record has none that counts.
func (c *epochs) accept(r eventlog.Record) (events.Envelope, bool) {
	entry, err := events.DecodeEntry(r.Value)
	if err != nil {
		return events.Envelope{}, false // every reader skips it
	}
	switch e := entry.(type) {
	case events.Marker:
		c.latest = r.Offset
	case events.Envelope:
		if e.Epoch >= c.latest {
			c.latest = e.Epoch
			return e, true
		}
	}
	return events.Envelope{}, false
}

// collector collects the events of a job.
type collector struct {
	Timeline
	epochs
	query Query
	next  int64 // the offset after what was read
}

// begun reports whether the job's beginning was read.
func (c *collector) begun() bool {
	return len(c.Steps) > 0 && c.Steps[0].cause == c.query.Submitted
}

// collect takes the records from an offset to an end.
func (c *collector) collect(ctx context.Context, r eventlog.Reader, from, end int64) error {
	c.next = from
	return visit(ctx, r, from, end, func(record eventlog.Record) bool {
		c.take(record)
		c.next = record.Offset + 1
		return len(c.Steps) < maxSteps
	})
}

func (c *collector) take(record eventlog.Record) {
	if len(record.Key) > 0 && string(record.Key) != string(c.query.Account) {
		return // another account's, not worth decoding
	}
	e, ok := c.accept(record)
	if !ok || e.Account != c.query.Account {
		return
	}
	c.forget(e.Cause)
	c.Read = e.At
	for _, ev := range e.Events {
		if id, ok := events.JobOf(ev); ok && id == c.query.Job {
			c.Steps = append(c.Steps, Step{At: e.At, Event: ev, cause: e.Cause})
		}
	}
}

// forget removes the steps of a command and of later ones, which were void: another owner has decided the command again.
func (c *collector) forget(cause int64) {
	for n := len(c.Steps); n > 0 && c.Steps[n-1].cause >= cause; n-- {
		c.Steps = c.Steps[:n-1]
	}
}
