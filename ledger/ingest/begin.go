package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"platen.dev/events"
	"platen.dev/events/bus"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/ledger"
)

// Beginning finds where the ledger continues in the topic of public events.
type Beginning struct {
	Ledger ledger.Ledger
	Log    eventlog.Log
	// Facts visits, in order, the public events that follow from what the journal of a partition still has. It ends with an error of visit.
	Facts  func(ctx context.Context, partition int32, visit func(public.Event) error) error
	Logger *slog.Logger
}

var _ bus.Start = Beginning{}.Next

// Next implements bus.Start: the offset that the ledger names, unless the topic no longer has it.
//
// If the topic has lost its end, the ledger reads all of it again: which events have taken the place of lost ones is unknown, and entries it already has
// are recognised by their ids. If events were trimmed before the ledger has read them, it takes what the journal still has of them. A partition that
// somebody has added to the topic gets no events.
func (b Beginning) Next(ctx context.Context, topic string, partition int32) (int64, error) {
	if partition >= b.Log.Partitions() {
		return 0, nil
	}
	next, err := b.Ledger.Next(ctx, topic, partition)
	if err != nil {
		return 0, err
	}
	start, end, err := b.Log.Bounds(ctx, topic, partition)
	switch {
	case err != nil:
		return 0, err
	case next > end:
		b.Logger.Error("the topic of public events has lost its end: the usage ledger reads all that is left again", "partition", partition, "end", end, "read", next)
		return start, nil
	case next >= start:
		return next, nil
	}
	b.Logger.Error("public events were trimmed before the usage ledger has read them: it takes from the journal what is left", "partition", partition, "from", next, "to", start-1)
	if err := b.fromJournal(ctx, partition); err != nil {
		return 0, fmt.Errorf("take usage from the journal: %w", err)
	}
	return start, b.Ledger.Append(ctx, ledger.Batch{Topic: topic, Partition: partition, Lo: next, Hi: start - 1})
}

// fromJournal appends the entries that follow from the journal. Those already in the ledger, from whichever topic, count once. What cannot be an entry
// is left out, as it would be poison in the topic.
func (b Beginning) fromJournal(ctx context.Context, partition int32) error {
	next, err := b.Ledger.Next(ctx, events.TopicJournal, partition)
	if err != nil {
		return err
	}
	batch := ledger.Batch{Topic: events.TopicJournal, Partition: partition, Lo: next}
	flush := func(hi int64) error {
		if batch.Hi = hi; hi < batch.Lo {
			return nil
		}
		err := appendSound(ctx, b.Ledger, batch, func(offset int64, why error) error { b.leaveOut(partition, offset, why); return nil })
		batch.Lo, batch.Entries = hi+1, nil
		return err
	}
	last := next - 1
	err = b.Facts(ctx, partition, func(fact public.Event) error {
		at := fact.Position.Offset
		if at < next {
			return nil
		}
		if len(batch.Entries) >= BatchRecords && at > last {
			if err := flush(last); err != nil {
				return err
			}
		}
		last = at
		e, is, err := entryOfFact(partition, fact)
		switch {
		case errors.Is(err, ErrPoison):
			b.leaveOut(partition, at, err)
		case err != nil:
			return err
		case is:
			batch.Entries = append(batch.Entries, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush(last)
}

func (b Beginning) leaveOut(partition int32, offset int64, why error) {
	b.Logger.Error("the usage ledger leaves out what follows from a record of the journal", "partition", partition, "offset", offset, "reason", why)
}

// entryOfFact returns the entry of a fact of the journal.
func entryOfFact(partition int32, fact public.Event) (e ledger.Entry, is bool, err error) {
	r, err := fact.Record()
	if err != nil {
		return e, false, err
	}
	r.Offset = fact.Position.Offset
	return EntryOf(events.TopicJournal, partition, r)
}
