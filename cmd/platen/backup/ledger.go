package backup

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"platen.dev/events"
	"platen.dev/ledger"
)

// copyLedger copies the entries that come from the events of a partition before an offset, and all that come from elsewhere: from the topic before it
// was re-created or restored. current is the ledger's name for the topic.
func (s *shelf) copyLedger(ctx context.Context, from ledger.Ledger, partition int32, current string, end int64, earlier []Entries) (all []Entries, err error) {
	topics, err := from.Topics(ctx)
	if err != nil {
		return nil, err
	}
	topics = append(slices.DeleteFunc(topics, func(topic string) bool { return topic == current }), current)
	for _, topic := range topics {
		to := end
		if topic != current {
			if to, err = from.Next(ctx, topic, partition); err != nil {
				return nil, err
			}
		}
		known := slices.DeleteFunc(slices.Clone(earlier), func(e Entries) bool { return e.Topic != topic })
		one, err := s.copyTopic(ctx, from, partition, topic, to, known)
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

// copyTopic copies the entries that come from a topic before an offset. It reuses those of an earlier backup, unless entries were added since.
func (s *shelf) copyTopic(ctx context.Context, from ledger.Ledger, partition int32, topic string, end int64, earlier []Entries) ([]Entries, error) {
	w := &entryWriter{shelf: s, ctx: ctx, topic: topic}
	for _, e := range earlier {
		if e.Hi >= end || e.Bytes > 0 && !s.has(ctx, e.Chunk) {
			break
		}
		now, err := from.RowsOf(ctx, topic, partition, e.Lo, e.Hi)
		if err != nil {
			return nil, err
		}
		if now != e.Figures {
			break
		}
		w.all, w.next = append(w.all, e), e.Hi+1
	}
	if w.next >= end {
		return w.all, nil
	}
	err := eachEntry(ctx, from, topic, partition, w.next, end-1, w.add)
	if err != nil {
		return nil, err
	}
	return w.all, w.flush(end - 1)
}

// eachEntry visits the entries that come from a range of offsets, in order.
func eachEntry(ctx context.Context, from ledger.Ledger, topic string, partition int32, lo, hi int64, visit func(ledger.Entry) error) error {
	for {
		entries, err := from.Sourced(ctx, topic, partition, lo, hi)
		if err != nil {
			return err
		}
		full := len(entries) == ledger.MaxSourced
		if full { // there may be more at the last offset
			last := entries[len(entries)-1].Source.Offset
			for len(entries) > 0 && entries[len(entries)-1].Source.Offset == last {
				entries = entries[:len(entries)-1]
			}
			if lo = last; len(entries) == 0 {
				return fmt.Errorf("the ledger has %d entries of one event, at %d/%d", ledger.MaxSourced, partition, last)
			}
		}
		for _, e := range entries {
			if err := visit(e); err != nil {
				return err
			}
		}
		if !full {
			return nil
		}
	}
}

// entryWriter collects entries in chunks, a line of JSON for each. Those of one offset share a chunk.
type entryWriter struct {
	shelf   *shelf
	ctx     context.Context
	topic   string
	next    int64 // the first offset not in any chunk
	raw     []byte
	figures ledger.Figures
	last    int64 // offset of the last entry
	all     []Entries
}

func (w *entryWriter) add(e ledger.Entry) error {
	if len(w.raw) >= segmentBytes && e.Source.Offset != w.last {
		if err := w.flush(w.last); err != nil {
			return err
		}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	w.raw = append(append(w.raw, line...), '\n')
	w.last = e.Source.Offset
	w.figures, err = w.figures.Plus(ledger.Figures{Entries: 1, Units: e.Units, Bytes: e.Bytes, Xor: e.Hash()})
	return err
}

// flush stores the entries of the offsets up to hi.
func (w *entryWriter) flush(hi int64) (err error) {
	one := Entries{Topic: w.topic, Lo: w.next, Hi: hi, Figures: w.figures}
	if len(w.raw) > 0 {
		if one.Chunk, err = w.shelf.put(w.ctx, w.raw); err != nil {
			return err
		}
	}
	w.all = append(w.all, one)
	w.next, w.raw, w.figures = hi+1, w.raw[:0], ledger.Figures{}
	return nil
}

// batch checks entries and returns them as a batch for a ledger.
func (s *shelf) batch(ctx context.Context, partition int32, e Entries) (ledger.Batch, error) {
	b := ledger.Batch{Topic: cmp.Or(e.Topic, events.TopicEvents), Partition: partition, Lo: e.Lo, Hi: e.Hi}
	if e.Bytes == 0 {
		return b, nil
	}
	if err := s.pace(e.Bytes); err != nil {
		return b, err
	}
	raw, err := s.get(ctx, e.Chunk)
	if err != nil {
		return b, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	for d.More() {
		var one ledger.Entry
		if err := d.Decode(&one); err != nil {
			return b, fmt.Errorf("%w: entries of the ledger: %w", ErrDamaged, err)
		}
		b.Entries = append(b.Entries, one)
	}
	distinct, err := b.Distinct()
	if err != nil {
		return b, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if got, err := ledger.Summarize(distinct); err != nil || got != e.Figures {
		return b, fmt.Errorf("%w: the ledger's entries from %d to %d are not those that were written", ErrDamaged, e.Lo, e.Hi)
	}
	return b, nil
}
