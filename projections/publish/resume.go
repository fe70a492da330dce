package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
)

// resume finds where to continue in a journal that may be trimmed.
func (p *Publisher) resume(ctx context.Context, partition int32) (place, error) {
	at, some, err := lastOf(ctx, p.cfg.Log, partition)
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
	if at.sequence = at.cursor.Number; !some {
		p.cfg.Logger.Error("the topic of public events has nothing of what is left of a trimmed journal: what happened before cannot be published any more", "partition", partition, "offset", at.cursor.Next)
	}
	return at, nil
}

// Needs returns the offsets from which the journal and the topic of events must be kept for a publisher to continue in a partition.
func Needs(ctx context.Context, l eventlog.Log, partition int32) (journal, topic int64, err error) {
	at, some, err := lastOf(ctx, l, partition)
	if err != nil || !some {
		return 0, 0, err
	}
	start, end, err := l.Bounds(ctx, events.TopicEvents, partition)
	return at.cursor.Next, max(start, end-tail), err
}

// maxNumber is far above any number of an event, which begins with the microseconds of its timeline's beginning.
const maxNumber = 1 << 62

// Last returns the highest number among the last events of a partition; 0 if there are none. It ignores impossible ones, which others may write.
func Last(ctx context.Context, l eventlog.Log, partition int32) (number int64, err error) {
	start, end, err := l.Bounds(ctx, events.TopicEvents, partition)
	if err != nil {
		return 0, err
	}
	published, err := publishedIn(ctx, l, partition, max(start, end-tail), end)
	for _, e := range published {
		if e.Sequence <= maxNumber {
			number = max(number, e.Sequence)
		}
	}
	return number, err
}

// lastOf returns the place of the last fact that the journal has and before which none is missing from the topic, or the origin and false if there is
// none. It looks at one part of the topic after another, the last one first: the journal may have lost its end, and then it lacks what was published
// last. What a part lacks of the one before makes the place an earlier one: then more is published again.
func lastOf(ctx context.Context, l eventlog.Log, partition int32) (at place, some bool, err error) {
	start, end, err := l.Bounds(ctx, events.TopicEvents, partition)
	if err != nil {
		return at, false, err
	}
	first, last, err := l.Bounds(ctx, events.TopicJournal, partition) // after the topic, all of which the journal had
	if err != nil {
		return at, false, err
	}
	s := search{ctx, l, partition, last}
	var foreign error
	for size := int64(tail); end > start; size = part {
		from := max(start, end-size)
		published, err := publishedIn(ctx, l, partition, from, end)
		if err != nil {
			return at, false, fmt.Errorf("read the end of %s: %w", events.TopicEvents, err)
		}
		// Repetitions of envelopes that the journal no longer has tell nothing: it is trimmed only where everything is published.
		published = slices.DeleteFunc(published, func(e public.Received) bool { return e.Position.Offset < first })
		at, some, err = s.last(unbroken(published))
		if some || err != nil && !errors.Is(err, errOther) {
			return at, some, err
		}
		foreign, end = cmp.Or(foreign, err), from
	}
	return origin(partition), false, foreign
}

// search looks in the journal for published facts.
type search struct {
	ctx       context.Context
	log       eventlog.Log
	partition int32
	end       int64 // of the journal
}

// last returns the place of the last of some facts that the journal has. Facts of a timeline that is not in the journal were lost from it. If it has
// none of them, they belong to another journal.
func (s search) last(facts []public.Received) (at place, some bool, err error) {
	at = origin(s.partition)
	var foreign error
	for _, e := range slices.Backward(facts) {
		entry, err := s.entry(e.Position.Offset)
		if err != nil && !errors.Is(err, errOther) {
			return at, false, fmt.Errorf("read in the journal what %s, which was published last, follows from: %w", e.Position, err)
		}
		switch entry := entry.(type) {
		case events.Marker: // it does not name the cause: the fact before it does
			if entry.Timeline == e.Position.Timeline && e.Position.Timeline != "" && !some {
				at.last, some = e.Position, true
				continue
			}
		case events.Envelope:
			if before, is := s.before(entry, e); is {
				if some {
					before.last = at.last
				}
				return before, true, nil
			}
		}
		foreign = fmt.Errorf("%s was published last, and does not follow from the journal: %w", e.Position, errOther)
		if e.Position.Timeline == "" {
			break
		}
	}
	if some {
		foreign = nil
	}
	return at, some, foreign
}

// before returns the place before the envelope of a fact, if the fact follows from it.
func (s search) before(entry events.Envelope, e public.Received) (at place, is bool) {
	facts := public.Of(e.Position.Timeline, s.partition, e.Position.Offset, entry)
	i := slices.IndexFunc(facts, func(f public.Event) bool { return f.Position == e.Position })
	if i < 0 || !facts[i].Is(e) {
		return at, false
	}
	at = origin(s.partition)
	at.cursor.Next, at.cursor.Epoch, at.cursor.Cause = e.Position.Offset, entry.Epoch, entry.Cause-1
	at.last, at.sequence = e.Position, e.Sequence-int64(i)-1
	if at.cursor.Timeline = e.Position.Timeline; at.cursor.Timeline != "" {
		at.cursor.Number = at.sequence
	}
	return at, true
}

// errOther means that the topic was made from another journal.
var errOther = errors.New("the topic belongs to another journal: one of them was deleted or restored without the other")

// entry reads an entry that should be in the journal. It does not wait for one.
func (s search) entry(offset int64) (events.Entry, error) {
	if offset >= s.end {
		return nil, errOther
	}
	record, err := eventlog.ReadOne(s.ctx, s.log, events.TopicJournal, s.partition, offset)
	if err != nil {
		return nil, err
	}
	entry, err := events.DecodeEntry(record.Value)
	if err != nil && !errors.Is(err, events.ErrNewer) {
		err = errOther
	}
	return entry, err
}

// publishedIn reads the records of the topic from one offset to another. It skips foreign records.
func publishedIn(ctx context.Context, l eventlog.Log, partition int32, from, to int64) (all []public.Received, err error) {
	reader := l.Read(events.TopicEvents, partition, from)
	defer reader.Close()
	for next := from; next < to; {
		records, err := reader.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range records[:min(int64(len(records)), to-next)] {
			if e, err := public.Parse(r); err == nil && e.Position.Partition == partition {
				e.Data = slices.Clone(e.Data) // it is the reader's
				all = append(all, e)
			}
			next = r.Offset + 1
		}
	}
	return all, nil
}

// unbroken returns the records whose numbers follow one another, beginning with the lowest. What comes after a gap is published again, together with
// what is in the gap.
func unbroken(published []public.Received) (chain []public.Received) {
	sorted := slices.SortedStableFunc(slices.Values(published), func(a, b public.Received) int { return cmp.Compare(a.Sequence, b.Sequence) })
	for _, e := range sorted {
		n := len(chain)
		switch {
		case n == 0, e.Sequence == chain[n-1].Sequence+1:
			chain = append(chain, e)
		case e.Sequence == chain[n-1].Sequence: // a repetition
		case e.After() >= 0 && e.After() <= chain[n-1].Sequence: // of another timeline
			chain = append(chain, e)
		default:
			return chain
		}
	}
	return chain
}
