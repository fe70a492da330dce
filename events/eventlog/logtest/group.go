package logtest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

var groupCases = []testCase{
	{"one member holds everything", ownAlone},
	{"two members share, and the one that stays takes over", ownShare},
	{"members come and go", ownMany},
}

// holdings records which member of a test holds which partition. Every call checks that
// no member is given a partition that another one holds.
type holdings struct {
	t       *testing.T
	mu      sync.Mutex
	changed sync.Cond
	holder  map[int32]*owner
}

// owner is a recording eventlog.Owner.
type owner struct {
	name     string
	holdings *holdings
	busy     atomic.Bool
}

// String returns the owner's name, or a word for none if nil.
func (o *owner) String() string {
	if o == nil {
		return "no member"
	}
	return o.name
}

func newHoldings(t *testing.T) *holdings {
	h := &holdings{t: t, holder: map[int32]*owner{}}
	h.changed.L = &h.mu
	return h
}

func (h *holdings) owner(name string) *owner { return &owner{name: name, holdings: h} }

// Assigned implements eventlog.Owner.
func (o *owner) Assigned(partitions []int32) { o.change("assigned", partitions, nil, o) }

// Revoked implements eventlog.Owner.
func (o *owner) Revoked(partitions []int32) { o.change("revoked", partitions, o, nil) }

// Lost implements eventlog.Owner.
func (o *owner) Lost(partitions []int32) { o.change("lost", partitions, o, nil) }

func (o *owner) change(what string, partitions []int32, from, to *owner) {
	h := o.holdings
	if !o.busy.CompareAndSwap(false, true) {
		h.t.Errorf("%s: two calls at a time", o.name)
	}
	defer o.busy.Store(false)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range partitions {
		if h.holder[p] != from {
			h.t.Errorf("%s: partition %d %s, but %s holds it", o, p, what, h.holder[p])
		}
		if h.holder[p] = to; to == nil {
			delete(h.holder, p)
		}
	}
	h.changed.Broadcast()
}

// await waits until the owners hold all partitions, each its fair share.
func (h *holdings) await(owners ...*owner) {
	h.t.Helper()
	expired := false
	timer := time.AfterFunc(testkit.Patience, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		expired = true
		h.changed.Broadcast()
	})
	defer timer.Stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for !h.shared(owners) {
		if expired {
			h.t.Fatalf("partitions are not shared among %d members: %v", len(owners), h.counts())
		}
		h.changed.Wait()
	}
}

func (h *holdings) shared(owners []*owner) bool {
	if len(h.holder) != Partitions {
		return false
	}
	counts := h.counts()
	for _, o := range owners {
		low := Partitions / len(owners)
		if n := counts[o.name]; n < low || n > low+1 {
			return false
		}
	}
	return true
}

func (h *holdings) counts() map[string]int {
	counts := map[string]int{}
	for _, o := range h.holder {
		counts[o.name]++
	}
	return counts
}

func (h *holdings) heldBy(o *owner) []int32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	var held []int32
	for p, holder := range h.holder {
		if holder == o {
			held = append(held, p)
		}
	}
	slices.Sort(held)
	return held
}

func join(t *testing.T, l eventlog.Log, s Storage, o *owner) eventlog.Membership {
	t.Helper()
	m, err := l.Own("group-"+s.Topic, s.Topic, o)
	if err != nil {
		t.Fatalf("own: %v", err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func leave(t *testing.T, m eventlog.Membership) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Fatalf("leave: %v", err)
	}
}

func ownAlone(t *testing.T, s Storage) {
	l := open(t, s)
	h := newHoldings(t)
	a := h.owner("a")
	m := join(t, l, s, a)
	h.await(a)
	leave(t, m)
	if held := h.heldBy(a); len(held) != 0 {
		t.Fatalf("still holds %v after leaving", held)
	}
	leave(t, m)
}

func ownShare(t *testing.T, s Storage) {
	l := open(t, s)
	h := newHoldings(t)
	a, b := h.owner("a"), h.owner("b")
	first := join(t, l, s, a)
	h.await(a)
	second := join(t, l, s, b)
	h.await(a, b)
	leave(t, first)
	h.await(b)
	leave(t, second)
}

// ownMany has five members of four partitions join and leave in turn, so that one member at a time
// holds nothing.
func ownMany(t *testing.T, s Storage) {
	l := open(t, s)
	h := newHoldings(t)
	var owners []*owner
	var members []eventlog.Membership
	for i := range Partitions + 1 {
		owners = append(owners, h.owner(fmt.Sprint("member ", i)))
		members = append(members, join(t, l, s, owners[i]))
		h.await(owners...)
	}
	for len(members) > 1 {
		leave(t, members[0])
		members, owners = members[1:], owners[1:]
		h.await(owners...)
	}
}
