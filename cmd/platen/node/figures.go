package node

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"platen.dev/actors/account"
	"platen.dev/actors/cluster"
	"platen.dev/actors/render"
	"platen.dev/actors/render/dispatch"
	"platen.dev/actors/shard"
	"platen.dev/browserpool"
	"platen.dev/cmd/platen/metrics"
	"platen.dev/edge"
	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/tracing"
	"platen.dev/ledger/ingest"
	"platen.dev/ledger/reconcile"
	"platen.dev/projections"
	"platen.dev/projections/history"
)

// figuresOf returns the figures of all parts of a node.
func figuresOf(b *base, s *storage, net *network, e *engine, up *upkeep, v *serving) []prometheus.Collector {
	return []prometheus.Collector{
		httpFigures(v.server), certificateFigures(net), browserFigures(e.pool), renderFigures(e.renderer), nodeFigures(v.status.health),
		shardFigures(e.shards), pendingFigures(b.clock.Now, s, e), publisherFigures(s, e), replicaFigures(s.replica), cacheFigures(s.replica, s.log), appendFigures(s.log.appends),
		scrubFigures(s.scrubbers), diskFigures(s.space),
		ledgerFigures(up.ingest), reconciliationFigures(up.reconciliation), historyFigures(up.history),
		clusterFigures(net.peers), clockFigures(b.clock), remoteFigures(net.remote), traceFigures(b.traces),
		metrics.Collect(s.log.Partitions, metrics.Gauge("platen_partitions", "Partitions of the log.", func(partitions int32) int32 { return partitions })),
	}
}

func httpFigures(server *edge.Server) prometheus.Collector {
	type connections struct {
		open   int
		turned int64
		bodies int64
	}
	return metrics.Collect(func() (at connections) {
		at.open, at.turned = server.ConnectionFigures()
		at.bodies = server.BodyBytes()
		return at
	},
		metrics.Gauge("platen_http_body_bytes", "Memory reserved for large request bodies.", func(at connections) int64 { return at.bodies }),
		metrics.Gauge("platen_http_connections", "Open connections of the API's clients.", func(at connections) int { return at.open }),
		metrics.Counter("platen_http_connections_refused_total", "Connections of clients that were closed at once because there were too many.", func(at connections) int64 { return at.turned }),
	)
}

func browserFigures(pool *browserpool.Pool) prometheus.Collector {
	type stats = browserpool.Stats
	return metrics.Collect(pool.Stats,
		metrics.Gauge("platen_browser_remotes", "Maximal number of browsers that work for one document each.", func(at stats) int { return at.Remotes }),
		metrics.Gauge("platen_browser_remotes_running", "Browsers that work for one document each, idle ones included.", func(at stats) int { return at.RemoteBrowsers }),
		metrics.Counter("platen_browser_remotes_discarded_total", "Browsers ended because of the document they worked for.", func(at stats) int64 { return at.RemotesDiscarded }),
		metrics.Gauge("platen_browser_slots", "Maximal number of shared pages that work at once.", func(at stats) int { return at.Slots }),
		metrics.Gauge("platen_browser_leased", "Pages at work.", func(at stats) int { return at.Leased }),
		metrics.Gauge("platen_browser_waiting", "Attempts that wait for a page.", func(at stats) int { return at.Waiting }),
		metrics.Gauge("platen_browser_bytes", "Memory of the browser at the last measurement.", func(at stats) int64 { return at.BrowserBytes }),
		metrics.Counter("platen_browser_jobs_total", "Leases returned.", func(at stats) int64 { return at.Jobs }),
		metrics.Counter("platen_browser_crashes_total", "Pages that crashed.", func(at stats) int64 { return at.Crashes }),
		metrics.Counter("platen_browser_discarded_total", "Pages discarded after a job.", func(at stats) int64 { return at.Discarded }),
		metrics.Counter("platen_browser_recycles_total", "Browsers replaced on purpose.", func(at stats) int64 { return at.Recycles }),
		metrics.Counter("platen_browser_restarts_total", "Browsers replaced because they died.", func(at stats) int64 { return at.Restarts }),
		metrics.Counter("platen_browser_self_tests_total", "Self-tests of browsers: a small document printed alongside the jobs.", func(at stats) int64 { return at.SelfTests }),
		metrics.Counter("platen_browser_self_test_failures_total", "Self-tests of browsers that failed; after two in a row the browser is replaced.", func(at stats) int64 { return at.SelfTestFailures }),
		metrics.Counter("platen_egress_blocked_total", "Requests of pages refused by the egress policy.", func(at stats) int64 { return at.EgressBlocked }),
	)
}

