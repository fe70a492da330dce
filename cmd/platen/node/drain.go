package node

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"platen.dev/actors/drain"
	"platen.dev/actors/render"
)

// errDraining is why a node that was told to drain is not ready, and owns no partitions.
var errDraining = errors.New("this node is draining: `platen undrain` takes it back")

// heirsInterval is how often a node that was told to drain looks whether others would own its share.
const heirsInterval = time.Second

// drainer has the node leave its share to others while it is told to drain, and take it back.
type drainer struct {
	renderer *render.Renderer
	peers    peers
	logger   *slog.Logger

	mu    sync.Mutex
	state drain.State
	// retired is set once the node ends: its renderer does not return.
	retired bool
}

func newDrainer(b *base, renderer *render.Renderer, peers peers) *drainer {
	return &drainer{renderer: renderer, peers: peers, logger: b.logger}
}

// retire has the renderer begin nothing more, for good.
func (d *drainer) retire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retired = true
	d.renderer.Retire()
}

// now returns what the node was told, and what it makes of that.
func (d *drainer) now() drain.State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// begin has the node give up what it does. It returns why that is not possible.
func (d *drainer) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	next, err := d.state.Begin(d.peers.Peers())
	d.follow(next)
	return err
}

// end has the node take its share again.
func (d *drainer) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.follow(drain.State{})
}

// look has a node that was told to drain keep its share if nobody else would own it: two nodes may have been
// told at once, and those that took over may have died. It drains again when another node is there.
func (d *drainer) look(context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state.Told {
		d.follow(d.state.Look(d.peers.self, d.peers.Peers()))
	}
}

// follow moves the node on to another state, and has its renderer follow. d.mu is held.
func (d *drainer) follow(next drain.State) {
	before := d.state
	if next == before {
		return
	}
	d.state = next
	switch {
	case !next.Told:
		d.logger.Info("no longer draining")
	case next.Keeps:
		d.logger.Warn("no other node is up that is not draining: this one takes its share back, and drains when another is up")
	case before.Keeps:
		d.logger.Info("draining again: another node is up")
	default:
		d.logger.Info("draining: partitions and jobs go to other nodes")
	}
	switch {
	case next.Left():
		d.renderer.Retire()
	case !d.retired:
		d.renderer.Return()
	}
}
