package node

import (
	"context"
	"fmt"
	"strings"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/render"
	"platen.dev/actors/retention"
	"platen.dev/browserpool"
	"platen.dev/document"
	"platen.dev/events"
	"platen.dev/store"
)

func (n *Node) startBrowsers(context.Context) (err error) {
	n.pool, err = browserpool.Open(browserpool.Config{
		Slots: n.cfg.Browser.Slots, Remotes: n.cfg.Browser.Remotes,
		CPU: time.Duration(n.cfg.Browser.CPUSeconds) * time.Second, TotalBytes: n.cfg.Browser.pageBytes(memoryLimit()),
		ChromePath: n.cfg.Browser.Path, UserAgent: n.cfg.Browser.UserAgent, NoSandbox: n.cfg.Browser.NoSandbox, BrowserUser: n.cfg.Browser.User, AsRoot: n.cfg.Browser.AllowRootNoSandbox,
		AllowEgress: n.cfg.EgressAllow, DenyEgress: n.cfg.EgressDeny, EgressPorts: n.cfg.EgressPorts, RefusesEgress: n.refuses,
		TempDir: n.work, System: n.system, Logger: n.logger,
	})
	if err != nil {
		return n.cfg.Browser.explain(err)
	}
	n.onClose("browsers", func(ctx context.Context) error { n.pool.Close(ctx); return nil })
	return nil
}

func (n *Node) startRendering(context.Context) (err error) {
	stats := n.pool.Stats()
	cfg := render.Config{
		Node: n.id, Log: n.log, Files: n.files, Logger: n.logger, Now: n.now,
		Slots:    stats.Slots,
		Attempts: 2 * stats.Slots, // one finishes its file while another has the page
		Remotes:  stats.Remotes,
		Acquire:  n.acquire,
		Weight:   n.weight,
		Unseal:   n.seal.Open,
		Pages:    countPages,
		FileURL:  n.fileURL,
		Probe:    n.probe,
		Observe:  n.metrics.rendered,
		Traces:   n.traces,
	}
	if n.cluster != nil {
		cfg.Peers = peers{n.id, n.cluster}
	}
	if n.renderer, err = render.Start(n.system, cfg); err != nil {
		return err
	}
	stop := n.onCluster(func(m any) {
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
		stop()
		n.renderer.Close(ctx)
		return nil
	})
	return nil
}

// acquire leases a page, unless a disk has too little room for what would come of it.
func (n *Node) acquire(ctx context.Context, account events.AccountID, lane events.Lane) (render.Lease, error) {
	if err := n.space.forRenders(); err != nil {
		return nil, err
	}
	return n.pool.Acquire(ctx, account, lane)
}

// weight is that of an account; one that is not known yet gets the least.
func (n *Node) weight(id events.AccountID) int {
	a, _, err := n.replica.Account(id)
	if err != nil {
		return 1
	}
	return account.Weight(a.Plan)
}

// probeBytes is the size of the file with which the store is probed: more than is left on a
// disk that is full.
const probeBytes = 1 << 20

// probe tests what attempts depend on: there is room, a page can be leased, and a file stored.
func (n *Node) probe(ctx context.Context) error {
	page, err := n.acquire(ctx, "", events.Quick)
	if err != nil {
		return fmt.Errorf("browsers: %w", err)
	}
	page.Return()
	if err := store.Probe(ctx, n.files, string(n.id), make([]byte, probeBytes)); err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

func countPages(pdf []byte) (int, error) {
	return document.PageCount(pdf)
}

func (n *Node) startRetention(context.Context) (err error) {
	n.deleter, err = retention.Start(n.system, retention.Config{Log: n.log, Files: n.files, Logger: n.logger, Now: n.now})
	if err != nil {
		return err
	}
	n.onClose("retention", func(context.Context) error { return n.deleter.Close() })
	n.periodically("sweep of files", retention.OrphanInterval, n.orphans().SweepIfMine)
	return nil
}

// orphans finds files that no job owns. The owner of the first partition does so.
func (n *Node) orphans() retention.Orphans {
	return retention.Orphans{
		Files: n.files, Owned: n.ownsFile, Now: n.now, Logger: n.logger,
		Mine: func() bool { return n.replica.Owner(0) == n.id },
		Settle: func(ctx context.Context) (func(string) bool, error) {
			return retention.Settle(ctx, n.log, n.replica, retention.SettleLimit)
		},
	}
}

// ownsFile reports whether a stored file has an owner, or may get one: a job, or whoever put it there if its name
// is not one that Platen gives.
func (n *Node) ownsFile(name string) (bool, error) {
	if strings.HasPrefix(name, store.ProbePrefix) {
		return false, nil
	}
	id, partition, ok := events.ParseFileName(name)
	if !ok {
		return true, nil
	}
	return account.OwnsFile(n.replica, partition, n.log.Partitions(), id, name)
}
