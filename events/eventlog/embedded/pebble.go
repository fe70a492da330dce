package embedded

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
)

// ErrInUse means that the directory is open in this or another process.
var ErrInUse = disk.ErrInUse

// ErrDamaged means that the files of the log are not as they were written.
var ErrDamaged = errors.New("the log is damaged: check the disk, and copy what is readable with `platen log salvage` (docs/RUNBOOK.md)")

// damaged turns an error of damaged files into one that leaves the log. It is not disk.ErrDamaged: whoever else keeps a database would take it for damage
// of its own.
func damaged(err error) error {
	if !disk.Damaged(err) {
		return err
	}
	return fmt.Errorf("%w: %s", ErrDamaged, disk.Plain(err).Error())
}

// identity is what a database says about itself: the number of its partitions, and its id.
type identity struct {
	partitions int32
	id         string
}

// openDatabase locks the directory, opens the database in it, and returns its identity. If Pebble gives up on the opening, the lock is kept: Pebble
// may still write.
func openDatabase(c Config, guard *disk.Guard) (db *pebble.DB, lock *pebble.Lock, is identity, err error) {
	if err := prepareDir(c); err != nil {
		return nil, nil, is, fmt.Errorf("open log: %w", err)
	}
	if lock, err = pebble.LockDirectory(c.Dir, c.FS); err != nil {
		return nil, nil, is, fmt.Errorf("open log %s: %w", c.Dir, disk.InUse(err))
	}
	err = guard.Open(func() (err error) {
		if db, err = pebble.Open(c.Dir, guard.Options(options(c, lock))); err != nil {
			return errors.Join(disk.Opening(err), lock.Close())
		}
		if is.partitions, err = checkFormat(db, c.Partitions); err == nil {
			is.id, err = readID(db, c.ReadOnly)
		}
		if err != nil {
			return errors.Join(err, db.Close(), lock.Close())
		}
		return nil
	})
	if err != nil {
		return nil, nil, is, fmt.Errorf("open log %s: %w", c.Dir, damaged(err))
	}
	return db, lock, is, nil
}

// readID returns the id of a database, making one if it has none.
func readID(db *pebble.DB, readOnly bool) (string, error) {
	value, closer, err := db.Get(idKey)
	switch {
	case err == nil:
		defer closer.Close()
		return string(value), nil
	case !errors.Is(err, pebble.ErrNotFound):
		return "", err
	case readOnly:
		return "", nil
	}
	id := rand.Text()
	return id, db.Set(idKey, []byte(id), pebble.Sync)
}

// options keep an idle node below 80 MiB. The block cache is small, because readers at the
// end are served from the record cache.
func options(c Config, lock *pebble.Lock) *pebble.Options {
	return &pebble.Options{
		FS:                          c.FS,
		Lock:                        lock,
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
	}
}

// prepareDir durably creates the directory, or checks that it exists if the log is read-only.
func prepareDir(c Config) error {
	if !c.ReadOnly {
		return disk.MkdirAll(c.FS, c.Dir, 0o700)
	}
	_, err := c.FS.Stat(c.Dir)
	return err
}

// formatMajorVersion upgrades a database to Pebble's newest format, unless it is read-only.
func formatMajorVersion(c Config) pebble.FormatMajorVersion {
	if c.ReadOnly {
		return pebble.FormatDefault
	}
	return pebble.FormatNewest
}

// checkFormat writes the format of a new database, or checks that of an existing one. It
// returns the number of partitions.
func checkFormat(db *pebble.DB, partitions int32) (int32, error) {
	value, closer, err := db.Get(formatKey)
	if errors.Is(err, pebble.ErrNotFound) {
		format := binary.BigEndian.AppendUint32([]byte{formatVersion}, uint32(partitions))
		if err := db.Set(formatKey, format, pebble.Sync); err != nil {
			return 0, err
		}
		return partitions, db.Flush() // the first write-ahead log of a database does not say how far it was durable
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
		return 0, &eventlog.PartitionCountError{Have: have, Want: partitions}
	}
	return have, nil
}
