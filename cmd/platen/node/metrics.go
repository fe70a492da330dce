package node

import (
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"platen.dev/actors/render"
	"platen.dev/actors/shard"
	"platen.dev/browserpool"
	"platen.dev/events"
)

// metrics are the metrics of one node. docs/METRICS.md explains each.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec

	wait     *prometheus.HistogramVec
	phases   *prometheus.HistogramVec
	size     *prometheus.HistogramVec
	pages    *prometheus.HistogramVec
	attempts *prometheus.CounterVec

	handler fasthttp.RequestHandler
}

func newMetrics(n *Node) *metrics {
	m := &metrics{
		requests: counterVec("platen_http_requests_total", "Requests with a response, by route and status.", "route", "status"),
		duration: histogramVec("platen_http_request_seconds", "Time from request to response, by route.", prometheus.ExponentialBuckets(0.0005, 2, 16), "route"),

		wait:     histogramVec("platen_render_queue_wait_seconds", "Time from a job's acceptance until an attempt had its page, by lane; a job rendered again counts again.", prometheus.ExponentialBuckets(0.005, 2, 18), "lane"),
		phases:   histogramVec("platen_render_phase_seconds", "Time that attempts spent loading, printing or capturing, finishing and storing, by operation.", prometheus.ExponentialBuckets(0.001, 2, 18), "operation", "phase"),
		size:     histogramVec("platen_render_result_bytes", "Size of the files made, by operation.", prometheus.ExponentialBuckets(1<<10, 4, 10), "operation"),
		pages:    histogramVec("platen_render_result_pages", "Pages of the PDFs made, by operation.", []float64{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000}, "operation"),
		attempts: counterVec("platen_render_attempts_total", "Attempts that ended, by operation and outcome: done or an error code.", "operation", "outcome"),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.duration, m.wait, m.phases, m.size, m.pages, m.attempts, newCollector(n),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = fasthttpadaptor.NewFastHTTPHandler(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return m
}

func counterVec(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func histogramVec(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(route).Observe(took.Seconds())
}

// rendered counts an attempt.
func (m *metrics) rendered(r render.Report) {
	operation, outcome := "unknown", "done" // labels have few values: a newer node may know more operations
	if slices.Contains(events.Operations(), r.Operation) {
		operation = string(r.Operation)
	}
	if r.Code != "" {
		outcome = string(r.Code)
	}
	m.attempts.WithLabelValues(operation, outcome).Inc()
	if r.Wait >= 0 {
		m.wait.WithLabelValues(r.Lane.String()).Observe(r.Wait.Seconds())
	}
	made := "print"
	if r.Operation.Image() {
		made = "capture"
	}
	for phase, took := range map[string]time.Duration{"load": r.Load, made: r.Made, "finish": r.Finish, "store": r.Store} {
		if took > 0 { // else it was not reached
			m.phases.WithLabelValues(operation, phase).Observe(took.Seconds())
		}
	}
	if r.Code == "" {
		m.size.WithLabelValues(operation).Observe(float64(r.Size))
	}
	if r.Pages > 0 {
		m.pages.WithLabelValues(operation).Observe(float64(r.Pages))
	}
}

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
}

// shardFigures are the figures of the partitions that the node owns.
type shardFigures struct {
	byState map[shard.State]int
	lost    int64
}

func shardFiguresOf(s *shard.Shards) shardFigures {
	f := shardFigures{byState: map[shard.State]int{}, lost: s.LostCommands()}
	for _, status := range s.Status() {
		f.byState[status.State]++
	}
	return f
}

// series is one exported value.
type series struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(figures) float64
	label []string
}

func newCollector(n *Node) *collector {
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	c := &collector{node: n}
	add := func(kind prometheus.ValueType, name, help string, value func(figures) float64) {
		c.series = append(c.series, series{prometheus.NewDesc(name, help, nil, nil), kind, value, nil})
	}
	byLane := func(name, help string, value func(figures, events.Lane) int) {
		desc := prometheus.NewDesc(name, help, []string{"lane"}, nil)
		for _, l := range events.Lanes() {
			c.series = append(c.series, series{desc, gauge, func(at figures) float64 { return float64(value(at, l)) }, []string{l.String()}})
		}
	}
	add(gauge, "platen_browser_slots", "Maximal number of pages that work at once.", func(at figures) float64 { return float64(at.pool.Slots) })
	add(gauge, "platen_browser_leased", "Pages at work.", func(at figures) float64 { return float64(at.pool.Leased) })
	add(gauge, "platen_browser_waiting", "Attempts that wait for a page.", func(at figures) float64 { return float64(at.pool.Waiting) })
	add(gauge, "platen_browser_bytes", "Memory of the browser at the last measurement.", func(at figures) float64 { return float64(at.pool.BrowserBytes) })
	add(counter, "platen_browser_jobs_total", "Leases returned.", func(at figures) float64 { return float64(at.pool.Jobs) })
	add(counter, "platen_browser_crashes_total", "Pages that crashed.", func(at figures) float64 { return float64(at.pool.Crashes) })
	add(counter, "platen_browser_discarded_total", "Pages discarded after a job.", func(at figures) float64 { return float64(at.pool.Discarded) })
	add(counter, "platen_browser_recycles_total", "Browsers replaced on purpose.", func(at figures) float64 { return float64(at.pool.Recycles) })
	add(counter, "platen_browser_restarts_total", "Browsers replaced because they died.", func(at figures) float64 { return float64(at.pool.Restarts) })
	add(counter, "platen_browser_self_tests_total", "Self-tests of browsers: a small document printed alongside the jobs.", func(at figures) float64 { return float64(at.pool.SelfTests) })
	add(counter, "platen_browser_self_test_failures_total", "Self-tests of browsers that failed; after two in a row the browser is replaced.", func(at figures) float64 { return float64(at.pool.SelfTestFailures) })
	add(counter, "platen_egress_blocked_total", "Requests of pages refused by the egress policy.", func(at figures) float64 { return float64(at.pool.EgressBlocked) })
	byLane("platen_render_queue_length", "Jobs that wait for an attempt, by lane.", func(at figures, l events.Lane) int { return at.render.Load.Queued[l] })
	byLane("platen_render_attempts_running", "Attempts under way, by lane.", func(at figures, l events.Lane) int { return at.render.Load.Running[l] })
	add(counter, "platen_render_handed_over_total", "Jobs of this node that another took.", func(at figures) float64 { return float64(at.render.Counts.HandedOver) })
	add(counter, "platen_render_handover_refused_total", "Jobs of this node that another did not take when asked.", func(at figures) float64 { return float64(at.render.Counts.Refused) })
	add(counter, "platen_render_taken_back_total", "Jobs taken back from a node that took them and did not begin them.", func(at figures) float64 { return float64(at.render.Counts.TakenBack) })
	add(counter, "platen_render_taken_over_total", "Jobs taken from other nodes.", func(at figures) float64 { return float64(at.render.Counts.TakenOver) })
	add(gauge, "platen_node_load_ratio", "Jobs under way and waiting, per slot.", func(at figures) float64 { return at.render.Load.Ratio() })
	add(gauge, "platen_node_draining", "1 while the node begins no renders because it is about to stop.", func(at figures) float64 { return oneIf(at.render.Load.Draining) })
	add(gauge, "platen_node_suspended", "1 while the node begins no renders because something that they depend on fails.", func(at figures) float64 { return oneIf(at.render.Load.Suspended) })
	byState := func(state shard.State) {
		desc := prometheus.NewDesc("platen_shards", "Partitions that this node owns, by state.", []string{"state"}, nil)
		c.series = append(c.series, series{desc, gauge, func(at figures) float64 { return float64(at.shards.byState[state]) }, []string{string(state)}})
	}
	byState(shard.Starting)
	byState(shard.Serving)
	byState(shard.Halted)
	add(counter, "platen_shard_lost_commands_total", "Commands that were trimmed before this node decided them.", func(at figures) float64 { return float64(at.shards.lost) })
	add(gauge, "platen_cluster_clock_difference_seconds", "Largest difference between this node's clock and that of another node.", func(at figures) float64 { return at.clocks })
	add(gauge, "platen_cluster_nodes", "Nodes that are up, as far as this one knows.", func(at figures) float64 { return float64(at.nodes) })
	return c
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
	at := figures{pool: c.node.pool.Stats(), render: c.node.renderer.Figures(), nodes: c.node.Nodes(), shards: shardFiguresOf(c.node.shards), clocks: c.node.clockDifference()}
	for _, s := range c.series {
		to <- prometheus.MustNewConstMetric(s.desc, s.kind, s.value(at), s.label...)
	}
}
