// Package drain decides whether a node that was told to drain leaves its share of the partitions to others. Each node decides for itself, by
// what it has heard of the others; two that are told at once, or whose heirs die, must not leave partitions to nobody.
package drain

import (
	"errors"
	"slices"

	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

// ErrNobodyElse means that a node has nobody to give its partitions to.
var ErrNobodyElse = errors.New("no other node is up that is not draining itself: nobody would decide about jobs. A node that is alone is stopped, not drained")

// State says whether a node was told to drain, and whether it keeps its share anyway. The zero State is that of a node that was told nothing.
type State struct {
	// Told is set from Begin to the end of the drain. Keeps is set while the node keeps its share nevertheless.
	Told, Keeps bool
}

// Left reports whether the node has left its share to others.
func (s State) Left() bool { return s.Told && !s.Keeps }

// Begin is the state of a node that is told to drain while others are up. If none of them could own its share, that is ErrNobodyElse, and
// nothing changes.
func (s State) Begin(others []dispatch.Peer) (State, error) {
	if !s.Told && !slices.ContainsFunc(others, serves) {
		return s, ErrNobodyElse
	}
	s.Told = true
	return s, nil
}

// Look is the state of a node after it has looked at the others that are up. If all of them drain too, the first by id keeps its share, so one
// does, whatever each has heard when. One that keeps its share in spite of a drain does not count as draining.
func (s State) Look(self events.NodeID, others []dispatch.Peer) State {
	s.Keeps = s.Told && !slices.ContainsFunc(others, func(o dispatch.Peer) bool { return serves(o) || o.Node < self })
	return s
}

// serves reports whether a node could own another's share.
func serves(o dispatch.Peer) bool { return !o.Load.Draining }