func renderFigures(r *render.Renderer) prometheus.Collector {
	type figures = render.Figures
	lanes, names := map[string]events.Lane{}, []string{}
	for _, l := range events.Lanes() {
		lanes[l.String()], names = l, append(names, l.String())
	}
	byLane := func(name, help string, jobs func(dispatch.Load) [dispatch.Lanes]int) []metrics.Series[figures] {
		return metrics.By("lane", names, prometheus.GaugeValue, name, help, func(at figures, lane string) int { return jobs(at.Load)[lanes[lane]] })
	}
	return metrics.Collect(r.Figures,
		byLane("platen_render_queue_length", "Jobs that wait for an attempt, by lane.", func(l dispatch.Load) [dispatch.Lanes]int { return l.Queued }),
		byLane("platen_render_attempts_running", "Attempts under way, by lane.", func(l dispatch.Load) [dispatch.Lanes]int { return l.Running }),
		metrics.Counter("platen_render_handed_over_total", "Jobs of this node that another took.", func(at figures) int64 { return at.Counts.HandedOver }),
		metrics.Counter("platen_render_handover_refused_total", "Jobs of this node that another did not take when asked.", func(at figures) int64 { return at.Counts.Refused }),
		metrics.Counter("platen_render_taken_back_total", "Jobs taken back from a node that took them and did not begin them.", func(at figures) int64 { return at.Counts.TakenBack }),
		metrics.Counter("platen_render_taken_over_total", "Jobs taken from other nodes.", func(at figures) int64 { return at.Counts.TakenOver }),
		metrics.Gauge("platen_node_load_ratio", "Jobs under way and waiting, per slot.", func(at figures) float64 { return at.Load.Ratio() }),
		metrics.Flag("platen_node_draining", "1 while the node begins no renders because it is about to stop.", func(at figures) bool { return at.Load.Draining }),
		metrics.Flag("platen_node_suspended", "1 while the node begins no renders because something that they depend on fails.", func(at figures) bool { return at.Load.Suspended }),
	)
}

func nodeFigures(h health) prometheus.Collector {
	return metrics.Collect(metrics.Itself(h),
		metrics.Flag("platen_node_ready", "1 while the node should be sent requests, as /readyz says.", func(h health) bool { return h.check() == nil }),
		metrics.Flag("platen_node_drain_waits", "1 while the node was told to drain, and keeps its share because no other node is up that does not drain.", func(h health) bool { return h.engine.drain.now().Keeps }),
	)
}

func shardFigures(s *shard.Shards) prometheus.Collector {
	states := []shard.State{shard.Starting, shard.Serving, shard.Halted}
	return metrics.Collect(metrics.Itself(s),
		metrics.By("state", states, prometheus.GaugeValue, "platen_shards", "Partitions that this node owns, by state.", func(s *shard.Shards, state shard.State) (count int) {
			for _, p := range s.Status() {
				if p.State == state {
					count++
				}
			}
			return count
		}),
		metrics.Counter("platen_shard_lost_commands_total", "Commands that were trimmed before this node decided them.", (*shard.Shards).LostCommands),
		metrics.Counter("platen_shard_set_aside_commands_total", "Commands that this node's owners have set aside, because they could not be decided.", (*shard.Shards).SetAside),
	)
}

