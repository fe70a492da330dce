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
