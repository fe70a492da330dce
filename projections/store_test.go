package projections

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// A store with the tables of another schema is emptied, so that the journal is folded again. A
// store with the current schema keeps its rows.
func TestStoreOfAnotherSchemaIsEmptied(t *testing.T) {
	cfg := Config{Dir: t.TempDir(), Logger: testkit.Silent(), FS: vfs.Default, Log: onePartition{}}
	guard := disk.NewGuard("replica store", cfg.Logger)
	key := []byte("j something")
	for _, tc := range []struct {
		found []byte // the schema that the store has when it is opened again
		kept  bool
	}{{[]byte{Schema}, true}, {[]byte{1}, false}, {nil, false}} {
		s, err := openSchema(cfg, guard)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{s.db.Set(key, key, pebble.Sync), s.db.Set(schemaKey, tc.found, pebble.Sync), s.db.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if s, err = openSchema(cfg, guard); err != nil {
			t.Fatal(err)
		}
		value, err := get(s.db, key)
		if kept := bytes.Equal(value, key); err != nil || kept != tc.kept {
			t.Errorf("schema %x: kept %t (%v), want %t", tc.found, kept, err, tc.kept)
		}
		if have, err := get(s.db, schemaKey); err != nil || !bytes.Equal(have, []byte{Schema}) {
			t.Errorf("schema %x became %x (%v)", tc.found, have, err)
		}
		if err := s.db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// onePartition is a log of which only the number of partitions is asked for.
type onePartition struct{ eventlog.Log }

func (onePartition) Partitions() int32 { return 1 }
