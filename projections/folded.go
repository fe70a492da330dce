package projections

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/disk"
)

// Folded is how far a replica has folded a log.
type Folded struct {
	// Journal is the id of the journal's topic.
	Journal string
	// Cursors are those of the partitions that the replica has anything of.
	Cursors map[int32]Cursor
}

// ReadFolded returns how far the replica of a stopped node has folded its log, without changing anything. dir is that of Config.Dir. A replica of
// another version's schema counts as none, which is fs.ErrNotExist. One whose files are known to be damaged is disk.ErrDamaged.
func ReadFolded(dir string) (f Folded, err error) {
	err = ReadStopped(dir, func(rows *Frozen, journal string) error {
		f = Folded{journal, map[int32]Cursor{}}
		return cursors.Each(rows, []byte{cursors.Name}, func(key []byte, c Cursor) bool {
			f.Cursors[cursors.Partition(key)] = c
			return true
		})
	})
	return f, err
}

// ReadStopped has read read the rows of all partitions of a stopped node's replica, and the id of the journal's topic. Its errors are those of
// ReadFolded, and read's.
func ReadStopped(dir string, read func(rows *Frozen, journal string) error) error {
	c := Config{Dir: dir}
	if _, err := vfs.Default.Stat(c.damageMark()); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, disk.ErrDamaged)
	}
	for _, dir := range []string{c.dirOf(Schema), dir} {
		if err := readStopped(dir, read); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fs.ErrNotExist
}

// readStopped reads the store in one directory.
func readStopped(dir string, read func(*Frozen, string) error) error {
	if _, err := vfs.Default.Stat(dir); err != nil {
		return err
	}
	guard := disk.NewGuard("replica store", slog.New(slog.DiscardHandler))
	var db *pebble.DB
	err := guard.Open(func() (err error) {
		db, err = pebble.Open(dir, guard.Options(&pebble.Options{ReadOnly: true}))
		return disk.Opening(err)
	})
	if err != nil {
		return err
	}
	err = guard.Call(func() error { return readIn(db, read) })
	return errors.Join(err, guard.Call(db.Close))
}

func readIn(db *pebble.DB, read func(*Frozen, string) error) error {
	schema, err := get(db, schemaKey)
	if err != nil {
		return err
	}
	if len(schema) != 1 || int(schema[0]) != Schema {
		return fs.ErrNotExist
	}
	journal, err := get(db, journalKey)
	if err != nil {
		return err
	}
	return read(&Frozen{reader: db}, string(journal))
}
