package simulation

import (
	"math/rand/v2"
	"slices"

	"platen.dev/actors/drain"
	"platen.dev/actors/render/dispatch"
)

// This file plays nodes that are told to drain, sometimes several at once: each hears late what the others do.

// drainFault is a fault in how nodes drain.
type drainFault struct {
	// trusting makes a node that has left its share believe that its heirs stay.
	trusting bool
	// clinging makes a node that took its share back keep it for good.
	clinging bool
}

// drains tells nodes of a world to drain, by its own random numbers. It is nil in most worlds, where none drain.
type drains struct {
	world *world
	rng   *rand.Rand
}

func newDrains(w *world, seed uint64) *drains {
	if rng := rarely(seed, 5); rng != nil {
		return &drains{w, rng}
	}
	return nil
}

// play tells nodes to drain or to undrain, and has a node check whether it still has heirs.
func (d *drains) play() {
	if d == nil {
		return
	}
	nodes := d.world.nodes
	one := nodes[d.rng.IntN(len(nodes))]
	switch pick := d.rng.IntN(100); {
	case pick < 3:
		for _, n := range nodes {
			if n == one || d.rng.IntN(2) == 0 {
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
	if next, err := n.told.Begin(n.jobs.peers); err == nil {
		n.setDrain(next)
	}
}

// lookForHeirs checks whether others would own the node's share, as far as it has heard.
func (n *node) lookForHeirs() {
	next := n.told.Look(n.id, n.jobs.peers)
	f := n.world.rules.Fault.drain
	if n.told.Told && (f.trusting && next.Keeps || f.clinging && n.told.Keeps) {
		return
	}
	n.setDrain(next)
}

// setDrain has the node leave its share, or take it back.
func (n *node) setDrain(next drain.State) {
	if next == n.told {
		return
	}
	n.told = next
	if next.Left() {
		n.jobs.take(dispatch.Retire{})
	} else {
		n.jobs.take(dispatch.Return{})
	}
	n.world.drains.reassign()
}

// owners are the nodes that partitions may be assigned to.
func (w *world) owners() []*node {
	return slices.DeleteFunc(slices.Clone(w.nodes), func(n *node) bool { return n.told.Left() })
}

// reassign gives partitions to a node that may own them, as the log does when a node leaves the group of owners or joins an empty one.
func (d *drains) reassign() {
	w, owners := d.world, d.world.owners()
	for p := range int32(partitions) {
		switch to := w.assigned[p]; {
		case to != nil && !to.told.Left():
		case len(owners) > 0:
			w.assignTo(p, owners[d.rng.IntN(len(owners))], 100)
		case to != nil:
			to.revoke(p, true)
			w.assigned[p] = nil
		}
	}
}

// settle lets all nodes hear what the others do, and checks the result: some node owns, and every node that may leave has left.
func (d *drains) settle() {
	if d == nil {
		return
	}
	w := d.world
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
		if n.told.Keeps && len(owners) > 1 {
			w.fail("%s was told to drain, and keeps its share beside others", n.id)
		}
	}
}
