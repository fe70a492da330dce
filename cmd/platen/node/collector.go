package node

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"platen.dev/actors/account"
	"platen.dev/actors/cluster"
	"platen.dev/actors/render"
	"platen.dev/actors/shard"
	"platen.dev/browserpool"
	"platen.dev/events"
	"platen.dev/events/tracing"
	"platen.dev/ledger/ingest"
	"platen.dev/projections/history"
)

// collector exports what the node's parts count themselves. It asks each part once per
// scrape.
type collector struct {
	node   *Node
	series []series
}

// figures are the figures of the parts at one scrape.
type figures struct {
	pool   browserpool.Stats
	render render.Figures
	nodes  int
	shards shardFigures
	// clocks is the largest difference between this node's clock and another's, in seconds.
	clocks float64
	// held is how far the system's clock is ahead of the time that the node holds, in seconds.
	held float64
	// expiry is when the node's certificate expires, in seconds since 1970.
	expiry float64
	// apiExpiry is when that of the API does; 0 without TLS.
	apiExpiry float64
	refused   map[cluster.Refusal]int64
	ingest    ingest.Figures
	lag       int64
	ready     bool
	// waits is set while the node waits for others to drain.
	waits bool
	// outdated is set while the rows are of an earlier schema.
	outdated bool
	history  history.Counts
	// unsaved is how long ago the oldest of the partitions' newest snapshots was taken.
	unsaved time.Duration
	disks   []volume
	bodies  int64
	traces  tracing.Figures
	// open are the API's connections, turned the number of those that were too many.
	open   int
	turned int64
}

// shardFigures are the figures of the partitions that the node owns.
type shardFigures struct {
	byState map[shard.State]int
	lost    int64
	// webhooks counts those that are neither delivered nor given up; oldest is since when the first
	// of them is so, zero if there is none.
	webhooks int
	oldest   events.Instant
	// quarantined counts the commands that were set aside and not dropped; aside is since when the first of them is so, zero if there
	// is none.
	quarantined int64
	aside       events.Instant
	// unpublished counts the records of the journal that were folded and whose events were not
	// published.
	unpublished int64
	// failures is how often publishing has failed.
	failures int64
}

func shardFiguresOf(s *shard.Shards) shardFigures {
	f := shardFigures{byState: map[shard.State]int{}, lost: s.LostCommands()}
	for _, status := range s.Status() {
		f.byState[status.State]++
	}
	return f
}

// addWebhooks counts the pending webhooks of the partitions that the node owns.
func (f *shardFigures) addWebhooks(n *Node) {
	for _, status := range n.shards.Status() {
		count, oldest, err := account.PendingWebhooks(n.replica, status.Partition)
		if err != nil { // the replica ends the node
			return
		}
		f.webhooks += count
		if count > 0 && (f.oldest == 0 || oldest < f.oldest) {
			f.oldest = oldest
		}
	}
}

// addQuarantined counts the commands in quarantine of the partitions that the node owns.
func (f *shardFigures) addQuarantined(n *Node) {
	for _, status := range n.shards.Status() {
		size, err := account.QuarantineSize(n.replica, status.Partition)
		if err != nil { // the replica ends the node
			return
		}
		f.quarantined += size
		_ = account.EachQuarantined(n.replica, status.Partition, func(_ int64, q account.Quarantined) bool {
			if f.aside == 0 || q.At < f.aside {
				f.aside = q.At
			}
			return false
		})
	}
}

// addUnpublished counts what the node's publisher has to catch up on.
func (f *shardFigures) addUnpublished(n *Node) {
	f.failures = n.publisher.Failures()
	for _, status := range n.shards.Status() {
		f.unpublished += max(0, n.replica.Cursor(status.Partition).Next-n.publisher.Next(status.Partition))
	}
}

// series is one exported value.
type series struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(figures) float64
	label []string
}

func newCollector(n *Node) *collector {
	c := &collector{node: n}
	c.gauge("platen_http_body_bytes", "Memory reserved for large request bodies.", func(at figures) float64 { return float64(at.bodies) })
	c.gauge("platen_http_connections", "Open connections of the API's clients.", func(at figures) float64 { return float64(at.open) })
	c.counter("platen_http_connections_refused_total", "Connections of clients that were closed at once because there were too many.", func(at figures) float64 { return float64(at.turned) })
	c.addBrowsers()
	c.addRendering()
	c.addShards()
	c.addHistory()
	c.addDisks()
	c.addCluster()
	c.addTraces()
	return c
}

func (c *collector) addTraces() {
	c.counter("platen_trace_spans_sent_total", "Spans that the collector has taken.", func(at figures) float64 { return float64(at.traces.Sent) })
	c.counter("platen_trace_spans_dropped_total", "Spans that were dropped because too many waited.", func(at figures) float64 { return float64(at.traces.Dropped) })
	c.counter("platen_trace_spans_failed_total", "Spans that could not be sent to the collector.", func(at figures) float64 { return float64(at.traces.Failed) })
}

