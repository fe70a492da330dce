// Package node assembles one Platen node: it starts the parts in the order of their
// dependencies, connects them, and stops them in reverse.
//
//	node, err := node.Start(ctx, cfg, node.Options{Logger: logger})
//	defer node.Close()
//
// Each file starts a few parts: history.go the snapshots, storage.go the log, the replica and the file store, ledger.go the
// usage ledger, cluster.go the actor system and the gossip, rendering.go the browsers and the renderer,
// shards.go the owners of partitions, serving.go the API and the admin interface, tracing.go what sends spans, status.go what tells how the node is.
package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/cluster"
	"platen.dev/actors/cluster/pki"
	"platen.dev/actors/perform"
	"platen.dev/actors/rate"
	"platen.dev/actors/render"
	"platen.dev/actors/service"
	"platen.dev/actors/shard"
	"platen.dev/actors/status"
	"platen.dev/actors/webhook"
	"platen.dev/browserpool"
	"platen.dev/edge"
	"platen.dev/edge/operator"
	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/seal"
	"platen.dev/events/tracing"
	"platen.dev/ledger"
	"platen.dev/ledger/ingest"
	"platen.dev/ledger/reconcile"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/publish"
	"platen.dev/store"
)

// Node is one running Platen. Several may run in one process.
type Node struct {
	cfg     Config
	version string
	hold    bool // Options.HoldEvents
	id      events.NodeID
	logger  *slog.Logger
	// now is the clock of everything that is decided or measured here, wall the one that is
	// compared with those of other nodes, and steady the former if it follows the latter.
	now, wall func() time.Time
	steady    *nodeClock
	// latest is the latest that true time may be: now, unless that is held back.
	latest func() time.Time
	// kernel reports whether the kernel says that something keeps wall.
	kernel func() bool

	log            eventlog.Log
	system         *actor.ActorSystem
	replica        *projections.Replica
	work           string // absolute; what is in it is of use to this process only
	files          store.Files
	snapshots      store.Files
	source         *history.Source
	history        *history.Keeper
	space          *space
	appends        *appends
	ledger         ledger.Ledger
	ingest         *ingest.Running
	reconciliation *reconcile.Shares
	scrubs         map[string]*disk.Scrubber
	cluster        *cluster.Cluster // nil when the node is alone, and so are the next two
	identity       *pki.Identity
	remote         *cluster.Remote
	addresses      nodeAddresses
	ports          ports // of this node
	servers        ports // of Kafka and ClickHouse
	pool           *browserpool.Pool
	renderer       *render.Renderer
	seal           *seal.Key
	rotating       sync.Mutex // held while the key is rotated
	shards         *shard.Shards
	gateway        *shard.Gateway
	deleter        *perform.Performer
	notifier       *perform.Performer
	webhooks       *webhook.Composer
	services       *service.Services
	uploader       *perform.Performer
	publisher      *publish.Publisher
	limiter        *rate.Limiter
	traces         *tracing.Tracer // nil without a collector
	server         *edge.Server
	desk           *status.Desk
	certificate    *certificate // of the API; nil without TLS
	started        time.Time
	drain          drain
	listener       net.Listener
	ops            net.Listener           // nil if there is none
	listens        atomic.Pointer[string] // the listener's address, once it is known
	opsListens     atomic.Pointer[string] // the address of ops, once it is known
	pages          *operator.Pages        // of operators
	failed         chan error
	metrics        *metrics
	closers        []closer // the part started last comes last
}

// Options are set by the process that runs the node. The zero value logs nothing and goes
// by the system's clock, but does not follow its jumps at once.
type Options struct {
	// Logger receives the node's life; nil discards.
	Logger *slog.Logger
	// Version names the build in the journal's markers.
	Version string
	// Wall is the system's clock; nil means time.Now.
	Wall func() time.Time
	// Synchronised reports whether something keeps Wall; nil means that the kernel is asked about its clock, and
	// that nothing is known of another one.
	Synchronised func() bool
	// Now, unless nil, is the node's clock in place of the system's, and is believed whatever
	// it says.
	Now func() time.Time
	// HoldEvents keeps public events back, and so the ledger, to measure what they cost. The next
	// start publishes them.
	HoldEvents bool
}

// closer ends one part.
type closer struct {
	part  string
	close func(ctx context.Context) error
}

