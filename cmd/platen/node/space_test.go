package node

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The reserve is 1 GiB, or a twentieth of a small disk, unless it is configured.
func TestReserve(t *testing.T) {
	for _, tc := range []struct{ total, configured, want int64 }{
		{1 << 40, 0, 1 << 30},
		{20 << 30, 0, 1 << 30},
		{20<<30 - 20, 0, 1<<30 - 1},
		{64 << 20, 0, 64 << 20 / 20},
		{64 << 20, 50 << 20, 50 << 20},
	} {
		if got := reserveOf(tc.total, tc.configured); got != tc.want {
			t.Errorf("of %d, configured %d: got %d, want %d", tc.total, tc.configured, got, tc.want)
		}
	}
}

// Below the reserve no jobs are accepted, below half of it none are rendered.
func TestLowSpace(t *testing.T) {
	for _, tc := range []struct {
		free          int64
		jobs, renders bool
	}{
		{100, true, true}, {99, false, true}, {50, false, true}, {49, false, false}, {0, false, false},
	} {
		s := &space{}
		s.now.Store(&[]volume{{free: 1000, reserve: 100}, {free: tc.free, reserve: 100}})
		if got := s.forJobs() == nil; got != tc.jobs {
			t.Errorf("%d free: jobs %t", tc.free, got)
		}
		if got := s.forRenders() == nil; got != tc.renders {
			t.Errorf("%d free: renders %t", tc.free, got)
		}
	}
}

// The reserve of inodes is 4,096, or a twentieth of few. A file system that does not bound them has none.
func TestInodeReserve(t *testing.T) {
	for total, want := range map[uint64]int64{1 << 24: 4096, 20 * 4096: 4096, 20*4096 - 1: 4095, 400: 20, 0: 0} {
		d := volumeOf("data", "/data", unix.Statfs_t{Files: total, Ffree: total}, 0)
		if d.inodes.reserve != want || d.inodes.total != int64(total) {
			t.Errorf("of %d: got %+v, want %d", total, d.inodes, want)
		}
	}
}

// Inodes run out as bytes do.
func TestLowOnInodes(t *testing.T) {
	for _, tc := range []struct {
		inodes        inodes
		jobs, renders bool
	}{
		{inodes{100, 2000, 100}, true, true},
		{inodes{99, 2000, 100}, false, true},
		{inodes{50, 2000, 100}, false, true},
		{inodes{49, 2000, 100}, false, false},
		{inodes{}, true, true},
	} {
		s := &space{}
		s.now.Store(&[]volume{{free: 1000, reserve: 100, inodes: tc.inodes}})
		if jobs, renders := s.forJobs() == nil, s.forRenders() == nil; jobs != tc.jobs || renders != tc.renders {
			t.Errorf("%+v: jobs %t, renders %t", tc.inodes, jobs, renders)
		}
	}
}

// A file system that runs out of inodes, with room for bytes, stops jobs, and takes them again once files are gone.
func TestOutOfInodes(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("platen-test", dir, "tmpfs", 0, "size=8m,nr_inodes=1000"); errors.Is(err, unix.EPERM) {
		t.Skip("SKIPPED: mounting a small file system needs root")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	s := &space{dirs: map[string]string{"data": dir}, logger: slog.New(slog.DiscardHandler)}
	s.look()
	free := s.disks()[0].inodes.free
	if s.forJobs() != nil || free < 900 || free > 1000 {
		t.Fatalf("new: %d inodes free, %v", free, s.forJobs())
	}
	for left := free - 1; left >= 20; left-- {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(left)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s.look()
		if jobs, renders := s.forJobs() == nil, s.forRenders() == nil; jobs != (left >= 50) || renders != (left >= 25) {
			t.Fatalf("%d inodes left: jobs %t, renders %t", left, jobs, renders)
		}
	}
	for left := range int64(50) {
		_ = os.Remove(filepath.Join(dir, fmt.Sprint(left)))
	}
	s.look()
	if err := s.forJobs(); err != nil {
		t.Errorf("with inodes again: %v", err)
	}
}

// The disk of the browsers' profiles is watched where nothing else is on it, with a small reserve.
func TestDiskOfBrowsers(t *testing.T) {
	cfg := NewConfig()
	cfg.Data, cfg.Browser.AllowRootNoSandbox = t.TempDir(), true
	work := filepath.Join(cfg.Data, "work")
	if dir, found := cfg.disks()[browsersDisk]; found { // before the first start, too
		t.Errorf("on the disk of the data: %s", dir)
	}
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	if dir, found := cfg.disks()[browsersDisk]; found {
		t.Errorf("on the disk of the data: %s", dir)
	}
	s := &space{dirs: cfg.disksBy(func(a, b string) bool { return a == b }), reserve: 1 << 50, logger: slog.New(slog.DiscardHandler)}
	s.look()
	if s.dirs[browsersDisk] != work {
		t.Errorf("watched: %+v", s.disks())
	}
	for _, d := range s.disks() {
		if want := min(128<<20, d.total/20); (d.name == browsersDisk) != (d.reserve == want) {
			t.Errorf("%s: reserve %d", d.name, d.reserve)
		}
	}
	if sameDisk(cfg.Data, "/proc/self") || !sameDisk(filepath.Join(cfg.Data, "a", "b"), work) {
		t.Error("disks are compared wrongly")
	}
}

// The disks of real directories are measured, and missing ones left out.
func TestDisks(t *testing.T) {
	s := &space{dirs: map[string]string{"data": t.TempDir(), "files": "/does/not/exist"}}
	s.look()
	if all := s.disks(); len(all) != 1 || all[0].name != "data" || all[0].free <= 0 || all[0].total < all[0].free {
		t.Errorf("got %+v", all)
	}
}

// Refusing jobs is logged once, and again after they were accepted.
func TestSpaceIsReported(t *testing.T) {
	var said strings.Builder
	s := &space{logger: slog.New(slog.NewTextHandler(&said, nil))}
	for _, free := range []int64{100, 99, 0, 100, 200, 50} {
		s.report(volume{dir: "/data", free: free << 20, reserve: 100 << 20}.low(1))
	}
	for text, want := range map[string]int{"jobs are refused for lack of storage": 2, "there is room again": 1} {
		if got := strings.Count(said.String(), text); got != want {
			t.Errorf("%q was said %d times, want %d:\n%s", text, got, want, said.String())
		}
	}
}
