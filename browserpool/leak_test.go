package browserpool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// After much work, a pool holds no more sets than it has slots and spares, and it leaves nothing behind when it closes.
func TestNothingLeaks(t *testing.T) {
	testkit.Long(t)
	temp := testkit.TempDir(t)
	pool := openPool(t, Config{Slots: 2, TempDir: temp})
	var jobs sync.WaitGroup
	for worker := range 4 {
		jobs.Go(func() {
			for i := range 50 {
				text := fmt.Sprintf("worker%d-job%d", worker, i)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				result, err := printWith(ctx, pool, page.Print{HTML: "<p>" + text})
				cancel()
				if err != nil {
					t.Error(err)
					return
				}
				if i%10 == 0 && !strings.Contains(testkit.PDFText(t, result.PDF), text) {
					t.Errorf("%s is not in its own file", text)
				}
			}
		})
	}
	jobs.Wait()
	checkTargets(t, pool)
	if stats := pool.Stats(); stats.Jobs != 201 || stats.Restarts+stats.Crashes+stats.Discarded != 0 || stats.Leased != 0 {
		t.Errorf("after 201 leases: %+v", stats)
	}
	closePool(t, pool)
	noZombies(t)
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) != 0 {
		t.Errorf("profiles left: %v", left)
	}
}

// Pages are opened when leases need them, and one set ahead for each lane.
func TestPagesOpenWhenNeeded(t *testing.T) {
	const slots = 3
	pool := openPool(t, Config{Slots: slots})
	if got, limit := countTargets(t, pool), 1+spares+1; got > limit {
		t.Errorf("%d targets with one lease, want at most %d", got, limit)
	}
	var leases []*Lease
	for range slots {
		lease, err := pool.Acquire(t.Context(), anyone(), events.Quick)
		if err != nil {
			t.Fatal(err)
		}
		leases = append(leases, lease)
	}
	if got := targetsOf(t, leases[0]); got < slots {
		t.Errorf("%d targets with %d leases", got, slots)
	}
	testkit.Eventually(t, "one set more for each lane", func() bool { return targetsOf(t, leases[0]) == slots+spares+1 })
	for _, lease := range leases {
		lease.Return()
	}
	if got, want := countTargets(t, pool), slots+spares+1; got != want {
		t.Errorf("%d targets after the leases, want the same %d", got, want)
	}
}

// checkTargets fails if a pool has more pages open in its shared browser than its sets may have: a warm one and one for the next visit.
func checkTargets(t *testing.T, pool *Pool) {
	t.Helper()
	slots := pool.config.Slots
	if got, limit := countTargets(t, pool), 2*(slots+spares+slowSlots(slots)); got > limit {
		t.Errorf("%d targets, want at most %d", got, limit)
	}
}

// countTargets counts the pages open in the browser; it takes one lease. The window that the browser itself opens in
// its default context does not count: it may still be closing.
func countTargets(t *testing.T, pool *Pool) int {
	t.Helper()
	lease, err := pool.Acquire(t.Context(), anyone(), events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Return()
	return targetsOf(t, lease)
}

func targetsOf(t *testing.T, lease *Lease) (n int) {
	t.Helper()
	client := lease.in.browser.With(t.Context())
	contexts, err := proto.TargetGetBrowserContexts{}.Call(client)
	if err != nil {
		t.Fatal(err)
	}
	targets, err := proto.TargetGetTargets{}.Call(client)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets.TargetInfos {
		if slices.Contains(contexts.BrowserContextIDs, target.BrowserContextID) {
			n++
		}
	}
	return n
}

// noZombies fails if an ended child of this process was not reaped.
func noZombies(t *testing.T) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		content, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		name, rest, _ := strings.Cut(string(content), ") ")
		if fields := strings.Fields(rest); fields[0] == "Z" && fields[1] == strconv.Itoa(os.Getpid()) {
			t.Errorf("zombie %s)", name)
		}
	}
}
