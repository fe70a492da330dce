package node

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"platen.dev/actors/render"
	"platen.dev/actors/render/dispatch"
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
	renderer *render.Renderer
	peers    peers
	logger   *slog.Logger

	mu sync.Mutex
	// told is set from begin to end. keeps is set while the node keeps its share nevertheless.
	told, keeps bool
	// retired is set once the node ends: its renderer does not return.
	retired bool
}

func newDrain(b *base, renderer *render.Renderer, peers peers) *drain {
	return &drain{renderer: renderer, peers: peers, logger: b.logger}
}

// retire has the renderer begin nothing more, for good.
func (d *drain) retire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retired = true
	d.renderer.Retire()
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

// begin has the node give up what it does. It returns why that is not possible.
func (d *drain) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.told {
		return nil
	}
	if !hasHeirs(d.peers.Peers()) {
		return errNobodyElse
	}
	d.told = true
	d.renderer.Retire()
	d.logger.Info("draining: partitions and jobs go to other nodes")
	return nil
}

// end has the node take its share again.
func (d *drain) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.told {
		return
	}
	d.told, d.keeps = false, false
	d.returns()
	d.logger.Info("no longer draining")
}

// look has a node that was told to drain keep its share if nobody else would own it: two nodes may have been
// told at once, and those that took over may have died. It drains again when another node is there.
func (d *drain) look(context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.told {
		return
	}
	switch keep := keepsShare(d.peers.self, d.peers.Peers()); {
	case keep == d.keeps:
		return
	case keep:
		d.logger.Warn("no other node is up that is not draining: this one takes its share back, and drains when another is up")
		d.returns()
	default:
		d.logger.Info("draining again: another node is up")
		d.renderer.Retire()
	}
	d.keeps = !d.keeps
}

// returns has the renderer begin jobs again, unless the node ends.
func (d *drain) returns() {
	if !d.retired {
		d.renderer.Return()
	}
}

// hasHeirs reports whether another node is up that could own this one's partitions.
func hasHeirs(others []dispatch.Peer) bool {
	return slices.ContainsFunc(others, func(o dispatch.Peer) bool { return !o.Load.Draining })
}

// keepsShare reports whether a node that was told to drain keeps its share: if all others that are up drain too, the first
// of them by id. So one does, whatever each has heard when. One that keeps its share in spite of a drain does not drain.
func keepsShare(self events.NodeID, others []dispatch.Peer) bool {
	return !slices.ContainsFunc(others, func(o dispatch.Peer) bool { return !o.Load.Draining || o.Node < self })
}
