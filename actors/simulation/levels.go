package simulation

import (
	"slices"

	"platen.dev/events"
)

// This file plays versions. In half of the worlds the log was begun by a version that knows the first
// level only. Nodes are upgraded and taken back, until the operator raises the level.

// version picks what a node that starts can read.
func (w *world) version() events.Level {
	if w.begun == events.NewestLevel || w.chance(50) {
		return events.NewestLevel
	}
	return events.FirstLevel
}

// operate has the operator do something about versions: exchange that of a node, in either direction
// and sometimes by mistake, or raise the level once all nodes can read it.
func (w *world) operate() {
	n := w.nodes[w.rng.IntN(len(w.nodes))]
	old := slices.ContainsFunc(w.nodes, func(n *node) bool { return n.reads < events.NewestLevel })
	switch {
	case w.begun == events.NewestLevel:
	case n.reads < events.NewestLevel:
		n.upgrade("the operator's wish")
	case old || w.raised || w.chance(30):
		n.crash()
		n.reads = events.FirstLevel
	default:
		w.raise()
	}
}

// raise has the operator raise the level.
func (w *world) raise() {
	w.raised = true
	for p := range int32(partitions) {
		w.send(w.command(events.PartitionID(p), events.RaiseLevel{Level: events.NewestLevel}))
	}
}

// level is that of a partition.
func (w *world) level(p int32) events.Level { return w.replay(p).cursor.Level() }

// upgrade ends a node that cannot read what is there, and starts it with the newest version.
func (n *node) upgrade(why string) {
	n.world.outdated[why]++
	n.crash()
	n.reads = events.NewestLevel
}

// cannotRead reports whether a command is of a version that the node does not know.
func (n *node) cannotRead(body events.CommandBody) bool {
	switch b := body.(type) {
	case events.RaiseLevel:
		return b.Level > n.reads
	case events.DropSetAside:
		return events.LevelQuarantine > n.reads
	}
	return false
}

// mayTrim reports whether the node may trim the journal of a partition.
func (n *node) mayTrim(p int32) bool {
	return n.replicas[p].cursor.Level() >= events.LevelSnapshots || n.world.rules.Fault.history.trimsEarly
}
