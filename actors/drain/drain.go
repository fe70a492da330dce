// Package drain decides whether a draining node leaves its share of the partitions to others. Each node decides for itself, by what it has heard of
// the others; two nodes that drain at once, or whose heirs die, must not leave partitions to nobody.
package drain

import (
	"errors"
	"slices"

	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

// ErrNobodyElse means that no other node could take over the partitions.
var ErrNobodyElse = errors.New("no other node is up that is not draining itself: nobody would decide about jobs. A node that is alone is stopped, not drained")

// State says whether a node was told to drain, and whether it keeps its share anyway. The zero State is that of a node that was not.
type State struct {
	// Told is set from Begin to the end of the drain. Keeps is set while the node keeps its share nevertheless.
	Told, Keeps bool
}

// Left reports whether the node has left its share to others.
func (s State) Left() bool { return s.Told && !s.Keeps }

// Begin returns the state of a node that is told to drain while others are up. If none of them could own its share, it returns ErrNobodyElse, and
// nothing changes.
func (s State) Begin(others []dispatch.Peer) (State, error) {
	if !s.Told && !slices.ContainsFunc(others, serves) {
		return s, ErrNobodyElse
	}
	s.Told = true
	return s, nil
}

// Look returns the state of a node after it has looked at the others that are up. If all of them are draining too, the first by id keeps its share,
// so at least one does, whatever each has heard so far. A node that keeps its share does not count as draining.
func (s State) Look(self events.NodeID, others []dispatch.Peer) State {
	s.Keeps = s.Told && !slices.ContainsFunc(others, func(o dispatch.Peer) bool { return serves(o) || o.Node < self })
	return s
}

// serves reports whether a node could own another's share.
func serves(o dispatch.Peer) bool { return !o.Load.Draining }
