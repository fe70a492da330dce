// Package ingest fills the usage ledger from the public events.
//
// It runs as a Watermill router, whose handler gets batches of records (bus.Batches), and appends
// their entries to the ledger. The ledger itself says how far each partition was appended. So nothing
// counts twice, whatever is delivered again and by however many nodes at a time; and anything never
// delivered, because a node died between taking a record and appending it, is read from the log.
//
// A record that cannot be an entry goes, with the reason, to a topic of its own, and the others are
// unaffected (Poisoned, Retry).
package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"platen.dev/events/bus"
	"platen.dev/events/eventlog"
	"platen.dev/ledger"
)

// Limits of a batch: records of usage, their bytes, and offsets.
const (
	BatchRecords = 20_000
	batchBytes   = 8 << 20
	BatchOffsets = 100_000
)

// Ingest appends what the router delivers.
type Ingest struct {
	ledger ledger.Ledger
	log    eventlog.Log
	reject message.HandlerMiddleware // publishes a message as poison
	stalls *Stalls
	logger *slog.Logger
	mu     sync.Mutex      // guards told
	told   map[poison]bool // that of batches that were not appended yet, which is published once

	entries, poisoned atomic.Int64
	behind            atomic.Int64 // nanoseconds from the newest entry of the last batch to its append
}

// Figures are the figures of an Ingest.
type Figures struct {
	// Entries counts appended entries, Poisoned records that could not be appended, and Failures the
	// failed attempts to read and to append, which were repeated.
	Entries, Poisoned, Failures int64
	// Delay is the time from the occurrence of the newest entry until it was in the ledger.
	Delay time.Duration
	// Stalled is the longest stall of a partition.
	Stalled Stall
}

// Figures returns the figures since the start.
func (g *Ingest) Figures() Figures {
	f := Figures{Entries: g.entries.Load(), Poisoned: g.poisoned.Load(), Delay: time.Duration(g.behind.Load())}
	f.Stalled, f.Failures = g.stalls.longest()
	return f
}

// handle appends the batch that a message carries. After an error it is delivered again.
func (g *Ingest) handle(m *message.Message) error {
	b, is := bus.BatchOf(m)
	if !is {
		return errors.New("the message carries no batch")
	}
	err := g.add(m.Context(), b)
	if errors.Is(err, ledger.ErrHole) {
		if err = g.addMissed(m.Context(), b); err == nil {
			err = g.add(m.Context(), b)
		}
	}
	g.stalls.appending(b.Partition, err)
	return err
}

// add appends the entries of a batch, and publishes the rest as poison.
func (g *Ingest) add(ctx context.Context, b bus.Batch) error {
	batch := ledger.Batch{Topic: b.Topic, Partition: b.Partition, Lo: b.Lo, Hi: b.Hi}
	for _, r := range b.Records {
		e, is, err := EntryOf(b.Topic, b.Partition, r)
		switch {
		case err != nil:
			if err := g.poison(ctx, b, r, err); err != nil {
				return err
			}
		case is:
			batch.Entries = append(batch.Entries, e)
		}
	}
	if err := g.append(ctx, b, batch); err != nil {
		return err
	}
	g.settled(b)
	if n := len(batch.Entries); n > 0 {
		g.entries.Add(int64(n))
		g.behind.Store(int64(time.Since(batch.Entries[n-1].Occurred)))
	}
	return nil
}

// append appends a batch, and publishes as poison what the ledger refuses of it.
func (g *Ingest) append(ctx context.Context, b bus.Batch, batch ledger.Batch) error {
	return appendSound(ctx, g.ledger, batch, func(offset int64, why error) error {
		i := slices.IndexFunc(b.Records, func(r eventlog.Record) bool { return r.Offset == offset })
		return g.poison(ctx, b, b.Records[i], why)
	})
}

// appendSound appends a batch. If the ledger refuses it for good, it is halved until the offset of the faulty entry is alone; leaveOut is told of that,
// and the rest is appended without it.
func appendSound(ctx context.Context, l ledger.Ledger, batch ledger.Batch, leaveOut func(offset int64, why error) error) error {
	err := l.Append(ctx, batch)
	if len(batch.Entries) == 0 && errors.Is(err, ledger.ErrConflict) {
		return nil // the range was appended with records that the log has lost since
	}
	if len(batch.Entries) == 0 || !refused(err) {
		return err
	}
	if batch.Lo < batch.Hi {
		first, second := halves(batch)
		if err := appendSound(ctx, l, first, leaveOut); err != nil {
			return err
		}
		return appendSound(ctx, l, second, leaveOut)
	}
	if err := leaveOut(batch.Lo, err); err != nil {
		return err
	}
	batch.Entries = nil
	return appendSound(ctx, l, batch, leaveOut)
}

// refused reports whether a ledger will never accept a batch.
func refused(err error) bool {
	return errors.Is(err, ledger.ErrConflict) || errors.Is(err, ledger.ErrInvalid) || errors.Is(err, ledger.ErrOverflow)
}

func halves(b ledger.Batch) (first, second ledger.Batch) {
	first, second = b, b
	first.Hi = b.Lo + (b.Hi-b.Lo)/2
	second.Lo = first.Hi + 1
	i := slices.IndexFunc(b.Entries, func(e ledger.Entry) bool { return e.Source.Offset >= second.Lo })
	if i < 0 {
		i = len(b.Entries)
	}
	first.Entries, second.Entries = b.Entries[:i], b.Entries[i:]
	return first, second
}

// addMissed reads the records between the ledger and a batch from the log, and appends them.
func (g *Ingest) addMissed(ctx context.Context, b bus.Batch) error {
	next, err := g.ledger.Next(ctx, b.Topic, b.Partition)
	if err != nil || next >= b.Lo {
		return err
	}
	g.logger.Info("usage ledger reads what it has missed", "partition", b.Partition, "from", next, "to", b.Lo-1)
	return Each(ctx, g.log, b.Topic, b.Partition, next, b.Lo, func(missed bus.Batch) error { return g.add(ctx, missed) })
}

// Each reads the offsets from from to below to, and calls visit with one batch after the other,
// none of them too large to append. The batches hold the records that are entries or poison.
func Each(ctx context.Context, log eventlog.Log, topic string, partition int32, from, to int64, visit func(bus.Batch) error) error {
	reader := log.Read(topic, partition, from)
	defer reader.Close()
	b, bytes := bus.Batch{Topic: topic, Partition: partition, Lo: from}, 0
	for next := from; next < to; {
		records, err := reader.Next(ctx)
		if err != nil {
			return fmt.Errorf("read %s/%d at %d: %w", topic, partition, next, err)
		}
		for _, r := range records {
			if r.Offset >= to {
				break
			}
			if next, b.Hi = r.Offset+1, r.Offset; wanted(r) {
				b.Records = append(b.Records, bus.Detached(r))
				bytes += r.Size()
			}
			if next < to && len(b.Records) < BatchRecords && bytes < batchBytes && b.Hi-b.Lo+1 < BatchOffsets {
				continue
			}
			if err := visit(b); err != nil {
				return err
			}
			b, bytes = bus.Batch{Topic: topic, Partition: partition, Lo: next}, 0
		}
	}
	return nil
}