// pending counts what the node's own partitions are waiting for.
type pending struct {
	// webhooks and quarantined count them; notified and aside are since when the oldest has waited, zero if there is none.
	webhooks, quarantined int64
	notified, aside       events.Instant
}

// add adds the pending work of a partition. Unreadable work is left out: the replica ends the node.
func (p *pending) add(replica *projections.Replica, partition int32) {
	if count, oldest, err := account.PendingWebhooks(replica, partition); err == nil && count > 0 {
		p.webhooks += int64(count)
		p.notified = earlier(p.notified, oldest)
	}
	size, _ := account.QuarantineSize(replica, partition)
	p.quarantined += size
	_ = account.EachQuarantined(replica, partition, func(_ int64, q account.Quarantined) bool {
		p.aside = earlier(p.aside, q.At)
		return false
	})
}

// earlier returns the earlier of an instant, which may be zero for none, and another.
func earlier(a, b events.Instant) events.Instant {
	if a == 0 {
		return b
	}
	return min(a, b)
}

func pendingFigures(now func() time.Time, s *storage, e *engine) prometheus.Collector {
	since := func(at events.Instant) float64 {
		if at == 0 {
			return 0
		}
		return now().Sub(at.Time()).Seconds()
	}
	ask := func() (all pending) {
		for _, owned := range e.shards.Status() {
			all.add(s.replica, owned.Partition)
		}
		return all
	}
	return metrics.Collect(ask,
		metrics.Gauge("platen_webhooks_pending", "Webhooks of the node's shards that are neither delivered nor given up.", func(p pending) int64 { return p.webhooks }),
		metrics.Gauge("platen_webhook_oldest_pending_seconds", "How long the oldest of them has been pending; 0 if there is none.", func(p pending) float64 { return since(p.notified) }),
		metrics.Gauge("platen_quarantined_commands", "Commands of the node's shards that were set aside and that nobody has dropped.", func(p pending) int64 { return p.quarantined }),
		metrics.Gauge("platen_quarantine_oldest_seconds", "How long ago the first of them was set aside; 0 if there is none.", func(p pending) float64 { return since(p.aside) }),
	)
}

func publisherFigures(s *storage, e *engine) prometheus.Collector {
	return metrics.Collect(metrics.Itself(e),
		metrics.Gauge("platen_events_unpublished_records", "Journal records of the node's shards whose public events are not published yet.", func(e *engine) (count int64) {
			for _, owned := range e.shards.Status() {
				count += unpublished(s, e, owned.Partition)
			}
			return count
		}),
		metrics.Counter("platen_events_failures_total", "How often publishing the events of a partition has failed; it is tried again.", func(e *engine) int64 { return e.publisher.Failures() }),
	)
}

func replicaFigures(r *projections.Replica) prometheus.Collector {
	return metrics.Collect(metrics.Itself(r),
		metrics.Flag("platen_node_outdated", "1 while the node owns no partitions because it builds the rows of its version.", (*projections.Replica).Outdated),
		metrics.Counter("platen_replica_diverged_total", "Partitions whose rows were made again, because the journal had lost its end.", (*projections.Replica).Diverged),
		metrics.Counter("platen_replica_renewed_total", "Partitions whose rows were made again, because rows or files of the replica were damaged.", (*projections.Replica).Renewed),
		metrics.Gauge("platen_replica_lag_records", "Journal records that the replica had not read at the last look.", (*projections.Replica).Lag),
	)
}

// cacheFigures asks databases, which answer under a lock that they hold while they sync.
func cacheFigures(replica *projections.Replica, log eventlog.Log) prometheus.Collector {
	bytes := map[string]func() int64{}
	for of, part := range map[string]any{"replica": replica, "log": log} {
		bytes[of] = metrics.Patient(func() int64 { return cacheBytes(part) })
	}
	return metrics.Collect(metrics.Itself(bytes),
		metrics.By("of", []string{"replica", "log"}, prometheus.GaugeValue, "platen_cache_bytes", "Memory of the block cache and the memtables of the replica, and of the embedded log.", func(at map[string]func() int64, of string) int64 {
			return at[of]()
		}),
	)
}

