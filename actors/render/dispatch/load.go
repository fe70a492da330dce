package dispatch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"platen.dev/events"
)

// Lanes is the number of lanes.
const Lanes = 3

// Index returns the index of a lane. An unknown lane, of a newer version, counts as the last.
func Index(l events.Lane) int { return int(min(l, Lanes-1)) }

var slow = Index(events.Slow)

// Load is how much a node has to do. Nodes report it to one another.
type Load struct {
	// Slots is how many quick and slow jobs can have a page at once, Remotes how many remote ones. A
	// node without slots takes no jobs.
	Slots   int `cbor:"1,keyasint"`
	Remotes int `cbor:"7,keyasint,omitempty"`
	// Running counts the attempts under way, Queued the jobs that wait for one, by lane.
	Running [Lanes]int `cbor:"2,keyasint"`
	Queued  [Lanes]int `cbor:"3,keyasint"`
	// Draining is set on a node that is about to stop and takes no jobs.
	Draining bool `cbor:"4,keyasint,omitempty"`
	// Taken counts the jobs taken from others. It distinguishes a later load from an otherwise equal
	// earlier one.
	Taken int64 `cbor:"5,keyasint,omitempty"`
	// Suspended is set on a node that takes no jobs until what it depends on works again.
	Suspended bool `cbor:"6,keyasint,omitempty"`
}

// Total returns the number of jobs under way or waiting.
func (l Load) Total() (n int) {
	for in := range Lanes {
		n += l.Running[in] + l.Queued[in]
	}
	return n
}

// Ratio returns the number of jobs under way or waiting, per page.
func (l Load) Ratio() float64 { return float64(l.Total()) / float64(max(1, l.Slots+l.Remotes)) }

// of returns the number of jobs that need a page of the same pool as a lane's, and the number of
// pages in that pool.
func (l Load) of(in int) (jobs, pages int) {
	far := Index(events.Remote)
	jobs = l.Running[far] + l.Queued[far]
	if poolOf(in) == remote {
		return jobs, l.Remotes
	}
	return l.Total() - jobs, l.Slots
}

// fits reports whether a node with this load has a page at once for one more job of a lane, besides
// a given number of jobs not yet counted in the load. Slow jobs have half of the slots.
func (l Load) fits(in, given int) bool {
	jobs, pages := l.of(in)
	return !l.Draining && !l.Suspended && jobs+given < pages &&
		(in != slow || l.Running[slow]+l.Queued[slow]+given < max(1, l.Slots/2))
}

// Encode returns the load for the node's metadata, at most maxLoad bytes.
func (l Load) Encode() []byte {
	b, err := cbor.Marshal(l)
	if err != nil {
		panic(err) // cannot happen: the fields are plain
	}
	return b
}

// Bounds of a load from another node.
const (
	maxLoad  = 128 // bytes
	maxSlots = 1 << 12
	maxJobs  = 1 << 24
)

// DecodeLoad decodes a load that another node reported. An impossible load is an error.
func DecodeLoad(b []byte) (l Load, err error) {
	if len(b) > maxLoad {
		return Load{}, fmt.Errorf("load: %d bytes", len(b))
	}
	if err := cbor.Unmarshal(b, &l); err != nil {
		return Load{}, fmt.Errorf("load: %w", err)
	}
	for in := range Lanes {
		if n := min(l.Running[in], l.Queued[in]); n < 0 {
			return Load{}, fmt.Errorf("load: %d jobs", n)
		}
		if n := max(l.Running[in], l.Queued[in]); n > maxJobs {
			return Load{}, fmt.Errorf("load: %d jobs", n)
		}
	}
	if n := max(l.Slots, l.Remotes); n > maxSlots || min(l.Slots, l.Remotes) < 0 {
		return Load{}, fmt.Errorf("load: %d pages", n)
	}
	return l, nil
}

// Peer is another node that is up, with the load that it reported last. A node that has
// reported none has the zero Load, and gets no jobs.
type Peer struct {
	Node events.NodeID
	Load Load
}

// choose returns the least loaded node that has a page at once for a job of the lane, counting the
// jobs given to each since it reported its load. The choosing node has all its attempts under way,
// twice as many as its slots, so jobs do not move between nodes that are nearly equally loaded, and
// never back.
func choose(in int, peers []Peer, given func(events.NodeID) int) (Peer, bool) {
	fitting := slices.DeleteFunc(slices.Clone(peers), func(p Peer) bool { return !p.Load.fits(in, given(p.Node)) })
	if len(fitting) == 0 {
		return Peer{}, false
	}
	return slices.MinFunc(fitting, func(a, b Peer) int {
		jobsA, pagesA := a.Load.of(in)
		jobsB, pagesB := b.Load.of(in)
		return cmp.Or(
			cmp.Compare((jobsA+given(a.Node))*pagesB, (jobsB+given(b.Node))*pagesA),
			cmp.Compare(pagesB, pagesA),
			cmp.Compare(a.Node, b.Node),
		)
	}), true
}
