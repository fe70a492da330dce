package retention

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

const (
	// OrphanAge is how old a file must be before it can be an orphan: far older than any attempt
	// that may still report it.
	OrphanAge = 6 * time.Hour
	// OrphanInterval is the pause between two sweeps. Together with OrphanAge, an orphan is
	// deleted within the 48 hours after which nothing of a job's content may be left.
	OrphanInterval = 6 * time.Hour
)

// StoredFiles lists and deletes stored files.
type StoredFiles interface {
	Files
	// Each visits the stored files with the time when each was stored.
	Each(ctx context.Context, visit func(name string, stored time.Time) error) error
}

// Orphans finds files that no job owns and deletes them: a node died after it had stored a file
// and before it reported that, or before it deleted one that was refused.
type Orphans struct {
	Files StoredFiles
	// Mine reports whether this node has to sweep. One node of a cluster does.
	Mine func() bool
	// CatchUp waits until Owned knows every job that was durable when it was called.
	CatchUp func(context.Context) error
	// Owned reports whether a job owns the file.
	Owned  func(name string) (bool, error)
	Now    func() time.Time
	Logger *slog.Logger
}

// SweepIfMine sweeps if this node has to, and logs the outcome. It is called every
// OrphanInterval.
func (o Orphans) SweepIfMine(ctx context.Context) {
	if !o.Mine() {
		return
	}
	deleted, err := o.Sweep(ctx)
	if err != nil && ctx.Err() == nil {
		o.Logger.Warn("the search for files without a job failed, trying again later", "error", err)
	}
	if deleted > 0 {
		o.Logger.Info("files that no job owns were deleted", "count", deleted)
	}
}

// Sweep deletes the orphans and returns their number. Jobs are looked at after the files were
// listed and the replica has caught up: a file older than OrphanAge was reported long before that,
// or never will be.
func (o Orphans) Sweep(ctx context.Context) (deleted int, err error) {
	var old []string
	before := o.Now().Add(-OrphanAge)
	err = o.Files.Each(ctx, func(name string, stored time.Time) error {
		if stored.Before(before) {
			old = append(old, name)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if err := o.CatchUp(ctx); err != nil {
		return 0, fmt.Errorf("catch up: %w", err)
	}
	for _, name := range old {
		owned, err := o.Owned(name)
		if err == nil && !owned {
			err = o.Files.Delete(ctx, name)
			deleted++
		}
		if err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}
