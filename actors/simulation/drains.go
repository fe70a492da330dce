package simulation

import (
	"math/rand/v2"
	"slices"

	"platen.dev/actors/drain"
	"platen.dev/actors/render/dispatch"
)

// This file plays nodes that are told to drain, also several at once: each hears late what the others do.

// drainFault is a fault in how nodes drain.
type drainFault struct {
	// trusting has a node that has left its share believe that its heirs stay.
	trusting bool
	// stubborn has a node that took its share back keep it for good.
	stubborn bool
}

// drainsOf returns the numbers by which a schedule tells nodes to drain, nil in most.
func drainsOf(seed uint64) *rand.Rand {
	rng := rand.New(rand.NewPCG(seed, 5)) // of its own, so that the other schedules do not depend on it
	if rng.IntN(100) < 15 {
		return rng
	}
	return nil
}

// playDrains has somebody tell nodes to drain, or take them back, and has a node look whether it still has heirs.
func (w *world) playDrains() {
	if w.drains == nil {
		return
	}
	one := w.nodes[w.drains.IntN(len(w.nodes))]
	switch pick := w.drains.IntN(100); {
	case pick < 3:
		for _, n := range w.nodes {
			if n == one || w.drains.IntN(2) == 0 {
				n.tellToDrain()
			}
		}
	case pick < 5:
		one.setDrain(drain.State{})
	case !one.paused:
		one.lookForHeirs()
	}
}

func (n *node) tellToDrain() {
	if next, err := n.drains.Begin(n.jobs.peers); err == nil {
		n.setDrain(next)
	}
}

// lookForHeirs has the node look whether others would own its share, as far as it has heard.
func (n *node) lookForHeirs() {
	next := n.drains.Look(n.id, n.jobs.peers)
	f := n.world.rules.Fault.drain
	if n.drains.Told && (f.trusting && next.Keeps || f.stubborn && n.drains.Keeps) {
		return
	}
	n.setDrain(next)
}

// setDrain has the node leave its share, or take it back.
func (n *node) setDrain(next drain.State) {
	if next == n.drains {
		return
	}
	n.drains = next
	if next.Left() {
		n.jobs.take(dispatch.Retire{})
	} else {
		n.jobs.take(dispatch.Return{})
	}
	n.world.reassign()
}

// owners are the nodes that partitions may be assigned to.
func (w *world) owners() []*node {
	return slices.DeleteFunc(slices.Clone(w.nodes), func(n *node) bool { return n.drains.Left() })
}

// reassign gives partitions to a node that may own them, as the log does when a node leaves the group of owners, or comes to an empty one.
func (w *world) reassign() {
	owners := w.owners()
	for p := range int32(partitions) {
		switch to := w.assigned[p]; {
		case to != nil && !to.drains.Left():
		case len(owners) > 0:
			w.assignTo(p, owners[w.drains.IntN(len(owners))], 100)
		case to != nil:
			to.revoke(p, true)
			w.assigned[p] = nil
		}
	}
}

// settleDrains has all hear what the others do, and checks what they make of that: some node owns, and who may leave has left.
func (w *world) settleDrains() {
	for range 2 * nodeCount {
		for _, n := range w.nodes {
			n.hearAll()
			n.jobs.gossip()
			n.lookForHeirs()
		}
	}
	owners := w.owners()
	if len(owners) == 0 {
		w.fail("every node has left its share of the partitions to others")
		return
	}
	for _, n := range owners {
		if n.drains.Keeps && len(owners) > 1 {
			w.fail("%s was told to drain, and keeps its share beside others", n.id)
		}
	}
}
