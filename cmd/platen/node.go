package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/account"
	"platen.dev/actors/cluster"
	"platen.dev/actors/job"
	"platen.dev/actors/rate"
	"platen.dev/actors/render"
	"platen.dev/actors/retention"
	"platen.dev/actors/shard"
	"platen.dev/browserpool"
	"platen.dev/browserpool/egress"
	"platen.dev/document"
	"platen.dev/edge"
	"platen.dev/einvoice/blocks"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/seal"
	"platen.dev/projections"
	"platen.dev/store"
)

// Node is one running Platen: every part, wired. Several may run in one process.
type Node struct {
	cfg    Config
	id     events.NodeID
	logger *slog.Logger
	// now is the clock of everything that is decided or measured here.
	now func() time.Time

	log      eventlog.Log
	system   *actor.ActorSystem
	replica  *projections.Replica
	files    *store.Dir
	nodes    *cluster.Cluster // nil when the node is alone
	roster   roster
	pool     *browserpool.Pool
	renderer *render.Renderer
	seal     seal.Key
	shards   *shard.Shards
	gateway  *shard.Gateway
	limiter  *rate.Limiter
	server   *edge.Server
	listener net.Listener
	failed   chan error
	metrics  *metrics
	// closers end the parts, the last started first.
	closers []closer
}

type closer struct {
	part  string
	close func(ctx context.Context) error
}

// Start runs a node. When a part cannot start, those before it are ended again.
func Start(ctx context.Context, cfg Config, logger *slog.Logger) (*Node, error) {
	return startAt(ctx, cfg, logger, time.Now)
}

func startAt(ctx context.Context, cfg Config, logger *slog.Logger, now func() time.Time) (*Node, error) {
	n := &Node{
		cfg: cfg, logger: logger, now: now, failed: make(chan error, 2),
		id: events.NodeID("node-" + events.NewJobID().String()),
	}
	n.metrics = newMetrics(n)
	for _, step := range []struct {
		part  string
		start func(context.Context) error
	}{
		{"data directory", n.startData},
		{"usage ledger", n.startLedger},
		{"key for credentials", n.startSeal},
		{"log", n.startLog},
		{"actors", n.startActors},
		{"replica", n.startReplica},
		{"files", n.startFiles},
		{"browsers", n.startBrowsers},
		{"cluster", n.startCluster},
		{"rendering", n.startRendering},
		{"shards", n.startShards},
		{"request rates", n.startRates},
		{"admin", n.startAdmin},
		{"demo accounts", n.startDev},
		{"API", n.startEdge},
	} {
		if err := step.start(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("start %s: %w", step.part, err), n.Close())
		}
	}
	return n, nil
}

func (n *Node) onClose(part string, close func(context.Context) error) {
	n.closers = append(n.closers, closer{part, close})
}

// Close stops the node: it begins no render more, accepts nothing more, finishes or hands over what is
// under way, and ends every part. What could not be finished in time is taken up
// by the other nodes, or by this one's next start.
func (n *Node) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), n.cfg.drain())
	defer cancel()
	if n.renderer != nil {
		n.renderer.Retire()
	}
	var errs []error
	for i := len(n.closers) - 1; i >= 0; i-- {
		if err := n.closers[i].close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", n.closers[i].part, err))
		}
	}
	n.closers = nil
	return errors.Join(errs...)
}

// Address is where the API listens.
func (n *Node) Address() string { return n.listener.Addr().String() }

// Failed delivers the reason when the node cannot go on.
func (n *Node) Failed() <-chan error { return n.failed }

func (n *Node) startData(context.Context) error { return os.MkdirAll(n.cfg.Data, 0o700) }

func (n *Node) startLedger(context.Context) error {
	if n.cfg.ClickHouse != "" {
		return errors.New("this version has no usage ledger yet: leave --clickhouse out")
	}
	return nil
}

func (n *Node) startSeal(context.Context) (err error) {
	n.seal, err = sealKey(n.cfg)
	return err
}

func (n *Node) startLog(ctx context.Context) (err error) {
	if n.log, err = openLog(ctx, n.cfg, n.logger); err != nil {
		return err
	}
	n.onClose("log", func(context.Context) error { return n.log.Close() })
	return nil
}

