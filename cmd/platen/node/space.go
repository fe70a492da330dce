package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/browserpool/chromium"
	"platen.dev/events/disk"
)

const (
	// spaceInterval is how often a node checks its disks.
	spaceInterval = time.Second
	// The default reserve: maxReserve, or one part in reserveShare of a small disk.
	maxReserve   = 1 << 30
	reserveShare = 20
	// maxInodeReserve is the largest reserve of inodes: a browser's profile alone takes hundreds.
	maxInodeReserve = 4096
	// maxBrowsersReserve is the largest reserve on the browsers' own disk, which may be the system's: jobs keep little there, and not for long.
	maxBrowsersReserve = 128 << 20
)

// browsersDisk is the name of the disk of the browsers' profiles, if nothing else that is watched is on it.
const browsersDisk = "browsers"

// disks returns the directories of the disks that the node writes to, by purpose.
func (c Config) disks() map[string]string { return c.disksBy(sameDisk) }

func (c Config) disksBy(same func(a, b string) bool) map[string]string {
	disks := c.StorageConfig.disks()
	profiles := chromium.Options{User: c.Browser.User, AsRoot: c.Browser.AllowRootNoSandbox, TempDir: filepath.Join(c.Data, "work")}.ProfilesDir()
	for _, dir := range disks {
		if same(dir, profiles) {
			return disks
		}
	}
	disks[browsersDisk] = profiles
	return disks
}

// sameDisk reports whether directories are known to be on one file system, or will be once they are made.
func sameDisk(a, b string) bool {
	at, aErr := deviceOf(a)
	bt, bErr := deviceOf(b)
	return aErr == nil && bErr == nil && at == bt
}

// deviceOf returns the device of a directory or, if it does not exist, of its nearest parent.
func deviceOf(dir string) (device uint64, err error) {
	var at unix.Stat_t
	for err = unix.Stat(dir, &at); errors.Is(err, unix.ENOENT) && filepath.Dir(dir) != dir; err = unix.Stat(dir, &at) {
		dir = filepath.Dir(dir)
	}
	return at.Dev, err
}

// space watches the disks that the node writes to. Below a reserve of free space, or of free inodes, no more jobs are
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
	inodes               inodes
}

// inodes bound how many files a file system has. All are 0 if it has no such bound, as btrfs.
type inodes struct{ free, total, reserve int64 }

// volumeOf returns the measured volume of a directory. reserve is the configured one, in bytes.
func volumeOf(name, dir string, stat unix.Statfs_t, reserve int64) volume {
	d := volume{name: name, dir: dir}
	d.free, d.total = disk.Space(stat)
	d.reserve = reserveOn(name, d.total, reserve)
	if stat.Files > 0 {
		d.inodes = inodes{int64(stat.Ffree), int64(stat.Files), inodeReserve(int64(stat.Files))}
	}
	return d
}

// low returns an error if less than a reserve, divided by part, is free.
func (d volume) low(part int64) error {
	switch {
	case d.free < d.reserve/part:
		return fmt.Errorf("the disk of %s has %d MB free, its reserve is %d MB: make room", d.dir, d.free>>20, d.reserve>>20)
	case d.inodes.free < d.inodes.reserve/part:
		return fmt.Errorf("the disk of %s has %d inodes free, its reserve is %d: remove files, or give it a file system with more inodes", d.dir, d.inodes.free, d.inodes.reserve)
	}
	return nil
}

// inodeReserve returns the reserve of inodes of a file system that has this number of them.
func inodeReserve(total int64) int64 { return min(maxInodeReserve, total/reserveShare) }

// reserveOn returns the reserve on a disk, by its name. That of the browsers does not follow the configuration.
func reserveOn(name string, total, configured int64) int64 {
	if name == browsersDisk {
		return min(maxBrowsersReserve, total/reserveShare)
	}
	return reserveOf(total, configured)
}

// reserveOf returns the reserve on a disk that holds what the node keeps.
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
		all = append(all, volumeOf(name, dir, stat, s.reserve))
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
