package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"platen.dev/actors/service"
	"platen.dev/events"
)

var (
	// errDraining is why a node that was told to drain is not ready, and owns no partitions.
	errDraining = errors.New("this node is draining: `platen undrain` takes it back")
	// errNobodyElse means that a node has nobody to give its partitions to.
	errNobodyElse = errors.New("no other node is up that is not draining itself: nobody would decide about jobs. A node that is alone is stopped, not drained")
)

// heirsInterval is how often a node that was told to drain looks whether others would own its share.
const heirsInterval = time.Second

// drain is what a node was told about draining, and what it makes of that.
type drain struct {
	mu sync.Mutex
	// told is set from Drain to Undrain. keeps is set while the node keeps its share nevertheless.
	told, keeps bool
	// retired is set once the node ends: its renderer does not return.
	retired bool
}

// state returns whether the node was told to drain, and whether it keeps its share nevertheless.
func (d *drain) state() (told, keeps bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.told, d.keeps
}

// left reports whether the node has left its share to others.
func (d *drain) left() bool {
	told, keeps := d.state()
	return told && !keeps
}

// waits reports whether the node was told to drain, and keeps its share.
func (d *drain) waits() bool {
	_, keeps := d.state()
	return keeps
}

// Drain has the node give up what it does, for good until Undrain or the end of the process: it is not
// ready from now on, begins no renders, hands over what waits, and gives its partitions up within seconds.
// What clients still send is served. It is refused if there is no other node to take over. If there is none
// later, the node takes its share back for as long as that is so.
func (n *Node) Drain() error {
	n.drain.mu.Lock()
	defer n.drain.mu.Unlock()
	if n.drain.told {
		return nil
	}
	if !hasHeirs(n.neighbours()) {
		return errNobodyElse
	}
	n.drain.told = true
	n.renderer.Retire()
	n.logger.Info("draining: partitions and jobs go to other nodes")
	return nil
}

// Undrain ends Drain.
func (n *Node) Undrain() {
	n.drain.mu.Lock()
	defer n.drain.mu.Unlock()
	if !n.drain.told {
		return
	}
	n.drain.told, n.drain.keeps = false, false
	n.returns()
	n.logger.Info("no longer draining")
}

// startDraining looks after a drain from now on.
func (n *Node) startDraining(context.Context) error {
	n.periodically("drain", heirsInterval, func(context.Context) { n.lookForHeirs() })
	return nil
}

// lookForHeirs has a node that was told to drain keep its share if nobody else would own it: two nodes may have been
// told at once, and those that took over may have died. It drains again when another node is there.
func (n *Node) lookForHeirs() {
	n.drain.mu.Lock()
	defer n.drain.mu.Unlock()
	if !n.drain.told {
		return
	}
	switch keep := keepsShare(n.id, n.neighbours()); {
	case keep == n.drain.keeps:
		return
	case keep:
		n.logger.Warn("no other node is up that is not draining: this one takes its share back, and drains when another is up")
		n.returns()
	default:
		n.logger.Info("draining again: another node is up")
		n.renderer.Retire()
	}
	n.drain.keeps = !n.drain.keeps
}

// returns has the renderer begin jobs again, unless the node ends.
func (n *Node) returns() {
	if !n.drain.retired {
		n.renderer.Return()
	}
}

// Drainage says how far the node has come.
func (n *Node) Drainage() service.Drainage {
	load := n.renderer.Figures().Load
	d := service.Drainage{Partitions: len(n.shards.Status())}
	d.Draining, d.Kept = n.drain.state()
	for lane := range load.Queued {
		d.Waiting += load.Queued[lane]
		d.Running += load.Running[lane]
	}
	return d
}

// neighbour is another node that is up. One that keeps its share in spite of a drain does not drain.
type neighbour struct {
	id       events.NodeID
	draining bool
}

func (n *Node) neighbours() (all []neighbour) {
	if n.cluster == nil {
		return nil
	}
	for _, p := range (peers{n.id, n.cluster}).Peers() {
		all = append(all, neighbour{p.Node, p.Load.Draining})
	}
	return all
}

// hasHeirs reports whether another node is up that could own this one's partitions.
func hasHeirs(others []neighbour) bool {
	return slices.ContainsFunc(others, func(o neighbour) bool { return !o.draining })
}

// keepsShare reports whether a node that was told to drain keeps its share: if all others that are up drain too, the first
// of them by id. So one does, whatever each has heard when.
func keepsShare(self events.NodeID, others []neighbour) bool {
	return !slices.ContainsFunc(others, func(o neighbour) bool { return !o.draining || o.id < self })
}

// unlessDraining returns what says whether this node may own partitions: mayOwn does, unless it drains.
func (n *Node) unlessDraining(mayOwn func(owning bool) error) func(owning bool) error {
	return func(owning bool) error {
		if n.drain.left() {
			return fmt.Errorf("%w", errDraining)
		}
		return mayOwn(owning)
	}
}
