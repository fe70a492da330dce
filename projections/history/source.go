package history

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// ErrForeign means that a snapshot does not belong to the log's journal.
var ErrForeign = errors.New("the snapshot is of another journal")

// Source finds snapshots with which a partition can begin.
type Source struct {
	Files  store.Files
	Log    eventlog.Log
	Logger *slog.Logger

	mu     sync.Mutex
	list   snapshot.Listing // guarded by mu
	listed time.Time        // guarded by mu
}

var _ projections.Snapshots = (*Source)(nil)

// listAge is how old a listing may be: all partitions of a replica begin at the same moment.
const listAge = 10 * time.Second

// refs returns the snapshots of a partition, the newest first.
func (s *Source) refs(ctx context.Context, partition int32) ([]snapshot.Ref, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.listed) > listAge {
		list, err := snapshot.List(ctx, s.Files)
		if err != nil {
			return nil, err
		}
		s.list, s.listed = list, time.Now()
	}
	return s.list.Refs[partition], nil
}

// Restore implements projections.Snapshots. It logs which snapshots cannot be loaded.
func (s *Source) Restore(ctx context.Context, partition int32, after int64, load func(projections.Rows) error) error {
	refs, err := s.refs(ctx, partition)
	if err != nil {
		return err
	}
	var failed []error
	useless := true
	for _, ref := range refs {
		if ref.Next <= after {
			break
		}
		m, err := s.open(ctx, ref)
		if err == nil {
			err = s.loadWith(ctx, ref, m, load)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		s.Logger.Error("a snapshot cannot be loaded, trying the one before", "partition", partition, "snapshot", ref.String(), "error", err)
		failed = append(failed, fmt.Errorf("%s: %w", ref, err))
		useless = useless && isUseless(err)
	}
	if useless {
		return errors.Join(append([]error{projections.ErrNoSnapshot}, failed...)...)
	}
	return errors.Join(failed...)
}

// isUseless reports whether an error says that a snapshot will never do. After any other one, it may be tried again.
func isUseless(err error) bool {
	for _, lasting := range []error{
		snapshot.ErrDamaged, ErrForeign, projections.ErrDiverged, eventlog.ErrTrimmed, eventlog.ErrBeyondEnd, events.ErrNewer, projections.ErrSchema,
	} {
		if errors.Is(err, lasting) {
			return true
		}
	}
	return false
}

// rows returns the rows of a snapshot, in this version's schema.
func (s *Source) rows(ctx context.Context, ref snapshot.Ref, m snapshot.Manifest, pace snapshot.Pace) (projections.Rows, error) {
	return projections.Migrate(m.Schema, m.Rows(ctx, s.Files, ref, pace))
}

func (s *Source) loadWith(ctx context.Context, ref snapshot.Ref, m snapshot.Manifest, load func(projections.Rows) error) error {
	rows, err := s.rows(ctx, ref, m, snapshot.Unpaced)
	if err != nil {
		return err
	}
	return load(rows)
}

// Begin returns the cursor of the oldest snapshot of a partition from which the journal continues.
func (s *Source) Begin(ctx context.Context, partition int32) (projections.Cursor, error) {
	refs, err := s.refs(ctx, partition)
	if err != nil {
		return projections.Cursor{}, err
	}
	failed := []error{projections.ErrNoSnapshot}
	for _, ref := range slices.Backward(refs) {
		m, err := s.open(ctx, ref)
		if err == nil {
			return m.Cursor, nil
		}
		failed = append(failed, err)
	}
	return projections.Cursor{}, errors.Join(failed...)
}

// Newest returns the newest confirmed snapshot of a partition that ends at or before the offset to, and from which the journal continues. The error
// is projections.ErrNoSnapshot if there is none.
func (s *Source) Newest(ctx context.Context, partition int32, to int64) (ref snapshot.Ref, m snapshot.Manifest, err error) {
	refs, err := s.refs(ctx, partition)
	if err != nil {
		return ref, m, err
	}
	failed := []error{projections.ErrNoSnapshot}
	for _, ref := range refs {
		if ref.Next > to {
			continue
		}
		m, err := s.open(ctx, ref)
		if err == nil && m.Base != snapshot.Unconfirmed {
			return ref, m, nil
		}
		failed = append(failed, err)
	}
	return ref, m, errors.Join(failed...)
}

// open returns a snapshot that this version can read and from which the journal continues.
func (s *Source) open(ctx context.Context, ref snapshot.Ref) (snapshot.Manifest, error) {
	m, err := snapshot.Open(ctx, s.Files, ref)
	if err != nil {
		return m, err
	}
	if m.Partitions != s.Log.Partitions() {
		return m, fmt.Errorf("%w: it has %d partitions", ErrForeign, m.Partitions)
	}
	if _, err := projections.Migrate(m.Schema, nil); err != nil {
		return m, err
	}
	return m, belongs(ctx, s.Log, m)
}

// belongs checks that a snapshot is a prefix of the journal: the record before its cursor is the one that it was taken at, and the cursor agrees with
// that record.
func belongs(ctx context.Context, log eventlog.Log, m snapshot.Manifest) error {
	if id := log.TopicID(events.TopicJournal); m.Journal != "" && id != m.Journal {
		return fmt.Errorf("%w: of the topic %s, the log has %s", ErrForeign, m.Journal, id)
	}
	last := m.Cursor.Next - 1
	start, end, err := log.Bounds(ctx, events.TopicJournal, m.Partition)
	switch {
	case err != nil:
		return err
	case last < start:
		return fmt.Errorf("the journal begins at offset %d, behind the last record of the snapshot, %d: %w", start, last, eventlog.ErrTrimmed)
	case last >= end:
		return fmt.Errorf("the journal ends at offset %d, before the last record of the snapshot, %d: %w", end, last, eventlog.ErrBeyondEnd)
	}
	record, err := eventlog.ReadOne(ctx, log, events.TopicJournal, m.Partition, last)
	if err != nil {
		return err
	}
	if snapshot.Sum(sha256.Sum256(record.Value)) != m.Last || !agrees(m.Cursor, record) {
		return fmt.Errorf("%w: the record at offset %d is another one", ErrForeign, last)
	}
	return nil
}

// agrees reports whether a cursor can directly follow a record.
func agrees(c projections.Cursor, last eventlog.Record) bool {
	entry, err := events.DecodeEntry(last.Value)
	if err != nil {
		return true // a foreign record, which every replica skips
	}
	switch e := entry.(type) {
	case events.Marker:
		return c.Epoch == last.Offset && c.Owner == e.Owner
	case events.Envelope:
		return e.Epoch != c.Epoch || c.Cause >= e.Cause || c.Cause+1 < e.Cause
	}
	return c.Epoch <= last.Offset
}
