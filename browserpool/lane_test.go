package browserpool

import (
	"context"
	"testing"

	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// queue is a pool whose leases a test requests one after another.
type queue struct {
	*Pool
	t *testing.T
}

// request requests a lease, and returns the channel on which it will come.
func (q queue) request(lane events.Lane) <-chan *Lease {
	q.t.Helper()
	before := q.Stats()
	got := make(chan *Lease, 1)
	go func() {
		lease, err := q.Acquire(q.t.Context(), anyone(), lane)
		if err != nil {
			q.t.Error(err)
		}
		got <- lease
	}()
	eventually(q.t, q.Pool, "the request", func(s Stats) bool {
		return s.Leased+s.Waiting == before.Leased+before.Waiting+1
	})
	return got
}

// granted waits for a lease.
func (q queue) granted(from <-chan *Lease) *Lease {
	q.t.Helper()
	return testkit.Receive(q.t, from, "a lease")
}

// waiting waits until n requests wait.
func (q queue) waiting(n int) {
	q.t.Helper()
	eventually(q.t, q.Pool, "the requests waiting", func(s Stats) bool { return s.Waiting == n })
}

// Slow leases take at most half of the slots, and leave the others to quick ones.
func TestSlowLeasesHaveHalf(t *testing.T) {
	q := queue{openPool(t, Config{Slots: 5}), t}
	first, second := q.granted(q.request(events.Slow)), q.granted(q.request(events.Slow))
	third := q.request(events.Slow)
	q.waiting(1)
	for range 3 { // however many quick requests
		q.granted(q.request(events.Quick)).Return()
	}
	q.waiting(1)
	first.Return()
	q.granted(third).Return()
	second.Return()
}

// The pages of slow leases become large, so a slow lease reuses those that are empty again, even if others are idle.
func TestSlowLeasesShareFewPages(t *testing.T) {
	q := queue{openPool(t, Config{Slots: 5}), t}
	used := map[*page.Set]bool{}
	held := []*Lease{q.granted(q.request(events.Slow)), q.granted(q.request(events.Slow))}
	for range 6 {
		next := q.request(events.Slow)
		q.waiting(1)
		used[held[0].pages], used[held[1].pages] = true, true
		held[0].Return()
		held = []*Lease{held[1], q.granted(next)}
	}
	for _, lease := range held {
		used[lease.pages] = true
		lease.Return()
	}
	if len(used) != 2 {
		t.Errorf("slow leases had %d sets of pages in turn, want 2", len(used))
	}
}

// The pages of slow leases yield to those of quick ones, and so do their replacements.
func TestSlowLeasesYield(t *testing.T) {
	pool := openPool(t, Config{Slots: 2})
	q := queue{pool, t}
	check := func(lane events.Lane, want int) {
		t.Helper()
		lease := q.granted(q.request(lane))
		defer lease.Return()
		if _, err := lease.Capture(t.Context(), page.Capture{HTML: "<p>x"}); err != nil { // opens another page
			t.Fatal(err)
		}
		renderers := lease.pages.Renderers()
		if len(renderers) != 2 {
			t.Errorf("%d renderers are known", len(renderers))
		}
		for _, pid := range renderers {
			if got := niceness(pid); got != want {
				t.Errorf("a page of a lease of lane %d has the niceness %d, want %d", lane, got, want)
			}
		}
		over, end := context.WithCancel(t.Context())
		end()
		if _, err := lease.Print(over, page.Print{HTML: "<p>x"}); err == nil { // so that the pages are replaced
			t.Error("a job that is over was done")
		}
	}
	for range 2 {
		check(events.Slow, 19)
		check(events.Quick, sharedNiceness)
	}
}

// An account holds at most twice as many slots as remain free, counted separately for shared slots and for those of remote leases.
func TestAnAccountLeavesSlots(t *testing.T) {
	testkit.Long(t)
	for _, lane := range []events.Lane{events.Quick, events.Remote} {
		pool := openPool(t, Config{Slots: 4, Remotes: 4})
		acquire := func(account events.AccountID) *Lease {
			lease, err := pool.Acquire(t.Context(), account, lane)
			if err != nil {
				t.Error(err)
			}
			return lease
		}
		held := []*Lease{acquire("greedy"), acquire("greedy"), acquire("greedy")}
		waiting := make(chan *Lease, 1)
		go func() { waiting <- acquire("greedy") }()
		eventually(t, pool, "the fourth waiting", func(s Stats) bool { return s.Waiting == 1 })
		other := acquire("modest") // the last slot
		if pool.Stats().Waiting != 1 {
			t.Errorf("%s: the account has all slots", lane)
		}
		for _, lease := range append(held, other) {
			lease.Return()
		}
		testkit.Receive(t, waiting, "the fourth").Return()
	}
}

// Among the requests that may be granted, the one waiting longest is next, whatever its lane.
func TestLanesAreFair(t *testing.T) {
	q := queue{openPool(t, Config{Slots: 2}), t}
	held := []*Lease{q.granted(q.request(events.Quick)), q.granted(q.request(events.Quick))} // quick leases may take every slot
	slow, quick := q.request(events.Slow), q.request(events.Quick)
	q.waiting(2)
	held[0].Return()
	first := q.granted(slow)
	q.waiting(1)
	held[1].Return()
	q.granted(quick).Return()
	first.Return()
}

// A pool of one slot lends it to both lanes.
func TestOneSlotIsForBothLanes(t *testing.T) {
	q := queue{openPool(t, Config{Slots: 1}), t}
	slow := q.granted(q.request(events.Slow))
	quick := q.request(events.Quick)
	q.waiting(1)
	slow.Return()
	q.granted(quick).Return()
}
