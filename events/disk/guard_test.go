package disk

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"platen.dev/events/testkit"
)

// A call ends with its own error while the database is whole, and with the reason once Pebble
// has called Fatalf, which never returns. The first reason stays.
func TestCall(t *testing.T) {
	g := NewGuard("database", testkit.Silent())
	if err := g.Call(func() error { return io.EOF }); !errors.Is(err, io.EOF) || g.Err() != nil {
		t.Fatalf("call: %v, broken by %v", err, g.Err())
	}
	for _, reason := range []string{"first", "second"} {
		err := g.Call(func() error { g.Fatalf("%s reason", reason); return nil })
		if err == nil || err.Error() != "database: first reason" || !errors.Is(g.Err(), err) {
			t.Fatalf("call: %v, broken by %v", err, g.Err())
		}
	}
}

// An error of a write-ahead log or of a directory's sync breaks the database with the error
// as the reason. One of a table does not: Pebble tries again.
func TestWriteAheadLog(t *testing.T) {
	for _, c := range []struct {
		path   string
		kind   errorfs.OpKind
		breaks bool
	}{
		{".log", errorfs.OpCreate, true},
		{".log", errorfs.OpFileWrite, true},
		{".log", errorfs.OpFileSyncData, true},
		{"db", errorfs.OpFileSync, true},
		{".sst", errorfs.OpCreate, false},
	} {
		full := false
		g := NewGuard("database", testkit.Silent())
		db, err := pebble.Open("db", g.Options(&pebble.Options{FS: errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if full && op.Kind == c.kind && strings.HasSuffix(op.Path, c.path) {
				return syscall.EIO
			}
			return nil
		}))}))
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Set([]byte("key"), nil, pebble.Sync); err != nil {
			t.Fatal(err)
		}
		full = true
		err = g.Call(func() error {
			if err := db.Set([]byte("key"), nil, pebble.Sync); err != nil || !c.breaks {
				return err
			}
			return db.Flush() // begins the next write-ahead log
		})
		if c.breaks != errors.Is(err, syscall.EIO) || c.breaks != (g.Err() != nil) {
			t.Errorf("%s, %d: %v, broken by %v", c.path, c.kind, err, g.Err())
		}
	}
}

// openFull leaves a database that has a table to write at its next opening, and opens it on a disk
// that is full.
func openFull(t *testing.T, g *Guard) error {
	t.Helper()
	disk := vfs.NewMem()
	db, err := pebble.Open("db", &pebble.Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Set([]byte("key"), nil, pebble.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
	full := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && strings.HasSuffix(op.Path, ".sst") {
			return syscall.ENOSPC
		}
		return nil
	}))
	return g.Open(func() error {
		_, err := pebble.Open("db", g.Options(&pebble.Options{FS: full}))
		return err
	})
}

// A database that cannot write its tables while it is opened is broken. Pebble would try again
// without end.
func TestOpenOnAFullDisk(t *testing.T) {
	g := NewGuard("database", testkit.Silent())
	if err := openFull(t, g); !errors.Is(err, syscall.ENOSPC) || !errors.Is(g.Err(), syscall.ENOSPC) {
		t.Errorf("opened: %v, broken by %v", err, g.Err())
	}
}
