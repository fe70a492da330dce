package simulation

import (
	"math"
	"slices"

	"platen.dev/events"
	"platen.dev/projections/snapshot"
)

// This file plays versions. In half of the worlds nodes are upgraded to a future version, whose level and snapshots this one cannot read, and
// downgraded, until the operator raises the level.

// next is the level of the future version.
const next = events.NewestLevel + 1

// version picks the level that a starting node can read.
func (w *world) version() events.Level {
	if w.upgrading && w.chance(50) {
		return next
	}
	return events.NewestLevel
}

// operate has the operator change a node's version, in either direction and sometimes by mistake, or raise the level once all nodes can read it.
func (w *world) operate() {
	n := w.nodes[w.rng.IntN(len(w.nodes))]
	old := slices.ContainsFunc(w.nodes, func(n *node) bool { return n.reads < next })
	switch {
	case !w.upgrading:
	case n.reads < next:
		n.upgrade("the operator's wish")
	case old || w.raised || w.chance(30):
		n.crash()
		n.reads = events.NewestLevel
	default:
		w.raise()
	}
}

// raise has the operator raise the level.
func (w *world) raise() {
	w.raised = true
	for p := range int32(partitions) {
		w.send(w.command(events.PartitionID(p), events.RaiseLevel{Level: next}))
	}
}

// level is that of a partition.
func (w *world) level(p int32) events.Level { return w.replay(p).cursor.Level() }

// upgrade ends a node that cannot read what is there, and starts it with the future version.
func (n *node) upgrade(why string) {
	n.world.outdated[why]++
	n.crash()
	n.reads = next
}

// cannotRead reports whether a command is of a version that the node does not know.
func (n *node) cannotRead(body events.CommandBody) bool {
	b, is := body.(events.RaiseLevel)
	return is && b.Level > n.reads
}

// spare returns what a node of the future version keeps for this one until the level is raised: the newest snapshot that this version can read, and
// the journal from needed on.
func (n *node) spare(p int32, listed []snapshot.Ref) (spared snapshot.Ref, needed int64) {
	if n.reads < next || n.replicas[p].cursor.Level() >= next || n.world.rules.Fault.history.sparesNothing {
		return spared, math.MaxInt64
	}
	for _, s := range n.world.saved[p] {
		if s.reads < next && slices.Contains(listed, s.ref) {
			return s.ref, s.ref.Next - 1
		}
	}
	return spared, 0
}
