package simulation

import (
	"errors"
	"maps"
	"slices"

	"platen.dev/projections/table"
)

// This file plays damaged rows of a replica: one node cannot decode what all others can. Whoever needs such a row has the partition's rows rebuilt,
// as projections.Replica.Renew does, and an owner meanwhile gives the partition up.

// flip damages a row of a node's replica.
func (w *world) flip(n *node) {
	p := int32(w.damage.IntN(partitions))
	r := n.replicas[p]
	if len(r.values) == 0 {
		return
	}
	keys := slices.Sorted(maps.Keys(r.values))
	r.values[keys[w.damage.IntN(len(keys))]] = []byte{0xff}
	r.damaged = true
}

// renew rebuilds the rows of a partition.
func (n *node) renew(p int32, why error) {
	n.world.renewed++
	n.replicas[p] = newReplica()
	n.failOwnerships(p, why.Error())
}

// undecodable reports whether a node cannot decode a row, and then has the rows rebuilt. Any other error is a fault of the simulation.
func (n *node) undecodable(p int32, err error) bool {
	switch {
	case err == nil:
		return false
	case !errors.Is(err, table.ErrUndecodable):
		panic(err)
	}
	n.renew(p, err)
	return true
}

// scrub rebuilds damaged rows, like a pass over the files that finds them.
func (w *world) scrub() {
	for _, n := range w.nodes {
		for p, r := range n.replicas {
			if r.damaged {
				n.renew(int32(p), table.ErrUndecodable)
			}
		}
	}
}
