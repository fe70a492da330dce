package node

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// spaceInterval is how often a node checks its disks.
	spaceInterval = time.Second
	// The default reserve: maxReserve, or one part in reserveShare of a small disk.
	maxReserve   = 1 << 30
	reserveShare = 20
)

// space watches the disks that the node writes to. Below a reserve of free space no more jobs are
// accepted, below half of it none are rendered, so that work under way (decisions, downloads,
// deletions) still has room. A full disk would end the log.
type space struct {
	dirs    map[string]string // by purpose
	reserve int64             // bytes; 0 for the default
	logger  *slog.Logger
	now     atomic.Pointer[[]volume]
	refuses bool // whether jobs were refused at the last check
}

// volume is the file system of a directory.
type volume struct {
	name, dir            string
	free, total, reserve int64 // bytes
}

// low returns an error if less than the reserve, divided by part, is free.
func (d volume) low(part int64) error {
	if d.free >= d.reserve/part {
		return nil
	}
	return fmt.Errorf("the disk of %s has %d MB free, its reserve is %d MB: make room", d.dir, d.free>>20, d.reserve>>20)
}

// reserveOf returns the reserve on a disk.
func reserveOf(total, configured int64) int64 {
	if configured > 0 {
		return configured
	}
	return min(maxReserve, total/reserveShare)
}

// look measures the disks. One that cannot be measured is left out: later failures will report
// themselves.
func (s *space) look() {
	var all []volume
	for name, dir := range s.dirs {
		var stat unix.Statfs_t
		if unix.Statfs(dir, &stat) != nil {
			continue
		}
		d := volume{name: name, dir: dir, free: int64(stat.Bavail) * stat.Bsize, total: int64(stat.Blocks) * stat.Bsize}
		d.reserve = reserveOf(d.total, s.reserve)
		all = append(all, d)
	}
	s.now.Store(&all)
	s.report(s.forJobs())
}

// report logs when jobs begin to be refused, and when they are accepted again.
func (s *space) report(err error) {
	switch {
	case err != nil && !s.refuses:
		s.logger.Error("jobs are refused for lack of storage", "error", err)
	case err == nil && s.refuses:
		s.logger.Info("there is room again; accepting jobs")
	}
	s.refuses = err != nil
}

// watchSpace watches the disks until the node closes.
func watchSpace(b *base) *space {
	s := &space{dirs: b.cfg.disks(), reserve: int64(b.cfg.ReserveMB) << 20, logger: b.logger}
	s.look()
	b.periodically("space", spaceInterval, func(context.Context) { s.look() })
	return s
}

func (s *space) disks() []volume { return *s.now.Load() }

// forJobs returns why no more jobs should be accepted, nil if they may.
func (s *space) forJobs() error { return s.check(1) }

// forRenders returns why no more jobs should be rendered, nil if they may.
func (s *space) forRenders() error { return s.check(2) }

func (s *space) check(part int64) error {
	for _, d := range s.disks() {
		if err := d.low(part); err != nil {
			return err
		}
	}
	return nil
}
