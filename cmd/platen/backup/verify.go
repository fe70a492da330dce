package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/projections/table"
	"platen.dev/store"
)

// Rebuilding configures the rebuild of a backup's rows.
type Rebuilding struct {
	// Scratch is a directory that is emptied.
	Scratch     string
	Projections []table.Projection
	Pace        snapshot.Pace
	Logger      *slog.Logger
	// Access receives the access to the accounts; nil if it is not wanted.
	Access *Access
}

// Verify reads all of a backup, and rebuilds the rows of each partition from its base and its journal. The error is ErrDamaged if anything is not as
// it was written, or if the rows differ from those of the cut.
func Verify(ctx context.Context, files store.Files, m Manifest, with Rebuilding) error {
	s, err := openShelf(ctx, files, with.Pace)
	if err != nil {
		return err
	}
	defer s.close()
	for p, one := range m.Partitions {
		if err := s.verify(ctx, int32(p), one); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
		if err := s.rebuild(ctx, int32(p), int32(len(m.Partitions)), one, with); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
	}
	return nil
}

// verify reads a partition's data besides its rows.
func (s *shelf) verify(ctx context.Context, p int32, one Partition) error {
	nothing := func(eventlog.Record) error { return nil }
	for _, segment := range one.Journal.Segments {
		if err := s.eachOf(ctx, segment, true, one.checkLast); err != nil {
			return err
		}
	}
	for _, r := range []struct {
		segments []Segment
		dense    bool
	}{{one.Commands, false}, {one.Events.Segments, true}, {one.Poison.Segments, true}} {
		for _, segment := range r.segments {
			if err := s.eachOf(ctx, segment, r.dense, nothing); err != nil {
				return err
			}
		}
	}
	for _, e := range one.Ledger {
		if _, err := s.batch(ctx, p, e); err != nil {
			return err
		}
	}
	return s.eachFile(ctx, one.Files, func(f file) error {
		if _, err := io.Copy(io.Discard, &content{ctx: ctx, shelf: s, chunks: f.Chunks}); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		return nil
	})
}

// checkLast checks that the last record of the base is the one that the journal has there.
func (p Partition) checkLast(r eventlog.Record) error {
	if b := p.Base; b != nil && r.Offset == b.Manifest.Cursor.Next-1 && sha256.Sum256(r.Value) != b.Manifest.Last {
		return fmt.Errorf("%w: %s is of another journal", ErrDamaged, b.Ref())
	}
	return nil
}

// rebuild folds the journal from the base on, and compares the rows with those of the cut.
func (s *shelf) rebuild(ctx context.Context, p, partitions int32, one Partition, with Rebuilding) error {
	if one.Cursor.Next == 0 {
		return nil
	}
	var rows projections.Rows
	var err error
	if b := one.Base; b != nil {
		rows = b.Manifest.Rows(ctx, based{s.files, *b}, b.Ref(), s.pace)
		if rows, err = projections.Migrate(b.Manifest.Schema, rows); err != nil {
			return err
		}
	}
	cfg := projections.Config{Dir: with.Scratch, Log: journal{shelf: s, partitions: partitions, of: one}, Projections: with.Projections, Logger: with.Logger}
	rebuilt, err := projections.Rebuild(ctx, cfg, p, rows, one.Cursor.Next, func(int) error { return nil })
	if err != nil {
		return damaged(err)
	}
	defer rebuilt.Close()
	if rebuilt.Cursor != one.Cursor {
		return fmt.Errorf("%w: the rebuilt cursor is %+v, the manifest has %+v", ErrDamaged, rebuilt.Cursor, one.Cursor)
	}
	sum, err := snapshot.Digest(rebuilt.Rows(ctx), s.pace)
	if err != nil {
		return err
	}
	if got := (Rows{sum.Count, sum.Bytes, sum.Digest}); one.Schema == projections.Schema && got != one.Rows { // other schemas have other rows
		return fmt.Errorf("%w: the rebuilt rows are %d of %d bytes with the digest %s, the manifest has %d of %d with %s",
			ErrDamaged, got.Count, got.Bytes, got.Digest, one.Rows.Count, one.Rows.Bytes, one.Rows.Digest)
	}
	if with.Access == nil {
		return nil
	}
	return with.Access.look(p, rebuilt)
}

// journal is one partition's journal in a backup, with as much of a log as a rebuild reads.
type journal struct {
	eventlog.Log
	shelf      *shelf
	partitions int32
	of         Partition
}

func (j journal) Partitions() int32 { return j.partitions }

// Read implements eventlog.Log. It never waits after the end.
func (j journal) Read(_ string, _ int32, from int64) eventlog.Reader {
	return &journalReader{journal: j, next: from}
}

type journalReader struct {
	journal
	next int64
}

// Next returns the records of a segment.
func (r *journalReader) Next(ctx context.Context) (records []eventlog.Record, err error) {
	for _, s := range r.of.Journal.Segments {
		if r.next < s.Start || r.next >= s.End {
			continue
		}
		err := r.shelf.eachOf(ctx, s, true, func(record eventlog.Record) error {
			if record.Offset >= r.next {
				records = append(records, record)
			}
			return nil
		})
		r.next = s.End
		return records, err
	}
	return nil, fmt.Errorf("%s at %d: %w", events.TopicJournal, r.next, errors.Join(ErrDamaged, eventlog.ErrBeyondEnd))
}

// Close implements eventlog.Reader.
func (r *journalReader) Close() {}
