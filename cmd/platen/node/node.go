// Package node assembles one Platen node: it starts the parts in the order of their
// dependencies, connects them, and stops them in reverse.
//
//	node, err := node.Start(ctx, cfg, node.Options{Logger: logger})
//	defer node.Close()
//
// start.go has the order. The parts are in five groups, each with a file for its type: storage.go for stored data, network.go for how the node is
// reached and whom it knows, engine.go for deciding and performing, upkeep.go for the usage ledger and the snapshots, serving.go for the API and the
// admin interface.
package node

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"platen.dev/actors/shard"
	"platen.dev/cmd/platen/metrics"
	"platen.dev/edge/dashboard"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/tracing"
	"platen.dev/projections"
	"platen.dev/store"
)

// Node is one running Platen. Several may run in one process.
type Node struct {
	*base
	*operations
	storage storage
	network network
	engine  engine
	upkeep  upkeep
	serving serving
}

// Options are set by the process that runs the node. The zero value logs nothing and goes by the system's clock, but does not follow its jumps at
// once.
type Options struct {
	// Logger receives the node's log; nil discards it.
	Logger *slog.Logger
	// Version names the build in the journal's markers.
	Version string
	// Wall is the system's clock; nil means time.Now.
	Wall func() time.Time
	// Synchronised reports whether something synchronises Wall; nil means to ask the kernel about its clock, and that nothing is known of another one.
	Synchronised func() bool
	// Now, unless nil, is the node's clock in place of the system's, and is always believed.
	Now func() time.Time
	// HoldEvents holds public events back, and so the ledger, to measure their cost. The next start publishes them.
	HoldEvents bool
	// Unlimited lets accounts make requests at any rate, for a node that only its own process calls.
	Unlimited bool
}

// base holds the dependencies that all parts share.
type base struct {
	cfg     Config
	id      events.NodeID
	version string
	logger  *slog.Logger
	clock   *nodeClock
	metrics *metrics.Metrics
	traces  *tracing.Tracer // nil without a collector
	started time.Time
	failed  chan error
	parts
}

func newBase(cfg Config, o Options) *base {
	b := &base{
		cfg: cfg, id: events.NodeID("node-" + events.NewJobID().String()), version: o.Version,
		metrics: metrics.New(), started: time.Now(), failed: make(chan error, 1),
	}
	b.logger = slog.New(b.metrics.CountLines(cmp.Or(o.Logger, slog.New(slog.DiscardHandler)).Handler()))
	b.clock = clockOf(o, b.logger)
	return b
}

// fail reports that the node cannot continue. Only the first reason is delivered.
func (b *base) fail(err error) {
	select {
	case b.failed <- err:
	default:
	}
}

// Start runs a node, and returns once its API is served. If a part cannot start, earlier ones are stopped again; the error names the part.
func Start(ctx context.Context, cfg Config, o Options) (*Node, error) {
	n := &Node{base: newBase(cfg, o)}
	n.serving.unlimited = o.Unlimited
	if err := n.start(ctx, o.HoldEvents); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	n.logger.Info("node started", "node", string(n.id), "version", n.version, "log", cfg.logKind(), "slots", n.engine.pool.Stats().Slots,
		"seconds", seconds(time.Since(n.started)))
	return n, nil
}

// Retire makes the node begin no more renders: waiting jobs stay queued, or go to other nodes. Renders under way finish. Everything else continues.
func (n *Node) Retire() {
	if n.engine.drain != nil {
		n.engine.drain.retire()
	}
}

// closeGrace is the most that Close takes beyond the drain time.
const closeGrace = 15 * time.Second

// Close stops the node: it retires, accepts nothing more, finishes or hands over what is under way, and ends every part, all within the configured
// drain time. Unfinished work is taken up by the other nodes, or by the next start of this one. A part that does not end, as on a disk that hangs, is
// left to the end of the process.
func (n *Node) Close() error {
	n.Retire()
	return n.close(n.cfg.Drain(), n.cfg.StopLimit())
}

// Ready returns why the node should be sent no requests, nil if it should, as /readyz does until the node stops. If it returns at all, nothing that
// requests need is stuck.
func (n *Node) Ready() error {
	_, err := n.serving.status.health.ready()
	return err
}

// Full returns why no more jobs are accepted, nil if they are: a disk lacks room.
func (n *Node) Full() error { return n.storage.space.forJobs() }

// Stuck returns why jobs wait instead of being rendered, nil if they do not: a disk lacks room, or what renders depend on fails.
func (n *Node) Stuck() error {
	if err := n.storage.space.forRenders(); err != nil {
		return err
	}
	return n.engine.renderer.Fault()
}

// Failed delivers the reason if the node cannot continue. The caller must then close it.
func (n *Node) Failed() <-chan error { return n.failed }

// Address returns where the API listens, host:port.
func (n *Node) Address() string { return n.network.front.address() }

// URL returns where the API listens, http:// or https://host:port.
func (n *Node) URL() string { return n.cfg.scheme() + n.Address() }

// DashboardURL returns where a browser on this machine finds the dashboard.
func (n *Node) DashboardURL() string { return n.cfg.scheme() + fromHere(n.Address()) + dashboard.Path }

// GotenbergAddress returns where Gotenberg's routes are served, host:port; "" if there is no such listener.
func (n *Node) GotenbergAddress() string { return n.network.front.gotenbergAddress() }

// OpsAddress returns where operators' requests are served, host:port; "" if there is no such listener.
func (n *Node) OpsAddress() string { return n.network.front.opsAddress() }

// ID returns the id of this run of the node; the next start has another.
func (n *Node) ID() events.NodeID { return n.id }

// Log returns the log that the node reads and writes.
func (n *Node) Log() eventlog.Log { return n.storage.log }

// Replica returns the node's read model.
func (n *Node) Replica() *projections.Replica { return n.storage.replica }

// Commands returns the gateway to the shards, wherever they are owned.
func (n *Node) Commands() *shard.Gateway { return n.engine.gateway }

// Files returns the store of results.
func (n *Node) Files() store.Files { return n.storage.files }
