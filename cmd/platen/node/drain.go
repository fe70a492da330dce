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

// errDraining is why a draining node is not ready, and owns no partitions.
var errDraining = errors.New("this node is draining: `platen undrain` takes it back")

// heirsInterval is how often a draining node checks whether others would own its share.
const heirsInterval = time.Second

// drainer makes the node leave its share to others while it is told to drain, and take it back.
type drainer struct {
	renderer *render.Renderer
	peers    peers
	logger   *slog.Logger

	mu    sync.Mutex
	state drain.State
	// retired is set once the node is stopping: its renderer does not return.
	retired bool
}

func newDrainer(b *base, renderer *render.Renderer, peers peers) *drainer {
	return &drainer{renderer: renderer, peers: peers, logger: b.logger}
}

// retire makes the renderer begin nothing more, for good.
func (d *drainer) retire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retired = true
	d.renderer.Retire()
}

// now returns the node's drain state.
func (d *drainer) now() drain.State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// begin makes the node give up its work. It returns why that is not possible.
func (d *drainer) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	next, err := d.state.Begin(d.peers.Peers())
	d.follow(next)
	return err
}

// end makes the node take its share again.
func (d *drainer) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.follow(drain.State{})
}

// look makes a draining node keep its share if nobody else would own it: two nodes may have been told at
// once, and those that took over may have died. It drains again when another node is there.
func (d *drainer) look(context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state.Told {
		d.follow(d.state.Look(d.peers.self, d.peers.Peers()))
	}
}

// follow moves the node to another drain state, and its renderer with it. d.mu is held.
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