func appendFigures(a *appends) prometheus.Collector {
	return metrics.Collect(metrics.Itself(a),
		metrics.Gauge("platen_log_append_pending_seconds", "How long the oldest append to the log has been under way; 0 if none is.", func(a *appends) float64 {
			_, lasts := a.oldest()
			return lasts.Seconds()
		}),
	)
}

func scrubFigures(scrubbers map[string]*disk.Scrubber) prometheus.Collector {
	all := []string{"replica", "log"}
	return metrics.Collect(metrics.Itself(scrubbers),
		metrics.By("of", all, prometheus.GaugeValue, "platen_scrub_age_seconds", "How long ago the last pass over the files of the replica, and of the embedded log, has ended, or the node has started.", func(at map[string]*disk.Scrubber, of string) float64 {
			if at[of] == nil { // the log is on Kafka
				return 0
			}
			return at[of].Age().Seconds()
		}),
		metrics.By("of", all, prometheus.GaugeValue, "platen_scrub_damaged_files", "Files that the last pass has found damaged.", func(at map[string]*disk.Scrubber, of string) int64 {
			if at[of] == nil {
				return 0
			}
			return at[of].Damaged()
		}),
	)
}

func diskFigures(s *space) prometheus.Collector {
	names := slices.Sorted(maps.Keys(s.dirs))
	byDisk := func(name, help string, value func(volume) int64) []metrics.Series[[]volume] {
		return metrics.By("disk", names, prometheus.GaugeValue, name, help, func(at []volume, disk string) int64 {
			i := slices.IndexFunc(at, func(d volume) bool { return d.name == disk })
			if i < 0 { // it could not be measured
				return 0
			}
			return value(at[i])
		})
	}
	return metrics.Collect(s.disks,
		byDisk("platen_disk_free_bytes", "Free space on a disk that the node writes to.", func(d volume) int64 { return d.free }),
		byDisk("platen_disk_reserve_bytes", "Free space below which the node takes no more jobs.", func(d volume) int64 { return d.reserve }),
		byDisk("platen_disk_free_inodes", "Free inodes of a disk that the node writes to; 0 without a bound.", func(d volume) int64 { return d.inodes.free }),
		byDisk("platen_disk_reserve_inodes", "Free inodes below which the node takes no more jobs; 0 without a bound.", func(d volume) int64 { return d.inodes.reserve }),
	)
}

func ledgerFigures(i *ingest.Running) prometheus.Collector {
	type figures = ingest.Figures
	return metrics.Collect(i.Figures,
		metrics.Counter("platen_ledger_entries_total", "Entries of the usage ledger that this node has appended.", func(at figures) int64 { return at.Entries }),
		metrics.Counter("platen_ledger_poisoned_total", "Records that the usage ledger could not take and that went to platen.events.poison.", func(at figures) int64 { return at.Poisoned }),
		metrics.Counter("platen_ledger_failures_total", "How often the usage ledger could not read or append a partition's records; it is tried again.", func(at figures) int64 { return at.Failures }),
		metrics.Gauge("platen_ledger_stalled_seconds", "How long the usage ledger has taken nothing from a partition because it cannot read or append, the longest of all; 0 if it can.", func(at figures) float64 { return at.Stalled.For.Seconds() }),
		metrics.Gauge("platen_ledger_delay_seconds", "How long after it had occurred the newest entry that this node has appended was in the usage ledger.", func(at figures) float64 { return at.Delay.Seconds() }),
	)
}

func reconciliationFigures(s *reconcile.Shares) prometheus.Collector {
	return metrics.Collect(s.Figures,
		metrics.Counter("platen_ledger_reconciled_total", "Partitions of the usage ledger that this node has compared with the log and found equal.", func(at reconcile.Figures) int64 { return at.Equal }),
		metrics.Counter("platen_ledger_differences_total", "Differences between the usage ledger and the log that this node has found.", func(at reconcile.Figures) int64 { return at.Differences }),
	)
}

