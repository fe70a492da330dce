package node

import (
	"context"

	"platen.dev/browserpool"
)

// start starts the parts, passing each the earlier ones that it needs. Each part registers what ends it
// (onClose).
func (n *Node) start(ctx context.Context, hold bool) (err error) {
	b, s, net, e, up, v := n.base, &n.storage, &n.network, &n.engine, &n.upkeep, &n.serving
	*net = newNetwork(b.cfg)
	var browsers func() (*browserpool.Pool, error)
	return startAll(b.logger, []part{
		{"data directory", func() error { return prepareData(b) }},
		{"key for credentials", func() error { s.keys, err = openKeys(b); return err }},
		{"traces", func() error { b.traces, err = startTracing(b); return err }},
		{"log", func() error { s.log, err = openLog(ctx, b); return err }},
		{"actors", func() error { return startActors(b, net) }},
		{"work directory", func() error { s.work, err = emptyWork(b); return err }},
		{"first browser", func() error { browsers = beginBrowsers(b, s, net); return nil }},
		{"usage ledger", func() error { s.ledger, s.stalls, err = openWatched(ctx, b, s.log); return err }},
		{"snapshots", func() error { s.snapshots, err = openSnapshots(ctx, b, s.log); return err }},
		{"replica", func() error { s.replica, err = openReplica(ctx, b, s); return err }},
		{"scrub", func() error { s.scrubbers = startScrub(b, s.replica); return nil }},
		{"time", func() error { compareClock(b, s); return nil }},
		{"files", func() error { return claimResults(ctx, b, s) }},
		{"space", func() error { s.space = watchSpace(b); return nil }},
		{"browsers", func() error { e.pool, err = awaitBrowsers(b, browsers); return err }},
		{"cluster", func() error { net.peers, err = joinCluster(b, s, net); return err }},
		{"oldest secret", func() error { return noteOldest(b, s.keys, net.peers) }},
		{"rendering", func() error { e.renderer, err = startRenderer(b, s, net, e.pool); return err }},
		{"effects", func() error { return startEffects(b, s, net, e) }},
		{"public events", func() error { e.publisher = startPublisher(b, s); return nil }},
		{"shards", func() error { return startShards(b, s, net, e, hold) }},
		{"usage", func() error { up.ingest, err = startIngest(b, s); return err }},
		{"poison", func() error { up.remains = startRemains(b, s); return nil }},
		{"reconciliation", func() error { up.reconciliation = startReconciliation(b, s); return nil }},
		{"history", func() error { up.history, err = startHistory(b, s, net, e); return err }},
		{"request rates", func() error { v.limiter, err = startRates(b, s, net); return err }},
		{"status", func() error { v.status, err = startStatus(b, s, net, e, up); return err }},
		{"operations", func() error { n.operations = &operations{b, s.keys, net.peers, e, v.status}; return nil }},
		{"services", func() error { v.services, err = newServices(b, s, e, v, n.operations); return err }},
		{"admin", func() error { v.pages, err = startAdmin(b, s, net, e, up, v, n.operations); return err }},
		{"demo accounts", func() error { return ensureDemo(b, s, e, v) }},
		{"API", func() error { v.certificate, err = openCertificate(b); return err }},
		{"API", func() error { v.server, err = newServer(b, s, net, e, v); return err }},
		{"metrics", func() error { b.metrics.Registry.MustRegister(figuresOf(b, s, net, e, up, v)...); return nil }},
		{"API", func() error { return listen(b, s, net, v) }},
		{"drain", func() error { b.periodically("drain", heirsInterval, e.drain.look); return nil }},
	})
}