func (c *collector) add(kind prometheus.ValueType, name, help string, value func(figures) float64) {
	c.series = append(c.series, series{prometheus.NewDesc(name, help, nil, nil), kind, value, nil})
}

func (c *collector) gauge(name, help string, value func(figures) float64) {
	c.add(prometheus.GaugeValue, name, help, value)
}

func (c *collector) counter(name, help string, value func(figures) float64) {
	c.add(prometheus.CounterValue, name, help, value)
}

// by adds a gauge for each value of a label.
func (c *collector) by(label string, values []string, name, help string, value func(at figures, of string) float64) {
	desc := prometheus.NewDesc(name, help, []string{label}, nil)
	for _, of := range values {
		c.series = append(c.series, series{desc, prometheus.GaugeValue, func(at figures) float64 { return value(at, of) }, []string{of}})
	}
}

func (c *collector) byLane(name, help string, value func(figures, events.Lane) int) {
	lanes := map[string]events.Lane{}
	var names []string
	for _, l := range events.Lanes() {
		lanes[l.String()] = l
		names = append(names, l.String())
	}
	c.by("lane", names, name, help, func(at figures, of string) float64 { return float64(value(at, lanes[of])) })
}

func (c *collector) addBrowsers() {
	c.gauge("platen_browser_remotes", "Maximal number of browsers that work for one document each.", func(at figures) float64 { return float64(at.pool.Remotes) })
	c.gauge("platen_browser_remotes_running", "Browsers that work for one document each, idle ones included.", func(at figures) float64 { return float64(at.pool.RemoteBrowsers) })
	c.counter("platen_browser_remotes_discarded_total", "Browsers ended because of the document they worked for.", func(at figures) float64 { return float64(at.pool.RemotesDiscarded) })
	c.gauge("platen_browser_slots", "Maximal number of shared pages that work at once.", func(at figures) float64 { return float64(at.pool.Slots) })
	c.gauge("platen_browser_leased", "Pages at work.", func(at figures) float64 { return float64(at.pool.Leased) })
	c.gauge("platen_browser_waiting", "Attempts that wait for a page.", func(at figures) float64 { return float64(at.pool.Waiting) })
	c.gauge("platen_browser_bytes", "Memory of the browser at the last measurement.", func(at figures) float64 { return float64(at.pool.BrowserBytes) })
	c.counter("platen_browser_jobs_total", "Leases returned.", func(at figures) float64 { return float64(at.pool.Jobs) })
	c.counter("platen_browser_crashes_total", "Pages that crashed.", func(at figures) float64 { return float64(at.pool.Crashes) })
	c.counter("platen_browser_discarded_total", "Pages discarded after a job.", func(at figures) float64 { return float64(at.pool.Discarded) })
	c.counter("platen_browser_recycles_total", "Browsers replaced on purpose.", func(at figures) float64 { return float64(at.pool.Recycles) })
	c.counter("platen_browser_restarts_total", "Browsers replaced because they died.", func(at figures) float64 { return float64(at.pool.Restarts) })
	c.counter("platen_browser_self_tests_total", "Self-tests of browsers: a small document printed alongside the jobs.", func(at figures) float64 { return float64(at.pool.SelfTests) })
	c.counter("platen_browser_self_test_failures_total", "Self-tests of browsers that failed; after two in a row the browser is replaced.", func(at figures) float64 { return float64(at.pool.SelfTestFailures) })
	c.counter("platen_egress_blocked_total", "Requests of pages refused by the egress policy.", func(at figures) float64 { return float64(at.pool.EgressBlocked) })
}

func (c *collector) addRendering() {
	c.byLane("platen_render_queue_length", "Jobs that wait for an attempt, by lane.", func(at figures, l events.Lane) int { return at.render.Load.Queued[l] })
	c.byLane("platen_render_attempts_running", "Attempts under way, by lane.", func(at figures, l events.Lane) int { return at.render.Load.Running[l] })
	c.counter("platen_render_handed_over_total", "Jobs of this node that another took.", func(at figures) float64 { return float64(at.render.Counts.HandedOver) })
	c.counter("platen_render_handover_refused_total", "Jobs of this node that another did not take when asked.", func(at figures) float64 { return float64(at.render.Counts.Refused) })
	c.counter("platen_render_taken_back_total", "Jobs taken back from a node that took them and did not begin them.", func(at figures) float64 { return float64(at.render.Counts.TakenBack) })
	c.counter("platen_render_taken_over_total", "Jobs taken from other nodes.", func(at figures) float64 { return float64(at.render.Counts.TakenOver) })
	c.gauge("platen_node_load_ratio", "Jobs under way and waiting, per slot.", func(at figures) float64 { return at.render.Load.Ratio() })
	c.gauge("platen_node_draining", "1 while the node begins no renders because it is about to stop.", func(at figures) float64 { return oneIf(at.render.Load.Draining) })
	c.gauge("platen_node_drain_waits", "1 while the node was told to drain, and keeps its share because no other node is up that does not drain.", func(at figures) float64 { return oneIf(at.waits) })
	c.gauge("platen_node_ready", "1 while the node should be sent requests, as /readyz says.", func(at figures) float64 { return oneIf(at.ready) })
	c.gauge("platen_node_outdated", "1 while the node owns no partitions because it builds the rows of its version.", func(at figures) float64 { return oneIf(at.outdated) })
	c.gauge("platen_node_suspended", "1 while the node begins no renders because something that they depend on fails.", func(at figures) float64 { return oneIf(at.render.Load.Suspended) })
}

