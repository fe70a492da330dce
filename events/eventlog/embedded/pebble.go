package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/eventlog"
)

// ErrInUse means that the directory is open in this or another process.
var ErrInUse = errors.New("another platen uses the directory: stop it first, or give this one another directory")

// openDatabase locks the directory and opens the database in it. The sizes keep an
// idle node below 80 MiB. The block cache is small, because readers at the end are
// served from the record cache.
func openDatabase(c Config) (*pebble.DB, *pebble.Lock, error) {
	if err := prepareDir(c); err != nil {
		return nil, nil, fmt.Errorf("open log: %w", err)
	}
	lock, err := pebble.LockDirectory(c.Dir, c.FS)
	if err != nil {
		return nil, nil, lockError(c.Dir, err)
	}
	logger := &errorLogger{logger: c.Logger}
	db, err := pebble.Open(c.Dir, &pebble.Options{
		FS:                          c.FS,
		Lock:                        lock,
		Logger:                      logger,
		EventListener:               &pebble.EventListener{BackgroundError: logger.backgroundError},
		FormatMajorVersion:          formatMajorVersion(c),
		ReadOnly:                    c.ReadOnly,
		CacheSize:                   8 << 20,
		MaxOpenFiles:                500,
		MemTableSize:                16 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       64,
		LBaseMaxBytes:               128 << 20,
		BytesPerSync:                512 << 10,
		FlushDelayDeleteRange:       10 * time.Second,
	})
	if err != nil {
		_ = lock.Close()
		return nil, nil, fmt.Errorf("open log %s: %w", c.Dir, err)
	}
	return db, lock, nil
}

// prepareDir creates the directory, or checks that it exists if the log is only read.
func prepareDir(c Config) error {
	if !c.ReadOnly {
		return c.FS.MkdirAll(c.Dir, 0o700)
	}
	_, err := c.FS.Stat(c.Dir)
	return err
}

// formatMajorVersion upgrades a database to Pebble's newest format, unless it is only read.
func formatMajorVersion(c Config) pebble.FormatMajorVersion {
	if c.ReadOnly {
		return pebble.FormatDefault
	}
	return pebble.FormatNewest
}

func lockError(dir string, err error) error {
	const bySelf = "lock held by current process" // Pebble has no sentinel for it
	if errors.Is(err, syscall.EAGAIN) || err.Error() == bySelf {
		return fmt.Errorf("open log %s: %w", dir, ErrInUse)
	}
	return fmt.Errorf("open log %s: lock: %w", dir, err)
}

// checkFormat writes the format of a new database, or checks that of an existing one. It
// returns the number of partitions.
func checkFormat(db *pebble.DB, partitions int32) (int32, error) {
	value, closer, err := db.Get(formatKey)
	if errors.Is(err, pebble.ErrNotFound) {
		format := binary.BigEndian.AppendUint32([]byte{formatVersion}, uint32(partitions))
		return partitions, db.Set(formatKey, format, pebble.Sync)
	}
	if err != nil {
		return 0, err
	}
	defer closer.Close()
	if len(value) != 5 || value[0] != formatVersion {
		return 0, fmt.Errorf("unknown storage format %x: the directory is of a newer version of Platen, or not a log", value)
	}
	have := int32(binary.BigEndian.Uint32(value[1:]))
	if partitions != 0 && have != partitions {
		return 0, &eventlog.PartitionCountError{Topic: "*", Have: have, Want: partitions}
	}
	return have, nil
}

// errorLogger is Pebble's logger. It passes on errors only, and background errors at
// most every ten seconds.
type errorLogger struct {
	logger *slog.Logger
	last   atomic.Int64 // Unix second of the last background error logged
}

func (l *errorLogger) Infof(string, ...any) {}

func (l *errorLogger) Errorf(format string, args ...any) {
	l.logger.Error("log database", "error", fmt.Sprintf(format, args...))
}

// Fatalf must not return: Pebble's state is unknown, so the process ends.
func (l *errorLogger) Fatalf(format string, args ...any) {
	panic("log database: " + fmt.Sprintf(format, args...))
}

func (l *errorLogger) backgroundError(err error) {
	now := time.Now().Unix()
	if last := l.last.Load(); now-last >= 10 && l.last.CompareAndSwap(last, now) {
		l.logger.Error("log database: background work failed, appends may have to wait: check the disk", "error", err)
	}
}
