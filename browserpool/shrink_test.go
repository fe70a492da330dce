package browserpool

import (
	"context"
	"testing"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// Idle pages of both lanes free the memory of their last document, and work as before.
func TestIdlePagesShrink(t *testing.T) {
	const small = 40 << 20 // of 120 MiB
	pool := openPool(t, Config{Slots: 2, ShrinkAfter: 50 * time.Millisecond})
	largest := func() int64 { return pagetest.LargestProcess(pool.Stats().BrowserPID) }
	for _, lane := range []events.Lane{events.Quick, events.Slow} {
		lease, err := pool.Acquire(t.Context(), anyone(), lane)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lease.Print(context.Background(), page.Print{HTML: pagetest.LongTables}); err != nil {
			t.Fatal(err)
		}
		if got := largest(); got <= small {
			t.Fatalf("the document takes %d MiB, which shows nothing", got>>20)
		}
		lease.Return()
		testkit.Eventually(t, "the idle pages are small", func() bool { return largest() <= small })
	}
	if _, err := printWith(t.Context(), pool, page.Print{HTML: "x"}); err != nil {
		t.Error(err)
	}
}

// Pages shrink once per idle period, when it has lasted long enough.
func TestToShrink(t *testing.T) {
	const after = time.Minute
	now := time.Now()
	old, young, slow := new(page.Set), new(page.Set), new(page.Set)
	in := &instance{
		pages: stock{idle: []idlePages{{Set: old, since: now.Add(-after)}, {Set: young, since: now.Add(-after / 2)}}},
		slow:  stock{idle: []idlePages{{Set: slow, since: now.Add(-2 * after)}}},
	}
	if got := in.toShrink(after); len(got) != 2 || got[0] != old || got[1] != slow {
		t.Errorf("%v are to shrink, want those that were idle for long", got)
	}
	if got := in.toShrink(after); len(got) != 0 {
		t.Errorf("%v are to shrink again", got)
	}
	in.put(events.Slow, in.take(events.Slow))
	in.slow.idle[0].since = now.Add(-after)
	if got := in.toShrink(after); len(got) != 1 || got[0] != slow {
		t.Errorf("%v are to shrink after another job", got)
	}
}

// Pages that are not needed end when they have been idle for long enough, but for those used last.
func TestTakeUnneeded(t *testing.T) {
	const after = time.Minute
	now := time.Now()
	oldest, old, last := idlePages{Set: new(page.Set), since: now.Add(-2 * after)}, idlePages{Set: new(page.Set), since: now.Add(-after)}, idlePages{since: now.Add(-after)}
	young := idlePages{since: now.Add(-after / 2)}
	in := &instance{pages: stock{idle: []idlePages{oldest, old, young, young}}, slow: stock{idle: []idlePages{last}}}
	if got := in.takeUnneeded(after); len(got) != 2 || got[0] != oldest.Set || got[1] != old.Set || len(in.pages.idle) != 2 || len(in.slow.idle) != 1 {
		t.Errorf("%v are not needed, and %v, %v stay", got, in.pages.idle, in.slow.idle)
	}
	if got := in.takeUnneeded(0); len(got) != 1 || len(in.pages.idle) != 1 {
		t.Errorf("%v are not needed, and %v stay", got, in.pages.idle)
	}
}

// After a rush, the pages that it needed end.
func TestUnneededPagesEnd(t *testing.T) {
	pool := openPool(t, Config{Slots: 3, KeepPages: 1, CheckEvery: 50 * time.Millisecond})
	var leases []*Lease
	for range 3 {
		lease, err := pool.Acquire(t.Context(), anyone(), events.Quick)
		if err != nil {
			t.Fatal(err)
		}
		leases = append(leases, lease)
	}
	if got := targetsOf(t, leases[0]); got < 3 {
		t.Fatalf("%d targets with three leases", got)
	}
	for _, lease := range leases[1:] {
		lease.Return()
	}
	// Beside the lease's, one set of each kind stays.
	testkit.Eventually(t, "the others ended", func() bool { return targetsOf(t, leases[0]) <= 3 })
	if _, err := printWith(t.Context(), pool, page.Print{HTML: "x"}); err != nil {
		t.Error(err)
	}
}