func (c *collector) addShards() {
	states := []string{string(shard.Starting), string(shard.Serving), string(shard.Halted)}
	c.by("state", states, "platen_shards", "Partitions that this node owns, by state.", func(at figures, state string) float64 {
		return float64(at.shards.byState[shard.State(state)])
	})
	c.gauge("platen_partitions", "Partitions of the log.", func(figures) float64 { return float64(c.node.log.Partitions()) })
	c.counter("platen_shard_lost_commands_total", "Commands that were trimmed before this node decided them.", func(at figures) float64 { return float64(at.shards.lost) })
	c.gauge("platen_webhooks_pending", "Webhooks of the node's shards that are neither delivered nor given up.", func(at figures) float64 { return float64(at.shards.webhooks) })
	c.gauge("platen_webhook_oldest_pending_seconds", "How long the oldest of them has been pending; 0 if there is none.", func(at figures) float64 { return c.since(at.shards.oldest) })
	c.gauge("platen_events_unpublished_records", "Journal records of the node's shards whose public events are not published yet.", func(at figures) float64 { return float64(at.shards.unpublished) })
	c.counter("platen_events_failures_total", "How often publishing the events of a partition has failed; it is tried again.", func(at figures) float64 { return float64(at.shards.failures) })
	c.counter("platen_ledger_entries_total", "Entries of the usage ledger that this node has appended.", func(at figures) float64 { return float64(at.ingest.Entries) })
	c.counter("platen_ledger_poisoned_total", "Records that the usage ledger could not take and that went to platen.events.poison.", func(at figures) float64 { return float64(at.ingest.Poisoned) })
	c.counter("platen_ledger_failures_total", "How often appending to the usage ledger has failed; it is tried again.", func(at figures) float64 { return float64(at.ingest.Failures) })
	c.counter("platen_ledger_reconciled_total", "Partitions of the usage ledger that this node has compared with the log and found equal.", func(figures) float64 { return float64(c.node.reconciliation.Figures().Equal) })
	c.counter("platen_ledger_differences_total", "Differences between the usage ledger and the log that this node has found.", func(figures) float64 { return float64(c.node.reconciliation.Figures().Differences) })
	c.counter("platen_shard_set_aside_commands_total", "Commands that this node's owners have set aside, because they could not be decided.", func(figures) float64 { return float64(c.node.shards.SetAside()) })
	c.gauge("platen_quarantined_commands", "Commands of the node's shards that were set aside and that nobody has dropped.", func(at figures) float64 { return float64(at.shards.quarantined) })
	c.gauge("platen_quarantine_oldest_seconds", "How long ago the first of them was set aside; 0 if there is none.", func(at figures) float64 { return c.since(at.shards.aside) })
	c.counter("platen_replica_diverged_total", "Partitions whose rows were made again, because the journal had lost its end.", func(figures) float64 { return float64(c.node.replica.Diverged()) })
	c.counter("platen_replica_renewed_total", "Partitions whose rows were made again, because rows or files of the replica were damaged.", func(figures) float64 { return float64(c.node.replica.Renewed()) })
	c.by("of", []string{"replica", "log"}, "platen_scrub_age_seconds", "How long ago the last pass over the files of the replica, and of the embedded log, has ended, or the node has started.", func(_ figures, of string) float64 {
		if s := c.node.scrubs[of]; s != nil {
			return s.Age().Seconds()
		}
		return 0
	})
	c.by("of", []string{"replica", "log"}, "platen_scrub_damaged_files", "Files that the last pass has found damaged.", func(_ figures, of string) float64 {
		if s := c.node.scrubs[of]; s != nil {
			return float64(s.Damaged())
		}
		return 0
	})
	c.gauge("platen_ledger_stalled_seconds", "How long appending to the usage ledger has failed; 0 if the last attempt did not.", func(at figures) float64 { return at.ingest.Stalled.Seconds() })
	c.gauge("platen_ledger_delay_seconds", "How long after it had occurred the newest entry that this node has appended was in the usage ledger.", func(at figures) float64 { return at.ingest.Delay.Seconds() })
	c.gauge("platen_replica_lag_records", "Journal records that the replica had not read at the last look.", func(at figures) float64 { return float64(at.lag) })
}

