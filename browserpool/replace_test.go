package browserpool

import (
	"sync"
	"testing"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events/testkit"
)

// A browser that has served its maximum of jobs is replaced without affecting any.
func TestRecycle(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 2, RecycleJobs: 5, CheckEvery: 10 * time.Millisecond})
	first := pool.Stats().BrowserPID
	var jobs sync.WaitGroup
	for range 3 {
		jobs.Go(func() {
			for pool.Stats().Recycles < 2 {
				if _, err := printWith(t.Context(), pool, page.Print{HTML: "x"}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	jobs.Wait()
	stats := pool.Stats()
	if stats.BrowserPID == first || stats.Restarts != 0 {
		t.Errorf("after recycling: %+v", stats)
	}
}

// A browser that has grown is replaced.
func TestRecycleByMemory(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 1, RecycleBytes: 1 << 20, CheckEvery: 10 * time.Millisecond})
	eventually(t, pool, "a recycled browser", func(s Stats) bool { return s.Recycles >= 1 })
}

func TestBrowserMissing(t *testing.T) {
	if _, err := Open(Config{ChromePath: "/nonexistent/browser"}); err == nil {
		t.Error("a pool opened without a browser")
	}
}
