package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"

	"platen.dev/events"
)

// lanes is the number of lanes.
const lanes = 2

// lane is a lane as an index; one of a newer version counts as slow.
func lane(l events.Lane) int { return int(min(l, events.Slow)) }

// Load is what a node has to do. The nodes tell one another.
type Load struct {
	// Slots is how many pages work at once; a node without any takes nothing.
	Slots int `cbor:"1,keyasint"`
	// Running are the attempts under way, Queued the jobs that wait for one, by lane.
	Running [lanes]int `cbor:"2,keyasint"`
	Queued  [lanes]int `cbor:"3,keyasint"`
	// Draining tells that the node is about to stop and takes nothing.
	Draining bool `cbor:"4,keyasint,omitempty"`
	// Taken counts the jobs taken from others, so that a load that is the same again
	// after one of them shows to be a later one.
	Taken int64 `cbor:"5,keyasint,omitempty"`
}

// total is how many jobs are under way or wait.
func (l Load) total() int { return l.Running[0] + l.Running[1] + l.Queued[0] + l.Queued[1] }

// Ratio is how many jobs are under way or wait, per slot.
func (l Load) Ratio() float64 { return float64(l.total()) / float64(max(1, l.Slots)) }

// fits tells whether a node with this load would give one more job of a lane a
// page at once, after it was given some that the load does not count yet.
func (l Load) fits(in, given int) bool {
	slow := lane(events.Slow)
	return !l.Draining && l.total()+given < l.Slots &&
		(in != slow || l.Running[slow]+l.Queued[slow]+given < slowShare(l.Slots, 1))
}

// slowShare is how many of n places slow jobs may have, if some are kept for quick
// ones; one at least.
func slowShare(n, kept int) int { return max(1, n-kept) }

// Encode is the load as the other nodes are told it, within maxNote bytes.
func (l Load) Encode() []byte {
	b, err := cbor.Marshal(l)
	if err != nil {
		panic(err) // cannot be: the fields are plain
	}
	return b
}

// Bounds of what a load may say.
const (
	maxNote  = 128
	maxSlots = 1 << 12
	maxJobs  = 1 << 24
)

// DecodeLoad reads a load that another node told. What cannot be is an error.
func DecodeLoad(b []byte) (l Load, err error) {
	if len(b) > maxNote {
		return Load{}, fmt.Errorf("load: %d bytes", len(b))
	}
	if err := cbor.Unmarshal(b, &l); err != nil {
		return Load{}, fmt.Errorf("load: %w", err)
	}
	for _, n := range []int{l.Running[0], l.Running[1], l.Queued[0], l.Queued[1]} {
		if n < 0 || n > maxJobs {
			return Load{}, fmt.Errorf("load: %d jobs", n)
		}
	}
	if l.Slots < 0 || l.Slots > maxSlots {
		return Load{}, fmt.Errorf("load: %d slots", l.Slots)
	}
	return l, nil
}

// Peer is another node that is up.
type Peer struct {
	Node events.NodeID
	// Renderer is where its renderer is found.
	Renderer *actor.PID
	// Load is what it told last; the zero Load of a node that told nothing takes no jobs.
	Load Load
}

// Peers are the other nodes of a cluster. Neither call blocks.
type Peers interface {
	// Peers lists the other nodes that are up.
	Peers() []Peer
	// Tell tells them the load of this node; of several in short order, the last.
	Tell(Load)
}

// choose is the least loaded node that would give a job of the lane a page at
// once, given how many jobs each was given that its load does not count yet. Who
// chooses has all its attempts taken, twice as many as it has slots; so loads that
// are nearly even move no job, and none is moved back.
func choose(in int, peers []Peer, given func(Peer) int) (Peer, bool) {
	fitting := slices.DeleteFunc(slices.Clone(peers), func(p Peer) bool { return !p.Load.fits(in, given(p)) })
	if len(fitting) == 0 {
		return Peer{}, false
	}
	return slices.MinFunc(fitting, func(a, b Peer) int {
		return cmp.Or(
			cmp.Compare((a.Load.total()+given(a))*b.Load.Slots, (b.Load.total()+given(b))*a.Load.Slots),
			cmp.Compare(b.Load.Slots, a.Load.Slots),
			cmp.Compare(a.Node, b.Node),
		)
	}), true
}