func (n *Node) startActors(context.Context) error {
	quiet := slog.New(levelled{n.logger.Handler(), slog.LevelError})
	n.system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	// Promises are named by a counter. Were it to begin at the same number with every
	// start, a reply to a command of the start before would complete a new promise.
	n.system.ProcessRegistry.SequenceID = rand.Uint64() >> 1
	n.onClose("actors", func(context.Context) error { n.system.Shutdown(); return nil })
	if n.cfg.Cluster.Gossip == "" {
		return nil
	}
	stop, err := cluster.StartRemote(n.system, n.cfg.Cluster.Actors)
	if err == nil {
		n.onClose("actor remoting", func(context.Context) error { stop(); return nil })
	}
	return err
}

func (n *Node) startReplica(ctx context.Context) (err error) {
	n.replica, err = projections.Open(ctx, projections.Config{
		Dir: replicaDir(n.cfg), Log: n.log, Logger: n.logger,
		Projections: []projections.Projection{account.States{}, projections.ReadModels{}},
	})
	if err != nil {
		return err
	}
	n.replica.Start()
	n.onClose("replica", func(context.Context) error { return n.replica.Close() })
	return n.catchUp(ctx)
}

// catchUp waits until the replica holds all that was durable when the node
// started: before, it would refuse valid keys, for it does not know them yet.
func (n *Node) catchUp(ctx context.Context) error {
	for p := range n.log.Partitions() {
		if err := n.replica.CatchUp(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) startFiles(context.Context) (err error) {
	n.files, err = store.OpenDir(n.cfg.filesDir())
	return err
}

func (n *Node) startBrowsers(context.Context) (err error) {
	n.pool, err = browserpool.Open(browserpool.Config{
		Slots: n.cfg.Browser.Slots, ChromePath: n.cfg.Browser.Path, NoSandbox: n.cfg.Browser.NoSandbox,
		AllowEgress: n.cfg.EgressAllow, RefusesEgress: n.roster.has, System: n.system, Logger: n.logger,
	})
	if err != nil {
		return err
	}
	n.onClose("browsers", func(ctx context.Context) error { n.pool.Close(ctx); return nil })
	return nil
}

func (n *Node) startCluster(context.Context) (err error) {
	if n.cfg.Cluster.Gossip == "" {
		return nil
	}
	n.nodes, err = cluster.Join(cluster.Config{
		Node: n.id, Gossip: n.cfg.Cluster.Gossip, Join: n.cfg.Cluster.Join, Secret: []byte(n.cfg.Cluster.Secret),
		Actors:  n.system.Address(),
		Gone:    func(id events.NodeID) { n.system.EventStream.Publish(nodeGone(id)) },
		Changed: func() { n.system.EventStream.Publish(peersChanged{}) },
		Logger:  n.logger,
	})
	if err != nil {
		return err
	}
	sub := n.system.EventStream.Subscribe(func(m any) {
		switch m.(type) {
		case nodeGone, peersChanged:
			n.roster.set(n.nodes.Members())
		}
	})
	n.roster.set(n.nodes.Members())
	n.onClose("cluster", func(context.Context) error {
		n.system.EventStream.Unsubscribe(sub)
		return n.nodes.Close()
	})
	return nil
}

func (n *Node) acquire(ctx context.Context, lane events.Lane) (render.Lease, error) {
	return n.pool.Acquire(ctx, lane)
}

// What the cluster tells travels to whom it concerns over the actor system's event stream.
type (
	nodeGone     events.NodeID
	peersChanged struct{}
)

func (n *Node) startRendering(context.Context) (err error) {
	slots := n.pool.Stats().Slots
	cfg := render.Config{
		Node: n.id, Log: n.log, Files: n.files, Logger: n.logger, Now: n.now,
		Slots:    slots,
		Attempts: 2 * slots, // one finishes its file while another has the page
		Acquire:  n.acquire,
		Unseal:   n.seal.Open,
		Pages:    countPages,
		Observe:  n.metrics.rendered,
	}
	if n.nodes != nil {
		cfg.Peers = peers{n.id, n.nodes}
	}
	if n.renderer, err = render.Start(n.system, cfg); err != nil {
		return err
	}
	sub := n.system.EventStream.Subscribe(func(m any) {
		switch m := m.(type) {
		case nodeGone:
			n.renderer.NodeGone(events.NodeID(m))
			n.renderer.PeersChanged()
		case peersChanged:
			n.renderer.PeersChanged()
		}
	})
	for p := range n.log.Partitions() { // a watch ends with the replica
		n.replica.Watch(p, n.renderer.Folded)
	}
	n.onClose("rendering", func(ctx context.Context) error {
		n.system.EventStream.Unsubscribe(sub)
		n.renderer.Close(ctx)
		return nil
	})
	return nil
}

func (n *Node) startShards(context.Context) error {
	deleter, err := retention.Start(n.system, retention.Config{Log: n.log, Files: n.files, Logger: n.logger, Now: n.now})
	if err != nil {
		return err
	}
	n.onClose("retention", func(context.Context) error { return deleter.Close() })
	var nodes shard.Nodes = cluster.Single(n.id)
	if n.nodes != nil {
		nodes = n.nodes
	}
	n.shards, err = shard.Start(n.system, shard.Config{
		Node: n.id, Version: version(), Log: n.log, Replica: n.replica, Nodes: nodes, Logger: n.logger, Now: n.now,
		Effects: shard.Performers{job.KindRender: n.renderer, job.KindDeleteFile: deleter}, TrimCommands: len(n.cfg.Kafka.Brokers) == 0,
	})
	if err != nil {
		return err
	}
	sub := n.system.EventStream.Subscribe(func(m any) {
		if gone, ok := m.(nodeGone); ok {
			n.shards.NodeGone(events.NodeID(gone))
		}
	})
	n.onClose("shards", func(context.Context) error {
		n.system.EventStream.Unsubscribe(sub)
		return n.shards.Close()
	})
	n.gateway, err = shard.NewGateway(shard.GatewayConfig{Log: n.log, Replica: n.replica, System: n.system, Patience: replyPatience, Now: n.now})
	return err
}

// replyPatience is how long the edge waits for a reply; owners move within it.
const replyPatience = 10 * time.Second

func (n *Node) startRates(context.Context) (err error) {
	n.limiter, err = rate.Start(rate.Config{
		Self: n.id, System: n.system, Logger: n.logger, Now: n.now,
		Owner: func(id events.AccountID) events.NodeID {
			return n.replica.Owner(events.Partition(id, n.log.Partitions()))
		},
		Address: n.actorsOf,
	})
	if err == nil {
		n.onClose("request rates", func(context.Context) error { n.limiter.Close(); return nil })
	}
	return err
}

// actorsOf is where the actors of another node are reached.
func (n *Node) actorsOf(id events.NodeID) (string, bool) {
	if n.nodes == nil {
		return "", false
	}
	return n.nodes.Actors(id)
}

// rate counts a request of an account.
func (n *Node) rate(id events.AccountID, plan events.Plan) events.Rate {
	limits, _ := account.LimitsOf(plan)
	return n.limiter.Take(id, limits.RequestsPerMinute)
}

// resolve checks the host of a page by the rules of the browsers' proxy.
func (n *Node) resolve(ctx context.Context, host string) error {
	_, err := egress.Policy{Allow: n.cfg.EgressAllow, Refuses: n.roster.has}.Resolve(ctx, host)
	if errors.Is(err, egress.ErrBlocked) {
		return edge.ErrBlocked
	}
	return err
}

func (n *Node) startAdmin(context.Context) error {
	server, err := listenAdmin(n.cfg.socket(), n.gateway, n.replica, n.log.Partitions(), n.logger, n.now)
	if err == nil {
		n.onClose("admin", server.Close)
	}
	return err
}

func (n *Node) startDev(context.Context) error {
	if !n.cfg.Dev {
		return nil
	}
	return ensureDevAccounts(n.cfg.Data, n.gateway)
}

func (n *Node) startEdge(context.Context) (err error) {
	n.server = edge.New(edge.Config{
		Commands: n.gateway, Models: n.replica, Partitions: n.log.Partitions(), Open: n.openFile,
		Documents: edge.Documents{Markdown: document.Markdown, Sanitize: sanitize, Template: document.Template, Invoice: checkInvoice, Placeholders: blocks.CheckText},
		Rate:      n.rate, Resolve: n.resolve, Seal: n.seal.Seal,
		Ready: n.ready, Metrics: n.metrics.handler, Observe: n.metrics.observe, Logger: n.logger, Now: n.now,
		DocsURL: n.cfg.DocsURL, UpgradeURL: n.cfg.UpgradeURL,
	})
	if n.listener, err = net.Listen("tcp", n.cfg.Listen); err != nil {
		return err
	}
	go func() {
		if err := n.server.Serve(n.listener); err != nil {
			n.failed <- err
		}
	}()
	n.onClose("API", n.server.Shutdown)
	return nil
}

func (n *Node) openFile(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	f, err := n.files.Open(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return f, f.Size, nil
}

// ready says why the node should not be sent requests.
func (n *Node) ready() error {
	if err := n.replica.Err(); err != nil {
		return fmt.Errorf("replica: %w", err)
	}
	return nil
}

func sanitize(html string) string {
	s := document.Sanitize(html)
	if s.Empty() {
		return ""
	}
	return s.HTML()
}
