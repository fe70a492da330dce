package browserpool

import (
	"testing"

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

// Slow leases leave the last slot to quick ones, and every other slot is theirs.
func TestSlowLeasesLeaveASlot(t *testing.T) {
	q := queue{openPool(t, Config{Slots: 3}), t}
	first, second := q.granted(q.request(events.Slow)), q.granted(q.request(events.Slow))
	third := q.request(events.Slow)
	q.waiting(1)
	for range 3 { // any number of quick requests
		q.granted(q.request(events.Quick)).Return()
	}
	q.waiting(1)
	first.Return()
	q.granted(third).Return()
	second.Return()
}

// Of the requests that may be granted, the one that has waited longest is next, whatever its lane.
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
