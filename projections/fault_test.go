package projections_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// A store that can no longer be written stops the replica, which reports it once, answers all
// waiters, and closes at once. It runs in a separate process, because goroutines are stuck in
// Pebble afterwards.
func TestAFullDiskStopsTheReplica(t *testing.T) {
	const variable = "PLATEN_PROJECTIONS_FULL_DISK"
	if os.Getenv(variable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAFullDiskStopsTheReplica$")
		cmd.Env = append(os.Environ(), variable+"=1", "TMPDIR="+t.TempDir()) // it ends without cleaning up
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %.3000s", err, output)
		}
		return
	}
	var full atomic.Bool
	f := newFixture(t)
	cfg, failed := f.config("r"), make(chan error, 2)
	cfg.Failed = func(err error) { failed <- err }
	cfg.FS = errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && op.Kind == errorfs.OpFileWrite && strings.HasSuffix(op.Path, ".log") {
			return syscall.ENOSPC
		}
		return nil
	}))
	r, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Start()
	f.catchUp(r)
	full.Store(true)
	rng := rand.New(rand.NewPCG(1, 1))
	for len(failed) == 0 { // the store buffers what it writes
		f.writeJobs(rng, 100)
	}
	reason := <-failed
	if !strings.Contains(reason.Error(), "replica store: no space left") {
		t.Errorf("failed with %v", reason)
	}
	for p := range int32(2) {
		if err := r.CatchUp(testkit.Context(t), p); err == nil {
			t.Errorf("partition %d has caught up", p)
		}
	}
	if _, err := r.Get([]byte("key")); err == nil {
		t.Error("a broken store can be read")
	}
	closed(t, r)
	if len(failed) > 0 {
		t.Errorf("failed again with %v", <-failed)
	}
	if t.Failed() {
		os.Exit(1)
	}
	os.Exit(0)
}

// A replica that loses what it had not synced at power cuts folds it again, to the same bytes.
func TestPowerCutsAndRebuildAgree(t *testing.T) {
	rng := testkit.Rand(t)
	f := newFixture(t)
	disk := vfs.NewCrashableMem()
	cfg := f.config("cut")
	cfg.Dir = "new/data/replica"
	for range 10 {
		cfg.FS = disk
		r, err := projections.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		r.Start()
		f.writeJobs(rng, rng.IntN(20))
		if rng.IntN(2) == 0 {
			f.catchUp(r)
		}
		disk = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(2) * rng.IntN(101), RNG: rng})
		closed(t, r)
	}
	cfg.FS = disk
	cut, err := projections.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, cut)
	cut.Start()
	f.catchUp(cut)
	rebuilt := f.open("rebuilt")
	defer closed(t, rebuilt)
	if !maps.Equal(dump(t, cut), dump(t, rebuilt)) {
		t.Error("a replica after power cuts and one rebuilt differ")
	}
}
