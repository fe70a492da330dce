package history

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// Confirmation says whether a snapshot must be confirmed by a rebuild.
type Confirmation bool

const (
	// Confirmed snapshots have the same rows as a rebuild from an earlier snapshot, or from the
	// beginning of the journal.
	Confirmed Confirmation = true
	// Trusted snapshots are accepted if there is nothing to rebuild from. An operator may ask for one
	// after all snapshots were lost.
	Trusted Confirmation = false
)

// Errors of Take and Verify.
var (
	// ErrMismatch means that the rows of a snapshot differ from a rebuild: a replica is wrong, or a
	// projection does not depend on the journal alone.
	ErrMismatch = errors.New("the rows differ from those of a rebuild")
	// ErrNoBase means that there is nothing to rebuild from: the beginning of the journal is trimmed,
	// and no earlier snapshot can be read.
	ErrNoBase = errors.New("there is nothing to rebuild from: the journal is trimmed and no earlier snapshot can be read; `platen admin snapshot take --trust` takes one all the same")
	// errEmpty means that a partition has nothing to save in a snapshot.
	errEmpty = errors.New("the journal of the partition is empty")
)

// Take takes a snapshot of a partition as this node now has it, and verifies it.
func (k *Keeper) Take(ctx context.Context, partition int32, how Confirmation) (snapshot.Ref, snapshot.Manifest, error) {
	k.working.Lock()
	defer k.working.Unlock()
	began := time.Now()
	ref, m, err := k.take(ctx, partition, how)
	if err != nil {
		k.fail(ctx, partition, err)
		return ref, m, err
	}
	k.know(partition, known{ref, Last{Next: ref.Next, Rows: m.Count, Taken: m.Taken}})
	k.count(func(c *Counts) { c.Taken++ })
	k.cfg.Logger.Info("snapshot taken and verified", "partition", partition, "offset", ref.Next,
		"rows", m.Count, "bytes", m.Bytes, "stored", m.Stored(), "took", time.Since(began).Round(time.Millisecond))
	return ref, m, nil
}

func (k *Keeper) fail(ctx context.Context, p int32, err error) {
	if ctx.Err() != nil {
		return
	}
	k.mu.Lock()
	k.failed[p] = k.cfg.Now()
	k.mu.Unlock()
	k.count(func(c *Counts) { c.Failed++ })
	if errors.Is(err, ErrMismatch) {
		k.count(func(c *Counts) { c.Mismatches++ })
		k.cfg.Logger.Error("A SNAPSHOT IS WRONG, so nothing is trimmed: this node's replica, or a projection, is not what the journal says", "partition", p, "error", err)
		return
	}
	k.warn(ctx, "no snapshot could be taken", p, err)
}

func (k *Keeper) take(ctx context.Context, p int32, how Confirmation) (ref snapshot.Ref, m snapshot.Manifest, err error) {
	taken := k.cfg.Now()
	frozen, err := k.cfg.Replica.Freeze(p)
	if err != nil {
		return ref, m, err
	}
	defer frozen.Close()
	pace := snapshot.Paced(ctx, k.cfg.BytesPerSecond)
	ref, m, err = Write(ctx, k.cfg.Files, k.cfg.Log, frozen, snapshot.Manifest{Taken: taken, Node: k.cfg.Node, Version: k.cfg.Version}, pace)
	if err != nil {
		return ref, m, err
	}
	if m.Base, err = k.confirm(ctx, m, frozen.Rows(ctx), pace); err != nil && (how == Confirmed || !errors.Is(err, ErrNoBase)) {
		return ref, m, err
	}
	if err := k.readBack(ctx, ref, m, pace); err != nil {
		return ref, m, err
	}
	return ref, m, snapshot.Publish(ctx, k.cfg.Files, ref, m)
}

// Write stores the rows of a partition as the chunks of a snapshot, and returns its manifest: that of an unconfirmed snapshot, with who took it and when
// from by. The snapshot counts once its manifest is published. The log must have the record before the cursor.
func Write(
	ctx context.Context, files store.Files, log eventlog.Log, frozen *projections.Frozen, by snapshot.Manifest, pace snapshot.Pace,
) (snapshot.Ref, snapshot.Manifest, error) {
	p, m := frozen.Partition(), by
	ref := snapshot.NewRef(p, frozen.Cursor.Next)
	if frozen.Cursor.Next == 0 {
		return ref, m, errEmpty
	}
	m.Format, m.Schema, m.Partition, m.Partitions, m.Cursor = snapshot.Format, projections.Schema, p, log.Partitions(), frozen.Cursor
	m.Journal, m.Base = log.TopicID(events.TopicJournal), snapshot.Unconfirmed
	last, err := eventlog.ReadOne(ctx, log, events.TopicJournal, p, ref.Next-1)
	if err != nil {
		return ref, m, err
	}
	m.Last = sha256.Sum256(last.Value)
	m.Contents, err = snapshot.Write(ctx, files, ref, frozen.Rows(ctx), pace)
	return ref, m, err
}

