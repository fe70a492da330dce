package main

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"
)

// metrics is what /metrics shows of one node.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	handler  fasthttp.RequestHandler
}

func newMetrics(n *Node) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "platen_http_requests_total", Help: "Answered requests by route and status.",
		}, []string{"route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "platen_http_request_seconds", Help: "Time from request to response by route.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, []string{"route"}),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.duration, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registerPool(registry, n)
	m.handler = fasthttpadaptor.NewFastHTTPHandler(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return m
}

func (m *metrics) registerPool(registry *prometheus.Registry, n *Node) {
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	counter := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
	}
	gauge("platen_browser_slots", "Pages that may work at once.", func() float64 { return float64(n.pool.Stats().Slots) })
	gauge("platen_browser_leased", "Pages at work.", func() float64 { return float64(n.pool.Stats().Leased) })
	gauge("platen_browser_waiting", "Attempts that wait for a page.", func() float64 { return float64(n.pool.Stats().Waiting) })
	gauge("platen_browser_bytes", "Memory of the browser, when last measured.", func() float64 { return float64(n.pool.Stats().BrowserBytes) })
	counter("platen_browser_jobs_total", "Leases given back.", func() float64 { return float64(n.pool.Stats().Jobs) })
	counter("platen_browser_crashes_total", "Pages that crashed.", func() float64 { return float64(n.pool.Stats().Crashes) })
	counter("platen_browser_recycles_total", "Browsers replaced by plan.", func() float64 { return float64(n.pool.Stats().Recycles) })
	counter("platen_browser_restarts_total", "Browsers replaced because they died.", func() float64 { return float64(n.pool.Stats().Restarts) })
	counter("platen_egress_blocked_total", "Requests of pages refused by the egress policy.", func() float64 { return float64(n.pool.Stats().EgressBlocked) })
	gauge("platen_cluster_nodes", "Nodes that are up, as this one sees it.", func() float64 {
		if n.nodes == nil {
			return 1
		}
		return float64(n.nodes.Nodes())
	})
}

func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(route).Observe(took.Seconds())
}
