package projections

import (
	"context"
	"errors"
	"fmt"

	"platen.dev/events"
)

// Snapshots has the rows of partitions at earlier cursors (package snapshot).
type Snapshots interface {
	// Restore calls load with the rows of snapshots of a partition, newest first, until load succeeds.
	// It skips those that are not after the offset after, and those from which the journal does not
	// continue. The error is ErrNoSnapshot if none of the others will ever do, or there are none; after any other one, it may be tried again.
	Restore(ctx context.Context, partition int32, after int64, load func(Rows) error) error
}

// ErrNoSnapshot means that there is no usable snapshot of a partition.
var ErrNoSnapshot = errors.New("there is no snapshot")

// restore replaces the partition's rows by those of the newest usable snapshot. Partitions take
// turns: each takes a core.
func (f *follower) restore(ctx context.Context) error {
	return f.restoreFrom(ctx, f.position().Next)
}

// restoreFrom is restore with a snapshot after an offset.
func (f *follower) restoreFrom(ctx context.Context, after int64) error {
	r := f.replica
	if r.cfg.Snapshots == nil {
		return ErrNoSnapshot
	}
	f.restoring.Store(true)
	defer f.restoring.Store(false)
	select {
	case r.loading <- struct{}{}:
		defer func() { <-r.loading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var cursor Cursor
	err := r.cfg.Snapshots.Restore(ctx, f.partition, after, func(rows Rows) (err error) {
		cursor, err = f.load(ctx, rows)
		return err
	})
	if err != nil {
		return err
	}
	f.markLoaded(ctx, cursor)
	f.restored(cursor)
	r.cfg.Logger.Info("partition restored from a snapshot", "partition", f.partition, "offset", cursor.Next)
	return nil
}

// restoreFresh restores a partition that the store has nothing of. Without a snapshot it is folded
// from the beginning of the journal.
func (f *follower) restoreFresh(ctx context.Context) {
	err := f.restore(ctx)
	if err != nil && !errors.Is(err, ErrNoSnapshot) && ctx.Err() == nil {
		f.replica.cfg.Logger.Warn("no snapshot could be loaded, folding the journal from its beginning", "partition", f.partition, "error", err)
	}
}

// restoreTrimmed restores a partition whose next record is gone.
func (f *follower) restoreTrimmed(ctx context.Context) error {
	err := f.restore(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	next := f.position().Next
	start, _, boundsErr := f.replica.cfg.Log.Bounds(ctx, events.TopicJournal, f.partition)
	return errors.Join(boundsErr, fmt.Errorf("journal %d begins at offset %d and the replica needs it from %d on, so it has to begin with a snapshot: %w: "+
		"put the snapshots back where [history] in the configuration says, or the data directory of a node that was up to date", f.partition, start, next, err))
}