func historyFigures(k *history.Keeper) prometheus.Collector {
	type figures struct {
		history.Counts
		unsaved time.Duration
	}
	return metrics.Collect(func() (at figures) { at.Counts, at.unsaved = k.Figures(); return at },
		metrics.Counter("platen_snapshots_total", "Snapshots of partitions that this node has taken and verified.", func(at figures) int64 { return at.Taken }),
		metrics.Counter("platen_snapshot_failures_total", "Snapshots that came to nothing; each partition tries again after an hour.", func(at figures) int64 { return at.Failed }),
		metrics.Counter("platen_snapshot_mismatches_total", "Snapshots whose rows were not those of a rebuild: a replica is wrong.", func(at figures) int64 { return at.Mismatches }),
		metrics.Gauge("platen_snapshot_age_seconds", "Of the node's partitions whose journal has gone on since their newest snapshot, the age of the oldest of those snapshots.", func(at figures) float64 { return at.unsaved.Seconds() }),
		metrics.Counter("platen_history_trimmed_records_total", "Records of the journal and of platen.events that this node has trimmed.", func(at figures) int64 { return at.Records }),
	)
}

func clusterFigures(p peers) prometheus.Collector {
	return metrics.Collect(metrics.Itself(p),
		metrics.Gauge("platen_cluster_clock_difference_seconds", "Largest difference between this node's clock and that of another node.", peers.clockDifference),
		metrics.Gauge("platen_cluster_nodes", "Nodes that are up, as far as this one knows.", func(p peers) int { return len(p.members()) }),
	)
}

func clockFigures(c *nodeClock) prometheus.Collector {
	return metrics.Collect(metrics.Itself(c),
		metrics.Gauge("platen_clock_held_seconds", "How far the system's clock, which nothing confirms, is ahead of the time that the node goes by instead; negative if it is behind the newest record, 0 if the node goes by it.", (*nodeClock).held),
	)
}

func certificateFigures(net *network) prometheus.Collector {
	return metrics.Collect(metrics.Itself(net),
		metrics.Gauge("platen_cluster_certificate_expiry_seconds", "When the certificate that this node shows to others expires, in seconds since 1970; 0 if it is derived from the secret.", func(net *network) int64 {
			if net.identity == nil {
				return 0
			}
			return net.identity.Expires().Unix()
		}),
		metrics.Gauge("platen_http_certificate_expiry_seconds", "When the API's certificate expires, in seconds since 1970; 0 without TLS.", func(net *network) int64 {
			if api := net.front.certificate(); api != nil {
				return api.expires().Unix()
			}
			return 0
		}),
	)
}

func remoteFigures(r *cluster.Remote) prometheus.Collector {
	type refused = map[cluster.Refusal]int64
	return metrics.Collect(func() refused {
		if r == nil { // the node is alone
			return nil
		}
		return r.Refused()
	},
		metrics.By("reason", cluster.Refusals(), prometheus.CounterValue, "platen_peer_refused_total", "What was refused at the port of the actors, by reason.", func(at refused, why cluster.Refusal) int64 { return at[why] }),
	)
}

func traceFigures(t *tracing.Tracer) prometheus.Collector {
	return metrics.Collect(t.Figures,
		metrics.Counter("platen_trace_spans_sent_total", "Spans that the collector has taken.", func(at tracing.Figures) uint64 { return at.Sent }),
		metrics.Counter("platen_trace_spans_dropped_total", "Spans that were dropped because too many waited.", func(at tracing.Figures) uint64 { return at.Dropped }),
		metrics.Counter("platen_trace_spans_failed_total", "Spans that could not be sent to the collector.", func(at tracing.Figures) uint64 { return at.Failed }),
	)
}
