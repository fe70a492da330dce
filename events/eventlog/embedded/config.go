package embedded

import (
	"errors"
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Config says where and how to keep the log. Sizes are in bytes.
type Config struct {
	// Dir is the directory of the database, made when missing.
	Dir string
	// Partitions is the count per topic, fixed when Dir is first opened.
	Partitions int32
	// ReadOnly opens a log that exists and changes nothing: appends, trims and memberships
	// fail with eventlog.ErrReadOnly. Partitions may be 0 then, for those that the log has.
	ReadOnly bool
	// Logger receives background faults. Nil means slog.Default().
	Logger *slog.Logger
	// PendingBytes bounds the appends in flight; more of them block. 0 means 64 MiB.
	PendingBytes int
	// TailBytes bounds the recent records kept in memory, over all partitions, from
	// which readers at the end are served. 0 means 8 MiB.
	TailBytes int
	// FS replaces the file system, for tests that inject faults. Nil means the disk.
	FS vfs.FS
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.PendingBytes == 0 {
		c.PendingBytes = 64 << 20
	}
	if c.TailBytes == 0 {
		c.TailBytes = 8 << 20
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
	case c.PendingBytes < 0 || c.TailBytes < 0:
		return errors.New("embedded log: PendingBytes and TailBytes must not be negative")
	}
	return nil
}
