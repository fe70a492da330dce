// Package logdump prints the log for people and for scripts: commands and journal entries,
// partition by partition, every envelope after the command that caused it. It shows neither content
// nor secrets (see events.Describe).
//
// The lines for people begin with the partition and the topic:
//
//	12 command 41  2026-01-31T09:00:00.123Z  acc_…  SubmitJob{job=… operation=html-to-pdf …}
//	12 journal 57  2026-01-31T09:00:00.123Z  acc_…  cause=41 epoch=3 reply={code=accepted}
//	                 JobQueued{job=… content=41 …}
//
// A command that no owner has decided yet is marked "undecided". An entry that every reader skips,
// because its writer was no longer the owner, is marked "void".
package logdump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// Filter selects what is printed. The zero value prints everything.
type Filter struct {
	// Account, unless empty, selects the commands and envelopes of one account.
	Account events.AccountID
	// Job, unless zero, selects the commands about one job and their envelopes.
	Job events.JobID
	// From, unless zero, leaves out older records, by the commands' time.
	From time.Time
	// JSON prints one object per line.
	JSON bool
}

// Write prints the log as it is when called.
func Write(ctx context.Context, l eventlog.Log, f Filter, w io.Writer) error {
	first, last := int32(0), l.Partitions()-1
	if f.Account != "" {
		first = events.Partition(f.Account, l.Partitions())
		last = first
	}
	p := &printer{filter: f, w: w}
	for partition := first; partition <= last; partition++ {
		if err := dump(ctx, l, partition, p); err != nil {
			return fmt.Errorf("dump partition %d: %w", partition, err)
		}
	}
	return nil
}

// WriteCommand prints a record of the commands as Write does.
func WriteCommand(w io.Writer, partition int32, r eventlog.Record) error {
	p := &printer{w: w}
	p.begin(partition)
	return p.command(r)
}

// dump prints one partition: each journal entry after the commands up to its cause.
func dump(ctx context.Context, l eventlog.Log, partition int32, p *printer) error {
	commands, err := open(ctx, l, events.TopicCommands, partition)
	if err != nil {
		return err
	}
	defer commands.close()
	journal, err := open(ctx, l, events.TopicJournal, partition)
	if err != nil {
		return err
	}
	defer journal.close()
	p.begin(partition)
	cursor, whole := projections.Origin(), journal.seen == 0
	for {
		record, ok, err := journal.next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		entry, undecodable := events.DecodeEntry(record.Value)
		if envelope, is := entry.(events.Envelope); is {
			if err := commands.upTo(ctx, envelope.Cause, p.command); err != nil {
				return err
			}
			if !whole && envelope.Epoch >= cursor.Epoch { // earlier records are trimmed: the first envelope is believed
				whole, cursor.Epoch, cursor.Cause = true, envelope.Epoch, envelope.Cause-1
			}
		}
		accepted := undecodable == nil && cursor.Step(record.Offset, entry)
		if err := p.entry(record, entry, undecodable, accepted); err != nil {
			return err
		}
	}
	p.undecided = true
	return commands.upTo(ctx, commands.end, p.command)
}

// cursor reads one partition of a topic up to its initial end.
type cursor struct {
	reader    eventlog.Reader
	batch     []eventlog.Record
	seen, end int64 // offsets: the next one, and where to stop
}

func open(ctx context.Context, l eventlog.Log, topic string, partition int32) (*cursor, error) {
	start, end, err := l.Bounds(ctx, topic, partition)
	if err != nil {
		return nil, err
	}
	return &cursor{reader: l.Read(topic, partition, start), seen: start, end: end}, nil
}

func (c *cursor) close() { c.reader.Close() }

// next returns the next record; ok is false at the end.
func (c *cursor) next(ctx context.Context) (r eventlog.Record, ok bool, err error) {
	if c.seen >= c.end {
		return r, false, nil
	}
	if len(c.batch) == 0 {
		if c.batch, err = c.reader.Next(ctx); err != nil {
			return r, false, err
		}
	}
	r, c.batch = c.batch[0], c.batch[1:]
	c.seen = r.Offset + 1
	return r, true, nil
}

// upTo visits the records up to and including an offset.
func (c *cursor) upTo(ctx context.Context, last int64, visit func(eventlog.Record) error) error {
	for c.seen <= last {
		r, ok, err := c.next(ctx)
		if err != nil || !ok {
			return err
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

// ParseFrom reads the value of --from: a time in RFC 3339, or how long ago, such as 90m.
func ParseFrom(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, errors.New("must be a time such as 2026-01-31T09:00:00Z, or how long ago, such as 90m")
	}
	return at, nil
}
