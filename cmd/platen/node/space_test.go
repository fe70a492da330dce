package node

import (
	"log/slog"
	"strings"
	"testing"
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
