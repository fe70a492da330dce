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

// ErrInUse refuses a directory that is open in this or another process.
var ErrInUse = errors.New("another platen uses the directory")

// openDatabase locks the directory and opens the database in it. The sizes are
// chosen for an idle node of 80 MiB: what is read twice comes from the tails, so
// the block cache is small.
func openDatabase(c Config) (*pebble.DB, *pebble.Lock, error) {
	if err := prepareDir(c); err != nil {
		return nil, nil, fmt.Errorf("open log: %w", err)
	}
	lock, err := pebble.LockDirectory(c.Dir, c.FS)
	if err != nil {
		return nil, nil, lockError(c.Dir, err)
	}
	listener := &quiet{logger: c.Logger}
	db, err := pebble.Open(c.Dir, &pebble.Options{
		FS:                          c.FS,
		Lock:                        lock,
		Logger:                      listener,
		EventListener:               &pebble.EventListener{BackgroundError: listener.backgroundError},
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

// prepareDir makes the directory, or checks that a log to be read is there.
func prepareDir(c Config) error {
	if !c.ReadOnly {
		return c.FS.MkdirAll(c.Dir, 0o700)
	}
	_, err := c.FS.Stat(c.Dir)
	return err
}

// formatMajorVersion keeps the version of a database that is only read.
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

// checkFormat writes the format of a new database, or compares that of an old one. It
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
		return 0, fmt.Errorf("storage format %x is not known to this version", value)
	}
	have := int32(binary.BigEndian.Uint32(value[1:]))
	if partitions != 0 && have != partitions {
		return 0, &eventlog.PartitionCountError{Topic: "*", Have: have, Want: partitions}
	}
	return have, nil
}

// quiet is Pebble's logger: faults only, and of a repeated one not every instance.
type quiet struct {
	logger *slog.Logger
	last   atomic.Int64 // unix seconds of the last background error logged
}

func (q *quiet) Infof(string, ...any) {}

func (q *quiet) Errorf(format string, args ...any) {
	q.logger.Error("pebble", "err", fmt.Sprintf(format, args...))
}

// Fatalf must not return: Pebble's state is unknown, so the process ends.
func (q *quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func (q *quiet) backgroundError(err error) {
	now := time.Now().Unix()
	if last := q.last.Load(); now-last >= 10 && q.last.CompareAndSwap(last, now) {
		q.logger.Error("log: background work failed, appends may have to wait", "err", err)
	}
}