// Start runs a node, and returns once its API is served. If a part cannot start, those
// before it are ended again; the error names the part.
func Start(ctx context.Context, cfg Config, o Options) (*Node, error) {
	n := &Node{
		cfg: cfg, version: o.Version, hold: o.HoldEvents, logger: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		id: events.NodeID("node-" + events.NewJobID().String()), failed: make(chan error, 1),
	}
	n.started = time.Now()
	n.servers.add(cfg.servers()...)
	n.metrics = newMetrics(n)
	n.logger = slog.New(countedLines{n.logger.Handler(), newMessages(n.metrics.lines)})
	n.startClock(o)
	err := n.startParts(ctx, []part{
		{"data directory", n.startData},
		{"key for credentials", n.startSeal},
		{"traces", n.startTracing},
		{"log", n.startLog},
		{"usage ledger", n.startLedger},
		{"actors", n.startActors},
		{"snapshots", n.startSnapshots},
		{"replica", n.startReplica},
		{"scrub", n.startScrub},
		{"time", n.startTime},
		{"work directory", n.startWork},
		{"files", n.startFiles},
		{"space", n.startSpace},
		{"browsers", n.startBrowsers},
		{"cluster", n.startCluster},
		{"rendering", n.startRendering},
		{"retention", n.startRetention},
		{"webhooks", n.startWebhooks},
		{"deliveries", n.startDeliveries},
		{"public events", n.startPublisher},
		{"shards", n.startShards},
		{"usage", n.startIngest},
		{"history", n.startHistory},
		{"request rates", n.startRates},
		{"status", n.startStatus},
		{"services", n.startServices},
		{"admin", n.startAdmin},
		{"demo accounts", n.startDev},
		{"API", n.startEdge},
		{"drain", n.startDraining},
	})
	if err != nil {
		return nil, err
	}
	n.logger.Info("node started", "node", string(n.id), "version", n.version, "log", n.cfg.logKind(), "slots", n.pool.Stats().Slots)
	return n, nil
}

// startClock sets the node's clocks.
func (n *Node) startClock(o Options) {
	n.wall, n.kernel = time.Now, kernelClock
	if o.Wall != nil {
		n.wall, n.kernel = o.Wall, func() bool { return false }
	}
	if o.Synchronised != nil {
		n.kernel = o.Synchronised
	}
	if o.Now != nil {
		n.now, n.wall, n.latest = o.Now, o.Now, o.Now
		return
	}
	n.steady = newNodeClock(n.wall, n.kernel, n.logger)
	n.now, n.latest = n.steady.Now, n.steady.Latest
}

// onClose has a part ended when the node closes, before the parts that started earlier.
func (n *Node) onClose(part string, close func(context.Context) error) {
	n.closers = append(n.closers, closer{part, close})
}

// periodically calls f every interval until the node closes, before the parts that started
// earlier. The context that f gets ends then.
func (n *Node) periodically(part string, interval time.Duration, f func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				f(ctx)
			}
		}
	})
	n.onClose(part, func(context.Context) error { cancel(); running.Wait(); return nil })
}

// Retire makes the node begin no more renders: the jobs that wait stay queued, or go to
// other nodes. Renders under way are finished. Everything else goes on.
func (n *Node) Retire() {
	n.drain.mu.Lock()
	defer n.drain.mu.Unlock()
	n.drain.retired = true
	if n.renderer != nil {
		n.renderer.Retire()
	}
}

// closeGrace is how much longer than the drain time Close takes at most.
const closeGrace = 15 * time.Second

// Close stops the node: it retires, accepts nothing more, finishes or hands over what is
// under way, and ends every part, all within the configured drain time. What was not
// finished by then is taken up by the other nodes, or by the next start of this one. A
// part that does not end, as on a disk that hangs, is left to the end of the process.
func (n *Node) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), n.cfg.Drain())
	defer cancel()
	limit, stop := context.WithTimeout(context.Background(), n.cfg.StopLimit())
	defer stop()
	n.Retire()
	var errs []error
	for i := len(n.closers) - 1; i >= 0; i-- {
		ended := make(chan error, 1)
		go func() { ended <- n.closers[i].close(ctx) }()
		select {
		case err := <-ended:
			if err != nil {
				errs = append(errs, fmt.Errorf("stop %s: %w", n.closers[i].part, err))
			}
		case <-limit.Done():
			return errors.Join(append(errs, fmt.Errorf("stop %s: not within %s", n.closers[i].part, n.cfg.StopLimit()))...)
		}
	}
	n.closers = nil
	return errors.Join(errs...)
}

// Ready returns why the node should be sent no requests, nil if it should: what /readyz says until
// the node stops. That it returns shows that nothing that requests need is stuck.
func (n *Node) Ready() error {
	_, err := n.ready()
	return err
}

// Address is where the API listens, host:port.
func (n *Node) Address() string { return n.listener.Addr().String() }

// URL is where the API listens, http:// or https://host:port.
func (n *Node) URL() string { return n.cfg.scheme() + n.Address() }

// OpsAddress is where operators' requests are served, host:port; "" if there is no such listener.
func (n *Node) OpsAddress() string {
	if n.ops == nil {
		return ""
	}
	return n.ops.Addr().String()
}

// fail reports that the node cannot go on. Only the first reason is delivered.
func (n *Node) fail(err error) {
	select {
	case n.failed <- err:
	default:
	}
}

// Failed delivers the reason if the node cannot go on. The caller has to close it then.
func (n *Node) Failed() <-chan error { return n.failed }

// ID is the id of this run of the node; the next start has another.
func (n *Node) ID() events.NodeID { return n.id }

// Log is the log that the node reads and writes.
func (n *Node) Log() eventlog.Log { return n.log }

// Replica is the node's read model.
func (n *Node) Replica() *projections.Replica { return n.replica }

// Commands sends commands to the shards, wherever they are owned.
func (n *Node) Commands() *shard.Gateway { return n.gateway }

// Files is the store of results.
func (n *Node) Files() store.Files { return n.files }
