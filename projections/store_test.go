package projections

import (
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// A store with the current schema keeps its rows. One of another version, or of an unfinished build, is
// removed, unless it has an earlier schema: that one serves until the next is built.
func TestStoresOfSchemas(t *testing.T) {
	key := []byte("j something")
	for _, tc := range []struct {
		found          []byte // the schema that the store has when it is opened again
		kept, outdated bool
	}{{[]byte{9}, true, false}, {[]byte{8}, true, true}, {[]byte{7}, true, true}, {[]byte{6}, false, false}, {[]byte{10}, false, false}, {nil, false, false}} {
		for _, dir := range []string{"replica", "replica-9"} {
			if dir != "replica" && len(tc.found) > 0 && tc.found[0] != 9 {
				continue
			}
			cfg := Config{Dir: filepath.Join(t.TempDir(), "replica"), Logger: testkit.Silent(), FS: vfs.Default, Log: onePartition{}, testSchema: 9}
			s, err := openGuarded(cfg, filepath.Join(filepath.Dir(cfg.Dir), dir))
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{s.db.Set(key, key, pebble.Sync), s.db.Set(schemaKey, tc.found, pebble.Sync), s.db.Close()} {
				if err != nil {
					t.Fatal(err)
				}
			}
			s, outdated, err := openServing(cfg)
			if err != nil {
				t.Fatal(err)
			}
			value, err := get(s.db, key)
			if kept := value != nil; err != nil || kept != tc.kept || outdated != tc.outdated {
				t.Errorf("%s with schema %x: kept %t, outdated %t (%v), want %+v", dir, tc.found, kept, outdated, err, tc)
			}
			if have, err := get(s.db, schemaKey); err != nil || len(have) != 1 || !tc.kept && have[0] != 9 {
				t.Errorf("schema %x became %x (%v)", tc.found, have, err)
			}
			if err := s.db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// From each schema that snapshots may have there is a way to the present one.
func TestMigrations(t *testing.T) {
	rows := Rows(func(func(key, value []byte) error) error { return nil })
	for schema := firstMigrated; schema <= Schema; schema++ {
		if _, err := Migrate(schema, rows); err != nil {
			t.Errorf("schema %d: %v", schema, err)
		}
	}
	for _, schema := range []int{firstMigrated - 1, Schema + 1} {
		if _, err := Migrate(schema, rows); err == nil {
			t.Errorf("schema %d is read", schema)
		}
	}
}

// onePartition is a log of which only the number of partitions is asked for.
type onePartition struct{ eventlog.Log }

func (onePartition) Partitions() int32 { return 1 }
