package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"platen.dev/events/eventlog"
	"platen.dev/projections/snapshot"
)

// mergeBelow is the size below which a last segment is rewritten together with the following records, so that many small backups do not leave many
// small segments.
const mergeBelow = segmentBytes / 4

// place is a partition of a topic.
type place struct {
	log       eventlog.Log
	topic     string
	partition int32
}

// copyRecords copies the records of a partition from start up to end. It reuses records of an earlier backup of the same log, which may begin before
// start.
func (s *shelf) copyRecords(ctx context.Context, at place, start, end int64, earlier Records) (Records, error) {
	oldest, _, err := at.log.Bounds(ctx, at.topic, at.partition)
	if err != nil {
		return Records{}, err
	}
	kept, err := s.reusable(ctx, at, oldest, start, end, earlier.Segments)
	if err != nil {
		return Records{}, err
	}
	r := Records{Start: start, End: end, Segments: kept}
	next := start
	if n := len(kept); n > 0 {
		r.Start, next = kept[0].Start, kept[n-1].End
	}
	w := &recordWriter{shelf: s, ctx: ctx, segments: kept}
	if err := eachRecord(ctx, at, next, end, w.add); err != nil {
		return r, err
	}
	r.Segments, err = w.finish()
	return r, err
}

// reusable returns the consecutive segments that are present and end with a record that the log has.
func (s *shelf) reusable(ctx context.Context, at place, oldest, start, end int64, segments []Segment) (kept []Segment, err error) {
	for _, one := range segments {
		if one.End <= start || len(kept) == 0 && one.Start > start {
			continue
		}
		if one.End > end || !s.has(ctx, one.Chunk) {
			break
		}
		kept = append(kept, one)
	}
	for len(kept) > 0 {
		last := kept[len(kept)-1]
		small := last.Bytes < mergeBelow && last.End < end && last.Start >= oldest
		same, err := at.has(ctx, last)
		if err != nil {
			return nil, err
		}
		if same && !small {
			break
		}
		if kept = kept[:len(kept)-1]; !same {
			kept = nil // another log
		}
	}
	if n := len(kept); n > 0 && kept[n-1].End < oldest { // the records in between are gone
		return nil, nil
	}
	return kept, nil
}

// has reports whether the log has the last record of a segment, or no longer has any at its offset.
func (at place) has(ctx context.Context, s Segment) (bool, error) {
	r, err := eventlog.ReadOne(ctx, at.log, at.topic, at.partition, s.End-1)
	if errors.Is(err, eventlog.ErrTrimmed) {
		return false, nil
	}
	return err == nil && sumOf(r) == s.Last, err
}

func sumOf(r eventlog.Record) snapshot.Sum { return sha256.Sum256(appendRecord(nil, r)) }

// eachRecord visits the records of a partition from an offset up to end. They are valid only during the call.
func eachRecord(ctx context.Context, at place, from, end int64, visit func(eventlog.Record) error) error {
	reader := at.log.Read(at.topic, at.partition, from)
	defer reader.Close()
	for from < end {
		records, err := reader.Next(ctx)
		if err != nil {
			return fmt.Errorf("read %s/%d at %d: %w", at.topic, at.partition, from, err)
		}
		for _, r := range records[:min(int64(len(records)), end-from)] {
			if err := visit(r); err != nil {
				return err
			}
			from = r.Offset + 1
		}
	}
	return nil
}

// recordWriter collects records in segments.
type recordWriter struct {
	shelf    *shelf
	ctx      context.Context
	raw      []byte
	open     Segment // of the records in raw
	segments []Segment
}

func (w *recordWriter) add(r eventlog.Record) error {
	before := len(w.raw)
	if before == 0 {
		w.open = Segment{Start: r.Offset}
	}
	w.raw = appendRecord(w.raw, r)
	w.open.End, w.open.Last = r.Offset+1, sha256.Sum256(w.raw[before:])
	if len(w.raw) < segmentBytes {
		return nil
	}
	return w.flush()
}

func (w *recordWriter) flush() (err error) {
	if len(w.raw) == 0 {
		return nil
	}
	w.open.Chunk, err = w.shelf.put(w.ctx, w.raw)
	w.segments, w.raw = append(w.segments, w.open), w.raw[:0]
	return err
}

func (w *recordWriter) finish() ([]Segment, error) {
	err := w.flush()
	return w.segments, err
}

// eachOf checks a segment and visits its records. They are valid only during the call.
func (s *shelf) eachOf(ctx context.Context, one Segment, dense bool, visit func(eventlog.Record) error) error {
	if err := s.pace(one.Bytes); err != nil {
		return err
	}
	raw, err := s.get(ctx, one.Chunk)
	if err != nil {
		return err
	}
	next := one.Start
	d := decoder{rest: raw}
	for len(d.rest) > 0 {
		r := d.record()
		if d.err != nil {
			return d.err
		}
		if r.Offset < next || r.Offset >= one.End || (dense || next == one.Start) && r.Offset != next {
			return fmt.Errorf("%w: the record %d does not follow in the segment from %d to %d", ErrDamaged, r.Offset, one.Start, one.End)
		}
		next = r.Offset + 1
		if next == one.End && sumOf(r) != one.Last {
			return fmt.Errorf("%w: the last record of the segment from %d to %d is another one", ErrDamaged, one.Start, one.End)
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	if next != one.End {
		return fmt.Errorf("%w: the segment from %d to %d ends at %d", ErrDamaged, one.Start, one.End, next)
	}
	return nil
}
