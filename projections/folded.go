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
func ReadFolded(dir string) (Folded, error) {
	c := Config{Dir: dir}
	if _, err := vfs.Default.Stat(c.damageMark()); !errors.Is(err, fs.ErrNotExist) {
		return Folded{}, cmp.Or(err, disk.ErrDamaged)
	}
	for _, dir := range []string{c.dirOf(Schema), dir} {
		if f, err := readFolded(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return Folded{}, fs.ErrNotExist
}

// readFolded reads the store in one directory.
func readFolded(dir string) (f Folded, err error) {
	if _, err := vfs.Default.Stat(dir); err != nil {
		return f, err
	}
	guard := disk.NewGuard("replica store", slog.New(slog.DiscardHandler))
	var db *pebble.DB
	err = guard.Open(func() (err error) {
		db, err = pebble.Open(dir, guard.Options(&pebble.Options{ReadOnly: true}))
		return disk.Opening(err)
	})
	if err != nil {
		return f, err
	}
	err = guard.Call(func() (err error) { f, err = foldedIn(db); return err })
	return f, errors.Join(err, guard.Call(db.Close))
}

func foldedIn(db *pebble.DB) (f Folded, err error) {
	schema, err := get(db, schemaKey)
	if err != nil {
		return f, err
	}
	if len(schema) != 1 || int(schema[0]) != Schema {
		return f, fs.ErrNotExist
	}
	journal, err := get(db, journalKey)
	if err != nil {
		return f, err
	}
	f = Folded{string(journal), map[int32]Cursor{}}
	return f, cursors.Each(&Frozen{reader: db}, []byte{cursors.Name}, func(key []byte, c Cursor) bool {
		f.Cursors[cursors.Partition(key)] = c
		return true
	})
}
