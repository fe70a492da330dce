package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
)

// resume finds where to go on in a journal that may be trimmed.
func (p *Publisher) resume(ctx context.Context, partition int32) (place, error) {
	at, err := resume(ctx, p.cfg.Log, partition)
	if err != nil || at.cursor.Next > 0 || p.cfg.Begin == nil {
		return at, err
	}
	start, _, err := p.cfg.Log.Bounds(ctx, events.TopicJournal, partition)
	if err != nil || start == 0 {
		return at, err
	}
	if at.cursor, err = p.cfg.Begin(ctx, partition); err != nil {
		return at, fmt.Errorf("%s has no events and the journal is trimmed: %w", events.TopicEvents, err)
	}
	p.cfg.Logger.Error("the topic of public events is empty, and the journal is trimmed: what happened before cannot be published again", "partition", partition, "offset", at.cursor.Next)
	return at, nil
}

// resume finds where to go on: behind the last fact before which none is missing from the topic.
func resume(ctx context.Context, l eventlog.Log, partition int32) (place, error) {
	last, some, err := lastUnbroken(ctx, l, partition)
	if err != nil || !some {
		return origin(partition), err
	}
	e, err := envelopeAt(ctx, l, partition, last.Position.Offset)
	if err == nil && e.Account != last.Account {
		err = errOther
	}
	if err != nil {
		return place{}, fmt.Errorf("%s was published last, but its envelope: %w", last.Position, err)
	}
	at := origin(partition)
	at.cursor.Next, at.cursor.Epoch, at.cursor.Cause = last.Position.Offset, e.Epoch, e.Cause-1
	at.last, at.sequence = last.Position, last.Sequence
	return at, nil
}

// lastUnbroken returns the last fact before which none is missing from the topic; false if there is none.
// Repetitions whose envelopes the journal no longer has tell nothing: it is trimmed only where all is
// published.
func lastUnbroken(ctx context.Context, l eventlog.Log, partition int32) (last public.Received, some bool, err error) {
	published, err := lastPublished(ctx, l, partition)
	if err != nil {
		return last, false, fmt.Errorf("read the end of %s: %w", events.TopicEvents, err)
	}
	start, _, err := l.Bounds(ctx, events.TopicJournal, partition)
	if err != nil {
		return last, false, err
	}
	last, some = unbroken(slices.DeleteFunc(published, func(e public.Received) bool { return e.Position.Offset < start }))
	return last, some, nil
}

// Needs returns the offsets from which on the journal and the topic of events must be kept for a
// publisher to go on in a partition.
func Needs(ctx context.Context, l eventlog.Log, partition int32) (journal, topic int64, err error) {
	last, some, err := lastUnbroken(ctx, l, partition)
	if err != nil || !some {
		return 0, 0, err
	}
	start, end, err := l.Bounds(ctx, events.TopicEvents, partition)
	return last.Position.Offset, max(start, end-tail), err
}

// errOther means that the topic was made from another journal.
var errOther = errors.New("the topic belongs to another journal: one of them was deleted or restored without the other")

// envelopeAt reads an envelope that must be in the journal. It does not wait for one.
func envelopeAt(ctx context.Context, l eventlog.Log, partition int32, offset int64) (e events.Envelope, err error) {
	_, end, err := l.Bounds(ctx, events.TopicJournal, partition)
	if err != nil {
		return e, err
	}
	if offset >= end {
		return e, errOther
	}
	record, err := eventlog.ReadOne(ctx, l, events.TopicJournal, partition, offset)
	if err != nil {
		return e, err
	}
	entry, err := events.DecodeEntry(record.Value)
	if errors.Is(err, events.ErrNewer) {
		return e, err
	}
	e, is := entry.(events.Envelope)
	if !is {
		return e, errOther
	}
	return e, nil
}

// lastPublished reads the last records of the topic. Those that Platen has not written are left out.
func lastPublished(ctx context.Context, l eventlog.Log, partition int32) (all []public.Received, err error) {
	start, end, err := l.Bounds(ctx, events.TopicEvents, partition)
	if err != nil || start == end {
		return nil, err
	}
	reader := l.Read(events.TopicEvents, partition, max(start, end-tail))
	defer reader.Close()
	for next := int64(0); next < end; {
		records, err := reader.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if e, err := public.Parse(r); err == nil && e.Position.Partition == partition {
				e.Data = nil // it is the reader's
				all = append(all, e)
			}
			next = r.Offset + 1
		}
	}
	return all, nil
}

// unbroken returns the last of the records that follow one another by their numbers, from the one
// with the lowest number on. What is behind a gap is published again with what is in the gap.
func unbroken(published []public.Received) (last public.Received, some bool) {
	if len(published) == 0 {
		return last, false
	}
	bySequence := map[int64]public.Received{}
	lowest := published[0].Sequence
	for _, e := range published {
		bySequence[e.Sequence] = e
		lowest = min(lowest, e.Sequence)
	}
	for n := lowest; ; n++ {
		e, there := bySequence[n]
		if !there {
			return last, true
		}
		last = e
	}
}
