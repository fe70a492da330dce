package retention

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

const (
	// OrphanAge is how old a file must be before it can be an orphan: far older than any attempt that may still report it.
	OrphanAge = 6 * time.Hour
	// OrphanInterval is the pause between two sweeps. With OrphanAge, it ensures that an orphan is deleted within the 48 hours after which nothing of a
	// job's content may be left.
	OrphanInterval = 6 * time.Hour
	// suspects is how many files a sweep remembers at a time.
	suspects = 1000
)

// StoredFiles lists and deletes stored files.
type StoredFiles interface {
	Files
	// Each visits the stored files with the time when each was stored.
	Each(ctx context.Context, visit func(name string, size int64, stored time.Time) error) error
}

// Orphans finds files that no job owns and deletes them: a node died after it had stored a file
// and before it reported that, or before it deleted one that was refused.
type Orphans struct {
	Files StoredFiles
	// Claim returns an error if the files may be those of somebody else's jobs.
	Claim func(context.Context) error
	// Mine reports whether this node has to sweep. One node of a cluster does.
	Mine func() bool
	// Settle reports for which files Owned reflects every command sent before the call. For the others, undecided commands may still say who owns the
	// file.
	Settle func(context.Context) (known func(name string) bool, err error)
	// Owned reports whether a job owns the file, or may come to.
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
	if err := o.Claim(ctx); err != nil {
		o.Logger.Error("no search for files without a job", "error", err)
		return
	}
	s, err := o.Sweep(ctx)
	if err != nil && ctx.Err() == nil {
		o.Logger.Warn("the search for files without a job failed, retrying later", "error", err)
	}
	if s.Deleted > 0 {
		o.Logger.Info("files that no job owns were deleted", "count", s.Deleted)
	}
	if s.Left > 0 {
		o.Logger.Warn("keeping files without a job: undecided commands may refer to them; retrying later", "count", s.Left)
	}
}

// Swept counts the files without a job that a sweep has deleted, and those that it left.
type Swept struct{ Deleted, Left int }

// Sweep deletes the orphans. It lists all files, and remembers a bounded number of them.
func (o Orphans) Sweep(ctx context.Context) (s Swept, err error) {
	var found []string
	before := o.Now().Add(-OrphanAge)
	err = o.Files.Each(ctx, func(name string, _ int64, stored time.Time) error {
		if !stored.Before(before) {
			return nil
		}
		if owned, err := o.Owned(name); err != nil || owned {
			return err
		}
		if found = append(found, name); len(found) < suspects {
			return nil
		}
		err := o.judge(ctx, found, &s)
		found = found[:0]
		return err
	})
	if err == nil && len(found) > 0 {
		err = o.judge(ctx, found, &s)
	}
	return s, err
}

// judge deletes those files that no job owns. Ownership is checked again after everything sent before is decided: a file older than OrphanAge was
// reported long before that, or never will be.
func (o Orphans) judge(ctx context.Context, found []string, s *Swept) error {
	known, err := o.Settle(ctx)
	if err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	for _, name := range found {
		if !known(name) {
			s.Left++
			continue
		}
		owned, err := o.Owned(name)
		if err == nil && !owned {
			err = o.Files.Delete(ctx, name)
			s.Deleted++
		}
		if err != nil {
			return err
		}
	}
	return nil
}
