// Package metrics counts what happens on a node, and exports that and the parts' own counts to Prometheus (docs/METRICS.md).
package metrics

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
	"platen.dev/actors/webhook"
	"platen.dev/events"
)

// Metrics counts what happens on one node. It is safe for concurrent use.
type Metrics struct {
	// Registry holds them, and metrics registered by others.
	Registry *prometheus.Registry
	// Handler serves the registry.
	Handler fasthttp.RequestHandler

	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec

	wait     *prometheus.HistogramVec
	phases   *prometheus.HistogramVec
	size     *prometheus.HistogramVec
	pages    *prometheus.HistogramVec
	attempts *prometheus.CounterVec
	appends  *prometheus.HistogramVec
	webhooks *prometheus.HistogramVec
	uploads  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec // appended
	refused  *prometheus.CounterVec // appends that failed
	lines    *prometheus.CounterVec // of the log
}

// New returns metrics before anything has happened.
func New() *Metrics {
	m := &Metrics{
		requests: counterVec("platen_http_requests_total", "Requests with a response, by route and status.", "route", "status"),
		duration: histogramVec("platen_http_request_seconds", "Time from request to response, by route.", prometheus.ExponentialBuckets(0.0005, 2, 16), "route"),

		wait:     histogramVec("platen_render_queue_wait_seconds", "Time from a job's acceptance until an attempt had its page, by lane; a job rendered again counts again.", prometheus.ExponentialBuckets(0.005, 2, 18), "lane"),
		phases:   histogramVec("platen_render_phase_seconds", "Time that attempts spent loading, printing or capturing, finishing and storing, by operation.", prometheus.ExponentialBuckets(0.001, 2, 18), "operation", "phase"),
		size:     histogramVec("platen_render_result_bytes", "Size of the files made, by operation.", prometheus.ExponentialBuckets(1<<10, 4, 10), "operation"),
		pages:    histogramVec("platen_render_result_pages", "Pages of the PDFs made, by operation.", []float64{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000}, "operation"),
		attempts: counterVec("platen_render_attempts_total", "Attempts that ended, by operation and outcome: done or an error code.", "operation", "outcome"),
	}
	m.appends = histogramVec("platen_log_append_seconds", "Time until a record was durable, by topic.", prometheus.ExponentialBuckets(0.0005, 2, 16), "topic")
	m.bytes = counterVec("platen_log_appended_bytes_total", "Bytes of the records that were appended, before compression and replication, by topic.", "topic")
	m.webhooks = histogramVec("platen_webhook_seconds", "Time of attempts to send a webhook, by the class of the response's status, or none.", prometheus.ExponentialBuckets(0.001, 2, 15), "status")
	m.uploads = histogramVec("platen_upload_seconds", "Time of attempts to upload a file to the caller's own storage, by the class of the response's status, or none.", prometheus.ExponentialBuckets(0.001, 2, 20), "status")
	m.refused = counterVec("platen_log_append_failures_total", "Appends that failed, by topic: records were refused, or it is not known whether they are durable.", "topic")
	for _, topic := range []string{events.TopicCommands, events.TopicJournal, events.TopicEvents} {
		m.refused.WithLabelValues(topic)
		m.bytes.WithLabelValues(topic)
	}
	m.lines = counterVec("platen_log_lines_total", "Lines that the node has logged or would have, at level info and above, by level and message.", "level", "message")
	for _, class := range []string{"none", "2xx", "3xx", "4xx", "5xx"} {
		m.webhooks.WithLabelValues(class)
		m.uploads.WithLabelValues(class)
	}
	m.Registry = prometheus.NewRegistry()
	m.Registry.MustRegister(m.appends, m.bytes, m.refused, m.lines, m.webhooks, m.uploads, m.requests, m.duration, m.wait, m.phases, m.size, m.pages, m.attempts,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.Handler = fasthttpadaptor.NewFastHTTPHandler(promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{}))
	return m
}

func counterVec(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func histogramVec(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// Observe counts a request to a route, with the status of its response.
func (m *Metrics) Observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(route).Observe(took.Seconds())
}

// Appended counts a record that is durable.
func (m *Metrics) Appended(topic string, bytes int, took time.Duration) {
	m.bytes.WithLabelValues(topic).Add(float64(bytes))
	m.appends.WithLabelValues(topic).Observe(took.Seconds())
}

// NotAppended counts an append that failed.
func (m *Metrics) NotAppended(topic string) { m.refused.WithLabelValues(topic).Inc() }

// Notified counts an attempt to send a webhook.
func (m *Metrics) Notified(o webhook.Outcome) { answered(m.webhooks, o.Status, o.Millis) }

// Uploaded counts an attempt to upload a file.
func (m *Metrics) Uploaded(a events.UploadAttempt) { answered(m.uploads, a.Status, a.Millis) }

// answered counts a request by the status of its answer, or as unanswered.
func answered(of *prometheus.HistogramVec, status int, millis int64) {
	class := "none"
	if status > 0 {
		class = strconv.Itoa(status/100) + "xx"
	}
	of.WithLabelValues(class).Observe((time.Duration(millis) * time.Millisecond).Seconds())
}

// Rendered counts an attempt.
func (m *Metrics) Rendered(r render.Report) {
	operation, outcome := "unknown", "done" // labels must have few values: a newer node may know more operations
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
		if took > 0 { // otherwise the step was not reached
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
