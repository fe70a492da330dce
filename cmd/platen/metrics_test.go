package main

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// scrape reads a node's metrics as Prometheus does, and checks them against its
// conventions.
func scrape(t *testing.T, address string) map[string]*dto.MetricFamily {
	t.Helper()
	resp, err := http.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	return families
}

// value adds up the series of a family that have all the given labels.
func value(f *dto.MetricFamily, labels ...string) (sum float64) {
	for _, m := range f.GetMetric() {
		var have []string
		for _, l := range m.GetLabel() {
			have = append(have, l.GetValue())
		}
		if slices.ContainsFunc(labels, func(l string) bool { return !slices.Contains(have, l) }) {
			continue
		}
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return sum
}

// TestMetrics runs a few jobs and checks the metrics.
func TestMetrics(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t, "--dev", "--slots", "2", "--egress-allow", "127.0.0.0/8")
	p := m.start(t)
	c := client{m.devKey(t, events.PlanBusiness)}
	for path, body := range map[string]any{
		"/html-to-pdf":     map[string]string{"html": "<p>one</p>"},
		"/markdown-to-pdf": map[string]string{"markdown": "two"},
		"/html-to-image":   map[string]string{"html": "three"},
		"/url-to-pdf":      map[string]string{"url": "http://127.0.0.1:1/"},
	} {
		id, status, err := c.post(p.address+path, body)
		if status != 202 {
			t.Fatalf("%s: %d %v", path, status, err)
		}
		testkit.Eventually(t, "the job has ended", func() bool {
			s, _, _ := c.status(p.address, id)
			return s == events.StatusDone || s == events.StatusFailed
		})
	}
	var f map[string]*dto.MetricFamily
	testkit.Eventually(t, "the ledger has read events", func() bool {
		f = scrape(t, p.address)
		return f["platen_bus_handler_execution_time_seconds"] != nil
	})
	for _, want := range []struct {
		name   string
		labels []string
		value  float64
	}{
		{"platen_render_attempts_total", []string{"done"}, 3},
		{"platen_render_attempts_total", []string{"url-to-pdf", "NAVIGATION_FAILED"}, 1},
		{"platen_render_queue_wait_seconds", []string{"quick"}, 3},
		{"platen_render_queue_wait_seconds", []string{"remote"}, 1},
		{"platen_render_phase_seconds", []string{"html-to-pdf", "print"}, 1},
		{"platen_render_phase_seconds", []string{"html-to-image", "capture"}, 1},
		{"platen_render_phase_seconds", []string{"store"}, 3},
		{"platen_render_result_bytes", nil, 3},
		{"platen_render_result_pages", nil, 2},
		{"platen_render_queue_length", nil, 0},
		{"platen_browser_slots", nil, 2},
		{"platen_browser_jobs_total", nil, 4},
		{"platen_browser_restarts_total", nil, 0},
		{"platen_node_draining", nil, 0},
		{"platen_cluster_nodes", nil, 1},
		{"platen_render_handed_over_total", nil, 0},
	} {
		if got := value(f[want.name], want.labels...); f[want.name] == nil || got != want.value {
			t.Errorf("%s%v is %v, want %v", want.name, want.labels, got, want.value)
		}
	}
	for name := range map[string]int{"platen_render_phase_seconds": 0, "platen_render_result_bytes": 0} {
		for _, m := range f[name].GetMetric() {
			if h := m.GetHistogram(); h.GetSampleSum() <= 0 || name != "platen_render_result_bytes" && h.GetSampleSum() > testkit.Patience.Seconds() {
				t.Errorf("%s of %v adds up to %v", name, m.GetLabel(), h.GetSampleSum())
			}
		}
	}
	checkReference(t, "docs/METRICS.md", "metrics", metricLines(f))
}
