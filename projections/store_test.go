package projections

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events"
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
	}{{[]byte{3}, true, false}, {[]byte{2}, true, true}, {[]byte{1}, true, true}, {[]byte{0}, false, false}, {[]byte{4}, false, false}, {nil, false, false}} {
		for _, dir := range []string{"replica", "replica-3"} {
			if dir != "replica" && len(tc.found) > 0 && tc.found[0] != 3 {
				continue
			}
			cfg := Config{Dir: filepath.Join(t.TempDir(), "replica"), Logger: testkit.Silent(), FS: vfs.Default, Log: onePartition{}, testSchema: 3}
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
			if have, err := get(s.db, schemaKey); err != nil || len(have) != 1 || !tc.kept && have[0] != 3 {
				t.Errorf("schema %x became %x (%v)", tc.found, have, err)
			}
			if err := s.db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Rows pass the migrations of each schema from their own on. Those of a newer version are refused, and those from which no way leads on.
func TestMigrations(t *testing.T) {
	adds := func(name byte) func(Rows) Rows {
		return func(rows Rows) Rows {
			return func(visit func(key, value []byte) error) error {
				return errors.Join(rows(visit), visit([]byte{name}, nil))
			}
		}
	}
	defer SetMigration(101, adds('b'))()
	defer SetMigration(102, adds('c'))()
	for schema, want := range map[int]string{101: "abc", 102: "ac", 103: "a"} {
		rows, err := migrate(schema, 103, func(visit func(key, value []byte) error) error { return visit([]byte("a"), nil) })
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := rows(func(key, _ []byte) error { got += string(key); return nil }); err != nil || got != want {
			t.Errorf("from schema %d: %q (%v), want %q", schema, got, err, want)
		}
	}
	if _, err := migrate(104, 103, nil); !errors.Is(err, events.ErrNewer) {
		t.Errorf("rows of a newer schema: %v", err)
	}
	if _, err := migrate(100, 103, nil); err == nil || errors.Is(err, events.ErrNewer) {
		t.Errorf("rows that nothing migrates: %v", err)
	}
}

// onePartition is a log that is asked for its number of partitions only.
type onePartition struct{ eventlog.Log }

func (onePartition) Partitions() int32 { return 1 }
