package browserpool

import (
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
)

// lanes is a pool whose leases the test asks for one after the other.
type lanes struct {
	*Pool
	t *testing.T
}

// ask asks for a page and gives a channel on which the lease comes.
func (l lanes) ask(lane events.Lane) <-chan *Lease {
	l.t.Helper()
	before := l.Stats()
	got := make(chan *Lease, 1)
	go func() {
		lease, err := l.Acquire(l.t.Context(), lane)
		if err != nil {
			l.t.Error(err)
		}
		got <- lease
	}()
	eventually(l.t, l.Pool, "the request", func(s Stats) bool {
		return s.Leased+s.Waiting == before.Leased+before.Waiting+1
	})
	return got
}

// has waits for a lease.
func (l lanes) has(from <-chan *Lease) *Lease {
	l.t.Helper()
	return pagetest.Await(l.t, from, "a lease")
}

// waits checks that n requests wait.
func (l lanes) waits(n int) {
	l.t.Helper()
	eventually(l.t, l.Pool, "as many waiting", func(s Stats) bool { return s.Waiting == n })
}

// Slow leases leave the last slot to quick ones, and take it from nobody else.
func TestSlowLeasesLeaveASlot(t *testing.T) {
	l := lanes{openPool(t, Config{Slots: 3}), t}
	first, second := l.has(l.ask(events.Slow)), l.has(l.ask(events.Slow))
	third := l.ask(events.Slow)
	l.waits(1)
	for range 3 { // as often as they come
		l.has(l.ask(events.Quick)).Return()
	}
	l.waits(1)
	first.Return()
	l.has(third).Return()
	second.Return()
}

// Within what may be granted, whoever has waited longest is next, of either lane.
func TestLanesAreFair(t *testing.T) {
	l := lanes{openPool(t, Config{Slots: 2}), t}
	held := []*Lease{l.has(l.ask(events.Quick)), l.has(l.ask(events.Quick))} // quick ones may have all
	slow, quick := l.ask(events.Slow), l.ask(events.Quick)
	l.waits(2)
	held[0].Return()
	first := l.has(slow)
	l.waits(1)
	held[1].Return()
	l.has(quick).Return()
	first.Return()
}

// The only slot of a pool is for both lanes.
func TestOneSlotIsForBothLanes(t *testing.T) {
	l := lanes{openPool(t, Config{Slots: 1}), t}
	slow := l.has(l.ask(events.Slow))
	quick := l.ask(events.Quick)
	l.waits(1)
	slow.Return()
	l.has(quick).Return()
}
