package node

import (
	"errors"
	"fmt"

	"platen.dev/cmd/platen/admin"
)

var (
	// errDraining is why a node that was told to drain is not ready, and owns no partitions.
	errDraining = errors.New("this node is draining: `platen undrain` takes it back")
	// errNobodyElse means that a node has nobody to give its partitions to.
	errNobodyElse = errors.New("no other node is up that is not draining itself: nobody would decide about jobs. A node that is alone is stopped, not drained")
)

// Drain has the node give up what it does, for good until Undrain or the end of the process: it is not
// ready from now on, begins no renders, hands over what waits, and gives its partitions up within seconds.
// What clients still send is served. It is refused if there is no other node to take over.
func (n *Node) Drain() error {
	if n.draining.Load() {
		return nil
	}
	if !n.hasHeirs() {
		return errNobodyElse
	}
	n.draining.Store(true)
	n.renderer.Retire()
	n.logger.Info("draining: partitions and jobs go to other nodes")
	return nil
}

// Undrain ends Drain.
func (n *Node) Undrain() {
	if n.draining.CompareAndSwap(true, false) {
		n.renderer.Return()
		n.logger.Info("no longer draining")
	}
}

// Drainage says how far the node has come.
func (n *Node) Drainage() admin.Drainage {
	load := n.renderer.Figures().Load
	d := admin.Drainage{Draining: n.draining.Load(), Partitions: len(n.shards.Status())}
	for lane := range load.Queued {
		d.Waiting += load.Queued[lane]
		d.Running += load.Running[lane]
	}
	return d
}

// hasHeirs reports whether another node is up that could own this one's partitions.
func (n *Node) hasHeirs() bool {
	if n.cluster == nil {
		return false
	}
	for _, p := range (peers{n.id, n.cluster}).Peers() {
		if !p.Load.Draining {
			return true
		}
	}
	return false
}

// unlessDraining returns what says whether this node may own partitions: mayOwn does, unless it drains.
func (n *Node) unlessDraining(mayOwn func(owning bool) error) func(owning bool) error {
	return func(owning bool) error {
		if n.draining.Load() {
			return fmt.Errorf("%w", errDraining)
		}
		return mayOwn(owning)
	}
}