// since is how many seconds ago an instant was, 0 if that is zero.
func (c *collector) since(at events.Instant) float64 {
	if at == 0 {
		return 0
	}
	return c.node.now().Sub(at.Time()).Seconds()
}

func (c *collector) addHistory() {
	c.counter("platen_snapshots_total", "Snapshots of partitions that this node has taken and verified.", func(at figures) float64 { return float64(at.history.Taken) })
	c.counter("platen_snapshot_failures_total", "Snapshots that came to nothing; each partition tries again after an hour.", func(at figures) float64 { return float64(at.history.Failed) })
	c.counter("platen_snapshot_mismatches_total", "Snapshots whose rows were not those of a rebuild: a replica is wrong.", func(at figures) float64 { return float64(at.history.Mismatches) })
	c.gauge("platen_snapshot_age_seconds", "Of the node's partitions whose journal has gone on since their newest snapshot, the age of the oldest of those snapshots.", func(at figures) float64 { return at.unsaved.Seconds() })
	c.counter("platen_history_trimmed_records_total", "Records of the journal and of platen.events that this node has trimmed.", func(at figures) float64 { return float64(at.history.Records) })
}

func (c *collector) addDisks() {
	byDisk := func(name, help string, value func(volume) int64) {
		c.by("disk", slices.Sorted(maps.Keys(c.node.cfg.disks())), name, help, func(at figures, disk string) float64 {
			i := slices.IndexFunc(at.disks, func(d volume) bool { return d.name == disk })
			if i < 0 { // it could not be measured
				return 0
			}
			return float64(value(at.disks[i]))
		})
	}
	byDisk("platen_disk_free_bytes", "Free space on a disk that the node writes to.", func(d volume) int64 { return d.free })
	byDisk("platen_disk_reserve_bytes", "Free space below which the node takes no more jobs.", func(d volume) int64 { return d.reserve })
}

func (c *collector) addCluster() {
	c.gauge("platen_cluster_clock_difference_seconds", "Largest difference between this node's clock and that of another node.", func(at figures) float64 { return at.clocks })
	c.gauge("platen_clock_held_seconds", "How far the system's clock, which nothing confirms, is ahead of the time that the node goes by instead; negative if it is behind the newest record, 0 if the node goes by it.", func(at figures) float64 { return at.held })
	c.gauge("platen_cluster_nodes", "Nodes that are up, as far as this one knows.", func(at figures) float64 { return float64(at.nodes) })
	c.gauge("platen_cluster_certificate_expiry_seconds", "When the certificate that this node shows to others expires, in seconds since 1970; 0 if it is derived from the secret.", func(at figures) float64 { return at.expiry })
	c.gauge("platen_http_certificate_expiry_seconds", "When the API's certificate expires, in seconds since 1970; 0 without TLS.", func(at figures) float64 { return at.apiExpiry })
	desc := prometheus.NewDesc("platen_peer_refused_total", "What was refused at the port of the actors, by reason.", []string{"reason"}, nil)
	for _, why := range cluster.Refusals() {
		c.series = append(c.series, series{desc, prometheus.CounterValue, func(at figures) float64 { return float64(at.refused[why]) }, []string{string(why)}})
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, s := range c.series {
		to <- s.desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	at := figures{
		pool: c.node.pool.Stats(), render: c.node.renderer.Figures(), nodes: len(c.node.Nodes()), shards: shardFiguresOf(c.node.shards), clocks: c.node.clockDifference(), held: c.node.clockHeld(),
		ingest: c.node.ingest.Figures(), lag: c.node.replica.Lag(), disks: c.node.space.disks(), bodies: c.node.server.BodyBytes(),
		traces: c.node.traces.Figures(),
	}
	at.ready, at.outdated, at.waits = c.node.health() == nil, c.node.replica.Outdated(), c.node.drain.waits()
	at.expiry, at.refused = c.node.peerFigures()
	if api := c.node.apiCertificate(); api != nil {
		at.apiExpiry = float64(api.expires().Unix())
	}
	at.history, at.unsaved = c.node.history.Figures()
	at.open, at.turned = c.node.server.ConnectionFigures()
	at.shards.addWebhooks(c.node)
	at.shards.addUnpublished(c.node)
	at.shards.addQuarantined(c.node)
	for _, s := range c.series {
		to <- prometheus.MustNewConstMetric(s.desc, s.kind, s.value(at), s.label...)
	}
}
