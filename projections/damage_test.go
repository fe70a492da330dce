package projections_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"platen.dev/events/disk"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// Whatever happens to the files of a replica, it ends up with the rows of a new one: at once, or at the second start because the first one has found
// the damage.
func TestDamagedFiles(t *testing.T) {
	rng := testkit.Rand(t)
	f := newFixture(t)
	f.writeJobs(rng, 400)
	closed(t, f.open("whole"))
	whole := f.open("whole") // which brings what was logged to tables
	want := dump(t, whole)
	closed(t, whole)
	renewed, found := 0, 0
	for range 100 {
		cfg := f.config("flipped")
		if err := errors.Join(os.RemoveAll(cfg.Dir), os.CopyFS(cfg.Dir, os.DirFS(f.config("whole").Dir))); err != nil {
			t.Fatal(err)
		}
		harmed := testkit.Harm(t, cfg.Dir, rng)
		for start := 1; ; start++ {
			r, err := projections.Open(t.Context(), cfg)
			if err != nil {
				t.Fatalf("start %d %s: %v", start, harmed, err)
			}
			r.Start()
			got, err := dumpOf(t, f, r)
			renewed += int(min(1, r.Renewed()))
			closed(t, r)
			if disk.Damaged(err) && start == 1 {
				found++
				continue
			}
			if err != nil || !maps.Equal(got, want) {
				t.Fatalf("start %d %s: %d rows, want %d, %v", start, harmed, len(got), len(want), err)
			}
			break
		}
	}
	if t.Logf("%d of 100 replicas were made again, %d of them at a second start", renewed, found); renewed == 0 || found == 0 {
		t.Error("no damage has been found")
	}
}

// A damaged log is not mistaken for a damaged replica: its rows are all that remains of the lost records.
func TestDamagedLogKeepsReplica(t *testing.T) {
	rng := testkit.Rand(t)
	f := newFixture(t)
	f.writeJobs(rng, 400)
	closed(t, f.open("replica"))
	r := f.open("replica")
	want := dump(t, r)
	closed(t, r)
	for range 2 { // what a start has recovered is in tables then
		if err := f.log.Close(); err != nil {
			t.Fatal(err)
		}
		f.openLog("log")
	}
	if err := f.log.Close(); err != nil {
		t.Fatal(err)
	}
	whole, found, tried := filepath.Join(f.dir, "log"), 0, 0
	for ; tried < 60 || found == 0 && tried < 600; tried++ { // most flips are in what nobody reads
		name := fmt.Sprintf("log%d", tried)
		if err := os.CopyFS(filepath.Join(f.dir, name), os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		harmed := flipInTables(t, filepath.Join(f.dir, name), rng)
		l, err := embedded.Open(embedded.Config{Dir: filepath.Join(f.dir, name), Partitions: 2, Logger: testkit.Silent()})
		if err != nil {
			continue // the replica is not opened then
		}
		f.log = l
		r, err := projections.Open(t.Context(), f.config("replica"))
		if err == nil {
			closed(t, r)
		} else if found++; disk.Damaged(err) || !errors.Is(err, embedded.ErrDamaged) {
			t.Errorf("log with flipped bits in %s: %v", harmed, err)
		}
		_ = l.Close() // it may be damaged
	}
	f.openLog("log")
	if r = f.open("replica"); r.Renewed() != 0 || !maps.Equal(dump(t, r), want) {
		t.Error("the replica has lost rows")
	}
	closed(t, r)
	if t.Logf("%d of %d damaged logs kept a replica from starting", found, tried); found == 0 {
		t.Error("no damage has been found")
	}
}

// flipInTables flips some bits in one of the tables of a database, and returns its file.
func flipInTables(t *testing.T, dir string, rng *rand.Rand) string {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	name := tables[rng.IntN(len(tables))]
	content, err := os.ReadFile(name)
	if err == nil {
		for range 8 {
			content[rng.IntN(len(content))] ^= 1 << rng.IntN(8)
		}
		err = os.WriteFile(name, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// dumpOf returns all rows of a replica that has caught up.
func dumpOf(t *testing.T, f *fixture, r *projections.Replica) (map[string]string, error) {
	for p := range int32(2) {
		if err := r.CatchUp(testkit.Context(t), p); err != nil {
			return nil, err
		}
	}
	rows := map[string]string{}
	err := r.Scan([]byte{}, func(key, value []byte) bool {
		if key[0] != 0 { // what describes the store is no row
			rows[string(key)] = string(value)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return rows, r.Err()
}