// confirm compares the digest of a snapshot with that of a rebuild, and returns the offset at which
// the rebuild began.
func (k *Keeper) confirm(ctx context.Context, m snapshot.Manifest, rows projections.Rows, pace snapshot.Pace) (base int64, err error) {
	rebuilt, base, err := k.rebuild(ctx, m, pace)
	if err != nil {
		return snapshot.Unconfirmed, err
	}
	defer rebuilt.Close()
	got, err := snapshot.Digest(rebuilt.Rows(ctx), pace)
	if err != nil {
		return base, err
	}
	if got.Digest != m.Digest {
		return base, fmt.Errorf("%w: %d rows with the digest %s, by a rebuild %d with %s: %s",
			ErrMismatch, m.Count, m.Digest, got.Count, got.Digest, difference(rows, rebuilt.Rows(ctx)))
	}
	return base, nil
}

// rebuild folds the journal up to a snapshot's cursor: from the newest earlier snapshot that can be
// read, or from the beginning.
func (k *Keeper) rebuild(ctx context.Context, m snapshot.Manifest, pace snapshot.Pace) (*projections.Frozen, int64, error) {
	list, err := snapshot.List(ctx, k.cfg.Files)
	if err != nil {
		return nil, 0, err
	}
	cfg := projections.Config{Dir: k.cfg.Scratch, Log: k.cfg.Log, Projections: k.cfg.Projections, Logger: k.cfg.Logger}
	for _, ref := range list.Refs[m.Partition] {
		if ref.Next >= m.Cursor.Next {
			continue
		}
		rebuilt, err := k.rebuildFrom(ctx, cfg, ref, m.Cursor.Next, pace)
		if err == nil {
			return rebuilt, ref.Next, nil
		}
		if ctx.Err() != nil {
			return nil, 0, err
		}
		k.cfg.Logger.Error("a snapshot cannot be read", "partition", m.Partition, "snapshot", ref.String(), "error", err)
	}
	rebuilt, err := projections.Rebuild(ctx, cfg, m.Partition, nil, m.Cursor.Next, pace)
	if errors.Is(err, eventlog.ErrTrimmed) {
		err = ErrNoBase
	}
	return rebuilt, 0, err
}

// rebuildFrom folds the journal from a snapshot to an offset.
func (k *Keeper) rebuildFrom(ctx context.Context, cfg projections.Config, ref snapshot.Ref, to int64, pace snapshot.Pace) (*projections.Frozen, error) {
	base, err := k.source.open(ctx, ref)
	if err != nil {
		return nil, err
	}
	rows, err := k.source.rows(ctx, ref, base, pace)
	if err != nil {
		return nil, err
	}
	return projections.Rebuild(ctx, cfg, ref.Partition, rows, to, pace)
}

// readBack checks that the store returns what was written.
func (k *Keeper) readBack(ctx context.Context, ref snapshot.Ref, m snapshot.Manifest, pace snapshot.Pace) error {
	if err := m.Rows(ctx, k.cfg.Files, ref, pace)(func(_, _ []byte) error { return nil }); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	return nil
}

// Verify reads a snapshot, and compares it with a rebuild if there is anything to rebuild it from. It
// returns the offset at which the rebuild began, or snapshot.Unconfirmed if there was nothing.
func (k *Keeper) Verify(ctx context.Context, ref snapshot.Ref) (snapshot.Manifest, int64, error) {
	k.working.Lock()
	defer k.working.Unlock()
	m, err := k.source.open(ctx, ref)
	if err != nil {
		return m, 0, err
	}
	pace := snapshot.Paced(ctx, k.cfg.BytesPerSecond)
	if err := k.readBack(ctx, ref, m, pace); err != nil {
		return m, 0, err
	}
	if m.Schema != projections.Schema { // a rebuild's rows would differ
		return m, snapshot.Unconfirmed, nil
	}
	base, err := k.confirm(ctx, m, m.Rows(ctx, k.cfg.Files, ref, pace), pace)
	if errors.Is(err, ErrNoBase) {
		return m, snapshot.Unconfirmed, nil
	}
	if errors.Is(err, ErrMismatch) {
		k.fail(ctx, ref.Partition, err)
	}
	return m, base, err
}
