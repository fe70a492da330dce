package retention

import (
	"context"
	"errors"
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

// Sweep deletes the orphans. It lists all files, and remembers a bounded number of them. It passes over a file that cannot be judged or deleted, so
// that no such file keeps those behind it for good; the error names them.
func (o Orphans) Sweep(ctx context.Context) (Swept, error) {
	s := sweep{Orphans: o}
	before := o.Now().Add(-OrphanAge)
	err := o.Files.Each(ctx, func(name string, _ int64, stored time.Time) error {
		if !stored.Before(before) {
			return nil
		}
		return s.suspect(ctx, name)
	})
	if err == nil {
		err = s.judge(ctx)
	}
	return s.Swept, errors.Join(append(s.failed, err)...)
}

// sweep is one round over all files.
type sweep struct {
	Orphans
	Swept
	found  []string // without an owner, not judged yet
	failed []error  // one for each file passed over
}

// suspect remembers a file if no job owns it.
func (s *sweep) suspect(ctx context.Context, name string) error {
	owned, err := s.Owned(name)
	if err != nil {
		return s.passOver(ctx, name, err)
	}
	if owned {
		return nil
	}
	if s.found = append(s.found, name); len(s.found) < suspects {
		return nil
	}
	return s.judge(ctx)
}

// judge deletes those of the remembered files that no job owns. Ownership is checked again after everything sent before is decided: a file older than
// OrphanAge was reported long before that, or never will be.
func (s *sweep) judge(ctx context.Context) error {
	if len(s.found) == 0 {
		return nil
	}
	known, err := s.Settle(ctx)
	if err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	for _, name := range s.found {
		if !known(name) {
			s.Left++
			continue
		}
		if err := s.deleteUnowned(ctx, name); err != nil {
			if err := s.passOver(ctx, name, err); err != nil {
				return err
			}
		}
	}
	s.found = s.found[:0]
	return nil
}

func (s *sweep) deleteUnowned(ctx context.Context, name string) error {
	owned, err := s.Owned(name)
	if err != nil || owned {
		return err
	}
	if err := s.Files.Delete(ctx, name); err != nil {
		return err
	}
	s.Deleted++
	return nil
}

// maxFailed is how many files a sweep passes over until it gives up: then the fault is not the files'.
const maxFailed = 20

var errGivenUp = errors.New("too many files cannot be judged or deleted: giving up")

// passOver notes why nothing was done about a file. Its error ends the sweep.
func (s *sweep) passOver(ctx context.Context, name string, err error) error {
	s.failed = append(s.failed, fmt.Errorf("%s: %w", name, err))
	if ctx.Err() == nil && len(s.failed) == maxFailed {
		return errGivenUp
	}
	return ctx.Err()
}
