package embedded

import (
	"errors"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Config says where and how the log is stored. Sizes are in bytes.
type Config struct {
	// Dir is the directory of the database; it is created if it does not exist.
	Dir string
	// Partitions is the number per topic, fixed when Dir is first opened.
	Partitions int32
	// ReadOnly opens an existing log without changing it: appends, trims and memberships
	// fail with eventlog.ErrReadOnly. Partitions may then be 0, for the log's own count.
	ReadOnly bool
	// Logger receives failures of background work. Nil means slog.Default().
	Logger *slog.Logger
	// Failed is called once, with the reason, when the log has failed for good (see "What can
	// fail"). It must not block, and may be nil.
	Failed func(error)
	// PendingBytes bounds the appends in flight per topic; beyond it they are refused with
	// eventlog.ErrBusy. 0 means 64 MiB.
	PendingBytes int
	// Unbounded names the topics that are exempt from PendingBytes, because those who append to
	// them bound what they have in flight.
	Unbounded []string
	// CacheBytes bounds the newest records kept in memory, over all partitions, for
	// readers at the end. 0 means 8 MiB.
	CacheBytes int
	// FS replaces the file system, for tests that inject faults. Nil means the disk.
	FS vfs.FS
	// fenceAfter is how long the log may be idle before it is fenced. 0 means 5 seconds.
	fenceAfter time.Duration
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.PendingBytes == 0 {
		c.PendingBytes = 64 << 20
	}
	if c.CacheBytes == 0 {
		c.CacheBytes = 8 << 20
	}
	if c.fenceAfter == 0 {
		c.fenceAfter = 5 * time.Second
	}
	if c.FS == nil {
		c.FS = vfs.Default
	}
	return c
}

func (c Config) validate() error {
	switch {
	case c.Dir == "":
		return errors.New("embedded log: Dir is empty")
	case c.Partitions < 1 && !(c.ReadOnly && c.Partitions == 0):
		return errors.New("embedded log: Partitions must be at least 1")
	case c.PendingBytes < 0 || c.CacheBytes < 0:
		return errors.New("embedded log: PendingBytes and CacheBytes must not be negative")
	}
	return nil
}
