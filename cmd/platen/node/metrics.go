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
	"platen.dev/browserpool"
	"platen.dev/events"
)

// metrics is what /metrics shows of one node; docs/METRICS.md explains each.
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
		requests: counterVec("platen_http_requests_total", "Answered requests by route and status.", "route", "status"),
		duration: histogramVec("platen_http_request_seconds", "Time from request to response by route.", prometheus.ExponentialBuckets(0.0005, 2, 16), "route"),

		wait:     histogramVec("platen_render_queue_wait_seconds", "Time from a job's acceptance until an attempt had its page, by lane; a job rendered again counts again.", prometheus.ExponentialBuckets(0.005, 2, 18), "lane"),
		phases:   histogramVec("platen_render_phase_seconds", "Time that attempts spent loading, printing or capturing, finishing and storing, by operation.", prometheus.ExponentialBuckets(0.001, 2, 18), "operation", "phase"),
		size:     histogramVec("platen_render_result_bytes", "Size of the files made, by operation.", prometheus.ExponentialBuckets(1<<10, 4, 10), "operation"),
		pages:    histogramVec("platen_render_result_pages", "Pages of the PDFs made, by operation.", []float64{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000}, "operation"),
		attempts: counterVec("platen_render_attempts_total", "Attempts that ended, by operation and outcome: done or an error code.", "operation", "outcome"),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.duration, m.wait, m.phases, m.size, m.pages, m.attempts, newSnapshot(n),
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

// operations bounds the label of the same name.
var operations = []events.Operation{events.URLToPDF, events.HTMLToPDF, events.MarkdownToPDF, events.URLToImage, events.HTMLToImage, events.EInvoiceToPDF}

// rendered counts an attempt.
func (m *metrics) rendered(r render.Report) {
	operation, outcome := "unknown", "done"
	if slices.Contains(operations, r.Operation) {
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

// snapshot collects what the node's parts count themselves, each asked once.
type snapshot struct {
	node    *Node
	figures []figure
}

// now is what the parts say at one moment.
type now struct {
	pool   browserpool.Stats
	render render.Figures
	nodes  int
}

// figure is one value of a snapshot.
type figure struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(now) float64
	label []string
}

func newSnapshot(n *Node) *snapshot {
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	s := &snapshot{node: n}
	add := func(kind prometheus.ValueType, name, help string, value func(now) float64) {
		s.figures = append(s.figures, figure{prometheus.NewDesc(name, help, nil, nil), kind, value, nil})
	}
	byLane := func(name, help string, value func(now, events.Lane) int) {
		desc := prometheus.NewDesc(name, help, []string{"lane"}, nil)
		for _, l := range events.Lanes() {
			s.figures = append(s.figures, figure{desc, gauge, func(at now) float64 { return float64(value(at, l)) }, []string{l.String()}})
		}
	}
	add(gauge, "platen_browser_slots", "Pages that may work at once.", func(at now) float64 { return float64(at.pool.Slots) })
	add(gauge, "platen_browser_leased", "Pages at work.", func(at now) float64 { return float64(at.pool.Leased) })
	add(gauge, "platen_browser_waiting", "Attempts that wait for a page.", func(at now) float64 { return float64(at.pool.Waiting) })
	add(gauge, "platen_browser_bytes", "Memory of the browser, when last measured.", func(at now) float64 { return float64(at.pool.BrowserBytes) })
	add(counter, "platen_browser_jobs_total", "Leases given back.", func(at now) float64 { return float64(at.pool.Jobs) })
	add(counter, "platen_browser_crashes_total", "Pages that crashed.", func(at now) float64 { return float64(at.pool.Crashes) })
	add(counter, "platen_browser_discarded_total", "Pages that were not used again after a job.", func(at now) float64 { return float64(at.pool.Discarded) })
	add(counter, "platen_browser_recycles_total", "Browsers replaced by plan.", func(at now) float64 { return float64(at.pool.Recycles) })
	add(counter, "platen_browser_restarts_total", "Browsers replaced because they died.", func(at now) float64 { return float64(at.pool.Restarts) })
	add(counter, "platen_browser_self_tests_total", "Self-tests of browsers: a small document printed beside the jobs.", func(at now) float64 { return float64(at.pool.SelfTests) })
	add(counter, "platen_browser_self_test_failures_total", "Self-tests of browsers that failed; after two in a row the browser is replaced.", func(at now) float64 { return float64(at.pool.SelfTestFailures) })
	add(counter, "platen_egress_blocked_total", "Requests of pages refused by the egress policy.", func(at now) float64 { return float64(at.pool.EgressBlocked) })
	byLane("platen_render_queue_length", "Jobs that wait for an attempt, by lane.", func(at now, l events.Lane) int { return at.render.Load.Queued[l] })
	byLane("platen_render_attempts_running", "Attempts under way, by lane.", func(at now, l events.Lane) int { return at.render.Load.Running[l] })
	add(counter, "platen_render_handed_over_total", "Jobs of this node that another took.", func(at now) float64 { return float64(at.render.Counts.HandedOver) })
	add(counter, "platen_render_handover_refused_total", "Jobs of this node that another did not take when asked.", func(at now) float64 { return float64(at.render.Counts.Refused) })
	add(counter, "platen_render_taken_back_total", "Jobs taken up again that another node took and did not begin.", func(at now) float64 { return float64(at.render.Counts.TakenBack) })
	add(counter, "platen_render_taken_over_total", "Jobs taken from other nodes.", func(at now) float64 { return float64(at.render.Counts.TakenOver) })
	add(gauge, "platen_node_load_ratio", "Jobs under way and waiting, per slot.", func(at now) float64 { return at.render.Load.Ratio() })
	add(gauge, "platen_node_draining", "1 while the node begins no renders because it is about to stop.", func(at now) float64 { return truth(at.render.Load.Draining) })
	add(gauge, "platen_cluster_nodes", "Nodes that are up, as this one sees it.", func(at now) float64 { return float64(at.nodes) })
	return s
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Describe lists what is collected.
func (s *snapshot) Describe(to chan<- *prometheus.Desc) {
	for _, f := range s.figures {
		to <- f.desc
	}
}

// Collect asks the parts.
func (s *snapshot) Collect(to chan<- prometheus.Metric) {
	at := now{pool: s.node.pool.Stats(), render: s.node.renderer.Figures(), nodes: s.node.Nodes()}
	for _, f := range s.figures {
		to <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(at), f.label...)
	}
}
