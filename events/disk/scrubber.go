package disk

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// Scrubber scrubs a database in passes: damage that nobody reads would otherwise be found too late.
type Scrubber struct {
	name    string
	dir     func() string
	found   func(error)
	logger  *slog.Logger
	passed  atomic.Pointer[time.Time]
	damaged atomic.Int64
}

// NewScrubber returns a scrubber of a database, whose directory may change. found is called with the damage to each file.
func NewScrubber(name string, dir func() string, found func(error), logger *slog.Logger) *Scrubber {
	s := &Scrubber{name: name, dir: dir, found: found, logger: logger}
	s.pass()
	return s
}

func (s *Scrubber) pass() {
	now := time.Now()
	s.passed.Store(&now)
}

// Age returns the time since the last pass ended or, before that, since the scrubber was made.
func (s *Scrubber) Age() time.Duration { return time.Since(*s.passed.Load()) }

// Damaged returns how many files the last pass found damaged.
func (s *Scrubber) Damaged() int64 { return s.damaged.Load() }

// Pass makes a pass over the database, as Scrub does, and logs what is damaged.
func (s *Scrubber) Pass(ctx context.Context, pace func(bytes int) error) {
	dir := s.dir()
	damaged, err := Scrub(ctx, dir, pace)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.logger.Warn("files cannot be compared with their checksums", "of", s.name, "error", err)
		return
	}
	for _, file := range slices.Sorted(maps.Keys(damaged)) {
		path := filepath.Join(dir, file)
		s.logger.Error("a file is damaged: check the disk (docs/RUNBOOK.md, PlatenFilesDamaged)", "of", s.name, "file", path, "error", damaged[file])
		s.found(fmt.Errorf("%s: %w", path, damaged[file]))
	}
	s.damaged.Store(int64(len(damaged)))
	s.pass()
}
