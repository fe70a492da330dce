package projections_test

import (
	"errors"
	"maps"
	"os"
	"testing"

	"platen.dev/events/disk"
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
