package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/render"
	"platen.dev/actors/shard"
	"platen.dev/actors/webhook"
	"platen.dev/browserpool"
	"platen.dev/browserpool/page"
	"platen.dev/cmd/platen/doctor"
	"platen.dev/document"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
	"platen.dev/projections/publish"
	"platen.dev/store"
)

// engine decides about jobs, and performs what follows.
type engine struct {
	pool      *browserpool.Pool
	renderer  *render.Renderer
	drain     *drainer
	effects   shard.Performers
	webhooks  *webhook.Composer
	publisher *publish.Publisher
	shards    *shard.Shards
	gateway   *shard.Gateway
}

// beginBrowsers starts opening the browsers, which takes as long as starting the other parts meanwhile; wait waits for them.
func beginBrowsers(b *base, s *storage, net *network) (wait func() (*browserpool.Pool, error)) {
	wait = sync.OnceValues(func() (*browserpool.Pool, error) { return openBrowsers(b, s, net) })
	go func() { _, _ = wait() }() // the waiter gets the error
	// This covers a start that ends before anybody waits.
	b.onClose("browsers", func(ctx context.Context) error {
		if pool, err := wait(); err == nil {
			ctx, cancel := context.WithCancel(ctx)
			cancel() // no job has a page yet
			pool.Close(ctx)
		}
		return nil
	})
	return wait
}

// awaitBrowsers waits for the browsers. They are closed before the parts that started while they opened.
func awaitBrowsers(b *base, wait func() (*browserpool.Pool, error)) (*browserpool.Pool, error) {
	pool, err := wait()
	if err != nil {
		return nil, b.cfg.Browser.explain(err, os.Geteuid())
	}
	b.onClose("browsers", func(ctx context.Context) error { pool.Close(ctx); return nil })
	return pool, nil
}

func openBrowsers(b *base, s *storage, net *network) (*browserpool.Pool, error) {
	c := b.cfg.Browser
	return browserpool.Open(browserpool.Config{
		Slots: c.Slots, Remotes: c.Remotes, CPU: time.Duration(c.CPUSeconds) * time.Second, TotalBytes: c.pageBytes(doctor.MemoryLimit()),
		ChromePath: c.Path, UserAgent: c.UserAgent, NoSandbox: c.NoSandbox, BrowserUser: c.User, AsRoot: c.AllowRootNoSandbox,
		AllowEgress: b.cfg.EgressAllow, DenyEgress: b.cfg.EgressDeny, EgressPorts: b.cfg.EgressPorts, RefusesEgress: net.guard.refuses,
		TempDir: s.work, System: net.system, Logger: b.logger,
	})
}

// startRenderer begins to render, and to track which other nodes could.
func startRenderer(b *base, s *storage, net *network, pool *browserpool.Pool) (*render.Renderer, error) {
	stats, pages, results := pool.Stats(), pages{pool, s.space}, claimantOf(b.cfg.StorageConfig, s.files, s.log)
	cfg := render.Config{
		Node: b.id, Log: s.log, Files: s.files, Logger: b.logger, Now: b.clock.Now,
		Slots:    stats.Slots,
		Attempts: 2 * stats.Slots, // one finishes its file while another has the page
		Remotes:  stats.Remotes,
		Acquire:  pages.acquire,
		Weight:   weightsOf(s.replica),
		Unseal:   s.keys.Open,
		Pages:    document.PageCount,
		FileURL:  net.front.fileURL,
		Engine:   engineOf(b.version, pool),
		Probe:    func(ctx context.Context) error { return probe(ctx, pages.acquire, results, b.id, b.logger) },
		Observe:  b.metrics.Rendered,
		Traces:   b.traces,
	}
	if net.peers.cluster != nil {
		cfg.Peers = net.peers
	}
	renderer, err := render.Start(net.system, cfg)
	if err != nil {
		return nil, err
	}
	stop := net.onChange(func(m any) {
		switch m := m.(type) {
		case nodeGone:
			renderer.NodeGone(events.NodeID(m))
			renderer.PeersChanged()
		case peersChanged:
			renderer.PeersChanged()
		}
	})
	for p := range s.log.Partitions() { // a watch ends with the replica
		s.replica.Watch(p, renderer.Folded)
	}
	b.onClose("rendering", func(ctx context.Context) error {
		stop()
		renderer.Close(ctx)
		return nil
	})
	return renderer, nil
}

// pages lends pages of browsers.
type pages struct {
	pool  *browserpool.Pool
	space *space
}

// acquire leases a page, unless a disk lacks room for the results.
func (p pages) acquire(ctx context.Context, account events.AccountID, lane events.Lane) (render.Lease, error) {
	if err := p.space.forRenders(); err != nil {
		return nil, err
	}
	return p.pool.Acquire(ctx, account, lane)
}

// weightsOf returns a function for an account's share of a busy node.
func weightsOf(replica *projections.Replica) func(events.AccountID) int {
	return func(id events.AccountID) int {
		a, _, _ := replica.Account(id) // one that is not known yet has no plan
		return account.Weight(a.Plan)
	}
}

// probeBytes is the size of the file with which the store is probed: more than a full disk has left.
const probeBytes = 1 << 20

// acquire leases a page, as pages.acquire does.
type acquire func(context.Context, events.AccountID, events.Lane) (render.Lease, error)

// probe tests what attempts depend on: there is room, a page can be leased and prints, and a file can be stored.
func probe(ctx context.Context, acquire acquire, results claimant, id events.NodeID, logger *slog.Logger) error {
	if _, err := printSpecimen(ctx, acquire); err != nil {
		return fmt.Errorf("browsers: %w", err)
	}
	if err := probeFiles(ctx, results, id, logger); err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

// probeFiles stores a file. Directories that were removed are made again if the store is the log's.
func probeFiles(ctx context.Context, results claimant, id events.NodeID, logger *slog.Logger) error {
	content := make([]byte, probeBytes)
	err := store.Probe(ctx, results.files, string(id), content)
	dir, is := results.files.(*store.Dir)
	if !is || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := results.remake(ctx, dir); err != nil {
		return err
	}
	logger.Warn("the directories of the results were removed, and are made again", "place", results.place)
	return store.Probe(ctx, dir, string(id), content)
}

// printSpecimen prints, and returns the number of sheets: a browser whose temporary directory is full lends pages, and cannot deliver what they print.
func printSpecimen(ctx context.Context, acquire acquire) (sheets int, err error) {
	lease, err := acquire(ctx, "", events.Quick)
	if err != nil {
		return 0, err
	}
	defer lease.Return()
	result, err := lease.Print(ctx, page.Print{HTML: doctor.Specimen, Options: contract.Paper{Format: "A4"}})
	return result.Pages, err
}
