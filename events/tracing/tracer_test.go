package tracing

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/events/tracing/tracingtest"
)

var (
	client = events.Trace{ID: events.TraceID{1}, Span: events.SpanID{2}, Sampled: true}
	at     = time.UnixMilli(1700000000123)
)

// configure returns the configuration of a tracer that sends to url.
func configure(t *testing.T, to string) Config {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Endpoint: u, Sample: 1, Node: "node-1", Version: "1.2.3", Logger: testkit.Silent()}
}

func started(t *testing.T, cfg Config) *Tracer {
	t.Helper()
	tracer, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tracer
}

func closed(t *testing.T, tracer *Tracer) {
	t.Helper()
	if err := tracer.Close(testkit.Context(t)); err != nil {
		t.Error(err)
	}
}

// Spans are sent as described, and Close sends waiting ones.
func TestSpan(t *testing.T) {
	collector := tracingtest.Start(t)
	cfg := configure(t, collector.URL+"/")
	cfg.Headers = map[string]string{"Authorization": "Bearer Kr0kodil"}
	tracer := started(t, cfg)
	trace, request := tracer.Request([][]byte{[]byte(client.Traceparent())}, at)
	if trace.ID != client.ID || trace.Span == client.Span || trace != request.Trace() {
		t.Errorf("the job belongs to %+v, the span is %+v", trace, request.Trace())
	}
	job := events.NewJobID()
	tracer.Span(trace, Attempt, at).End(at.Add(time.Second), Facts{Job: job, Partition: 7, Operation: events.HTMLToPDF, Lane: events.Slow, Code: events.PageTimeout, Bytes: 5, Pages: 2})
	request.End(at.Add(2*time.Second), Facts{Job: job, Status: 202})
	request.End(at, Facts{Status: 500})                                                           // too late
	tracer.Span(trace, Queue, at).End(at.Add(-time.Second), Facts{Job: job, Lane: events.Remote}) // the clock of another node was ahead
	closed(t, tracer)
	spans := collector.Of(job.String())
	if len(spans) != 3 {
		t.Fatalf("%d spans: %+v", len(spans), spans)
	}
	want := map[string]map[string]string{
		"attempt": {"platen.job.id": job.String(), "platen.partition": "7", "platen.operation": "html-to-pdf", "platen.lane": "slow", "error.type": string(events.PageTimeout), "platen.bytes": "5", "platen.pages": "2"},
		"request": {"platen.job.id": job.String(), "platen.partition": "0", "http.response.status_code": "202"},
		"queue":   {"platen.job.id": job.String(), "platen.partition": "0", "platen.lane": "remote"},
	}
	for _, s := range spans {
		for name, value := range want[s.Name] {
			if s.Attributes[name] != value {
				t.Errorf("%s: %s is %q, want %q", s.Name, name, s.Attributes[name], value)
			}
		}
		if len(s.Attributes) != len(want[s.Name]) || s.Resource["service.instance.id"] != "node-1" || s.Resource["service.version"] != "1.2.3" || !s.Begin.Equal(at) {
			t.Errorf("%+v", s)
		}
		if took := map[string]time.Duration{"attempt": time.Second, "request": 2 * time.Second}[s.Name]; s.End.Sub(s.Begin) != took {
			t.Errorf("%s took %s, want %s", s.Name, s.End.Sub(s.Begin), took)
		}
		if failed := s.Name == "attempt"; (s.Status == 2) != failed || s.Text != "" {
			t.Errorf("%s: status %d %q", s.Name, s.Status, s.Text)
		}
	}
	for _, h := range collector.Headers() {
		if h.Get("Authorization") != "Bearer Kr0kodil" {
			t.Errorf("headers %v", h)
		}
	}
	if f := tracer.Figures(); f != (Figures{Sent: 3}) {
		t.Errorf("figures %+v", f)
	}
}

// A trace is the client's if there is exactly one valid traceparent, and is recorded if that or the
// sample says so.
func TestRequest(t *testing.T) {
	sampled, not := []byte(client.Traceparent()), []byte(events.Trace{ID: client.ID, Span: client.Span}.Traceparent())
	for _, tc := range []struct {
		name             string
		sample           float64
		parents          [][]byte
		recorded, client bool
	}{
		{"none", 1, nil, true, false},
		{"none, not sampled", 0, nil, false, false},
		{"the client's", 0, [][]byte{sampled}, true, true},
		{"the client's, not recorded", 1, [][]byte{not}, false, true},
		{"two", 1, [][]byte{sampled, sampled}, true, false},
		{"two, not sampled", 0, [][]byte{sampled, sampled}, false, false},
		{"invalid", 1, [][]byte{[]byte("00-x")}, true, false},
		{"invalid, not sampled", 0, [][]byte{[]byte("00-x")}, false, false},
	} {
		tracer := start(Config{Sample: tc.sample, Logger: testkit.Silent()}, discarded{})
		trace, span := tracer.Request(tc.parents, at)
		if (span != nil) != tc.recorded || trace.Sampled != tc.recorded || (trace.ID == client.ID) != tc.client || trace.IsZero() != (!tc.recorded && !tc.client) {
			t.Errorf("%s: %+v, recorded %v", tc.name, trace, span != nil)
		}
		span.End(at, Facts{})
		closed(t, tracer)
	}
}

type discarded struct{}

func (discarded) ExportSpans(context.Context, []sdk.ReadOnlySpan) error { return nil }
func (discarded) Shutdown(context.Context) error                        { return nil }

// held is an exporter that is stuck until it is released.
type held struct {
	discarded
	release chan struct{}
}

func (h *held) ExportSpans(context.Context, []sdk.ReadOnlySpan) error {
	<-h.release
	return nil
}

// A collector that hangs holds up nobody: spans wait up to the limit, the others are dropped and
// counted, and once it continues, there is room again.
func TestACollectorThatHangs(t *testing.T) {
	to := &held{release: make(chan struct{})}
	tracer := start(Config{Logger: testkit.Silent()}, to)
	for range most {
		tracer.Span(client, Queue, at).End(at, Facts{})
	}
	if f := tracer.Figures(); f.Dropped != 0 {
		t.Errorf("%d dropped while there is room", f.Dropped)
	}
	for range 3 {
		tracer.Span(client, Queue, at).End(at, Facts{})
	}
	if f := tracer.Figures(); f != (Figures{Dropped: 3}) {
		t.Errorf("figures %+v", f)
	}
	close(to.release)
	testkit.Eventually(t, "all are sent", func() bool { return tracer.Figures().Sent == most })
	tracer.Span(client, Queue, at).End(at, Facts{})
	closed(t, tracer)
	if f := tracer.Figures(); f != (Figures{Sent: most + 1, Dropped: 3}) {
		t.Errorf("figures %+v", f)
	}
}

// Spans that a collector refuses are counted and logged, without the contents of the headers.
func TestACollectorThatRefuses(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(s.Close)
	cfg := configure(t, s.URL)
	cfg.Headers = map[string]string{"Authorization": "Bearer Kr0kodil"}
	out := &testkit.Lines{}
	cfg.Logger = slog.New(slog.NewTextHandler(out, nil))
	tracer := started(t, cfg)
	tracer.Span(client, Queue, at).End(at, Facts{})
	closed(t, tracer)
	if f := tracer.Figures(); f != (Figures{Failed: 1}) {
		t.Errorf("figures %+v", f)
	}
	if !strings.Contains(out.String(), "spans could not be sent") || strings.Contains(out.String(), "Kr0kodil") {
		t.Errorf("log: %s", out.String())
	}
}

// A tracer that is off makes nothing and allocates nothing, and neither does an unrecorded job on
// one that is on.
func TestOffCostsNothing(t *testing.T) {
	on := start(Config{Logger: testkit.Silent()}, discarded{})
	t.Cleanup(func() { closed(t, on) })
	job := events.NewJobID()
	parents := [][]byte{[]byte(events.Trace{ID: client.ID, Span: client.Span}.Traceparent())}
	for name, tracer := range map[string]*Tracer{"off": nil, "on": on} {
		n := testing.AllocsPerRun(100, func() {
			trace, request := tracer.Request(parents, at)
			span := tracer.Span(trace, Attempt, at)
			span.End(at, Facts{Job: job, Code: events.PageTimeout, Bytes: 5})
			request.End(at, Facts{Job: job, Status: 202})
			_ = span.Trace()
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if trace, span := (*Tracer)(nil).Request(parents, at); !trace.IsZero() || span != nil {
		t.Errorf("off: %+v", trace)
	}
	if f := (*Tracer)(nil).Figures(); f != (Figures{}) {
		t.Errorf("off: %+v", f)
	}
}

// A collector that cannot be reached does not keep a node from ending.
func TestCloseWithoutACollector(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	to := &held{release: make(chan struct{})}
	defer close(to.release)
	tracer := start(Config{Logger: testkit.Silent()}, to)
	tracer.Span(client, Queue, at).End(at, Facts{})
	if err := tracer.Close(ctx); err == nil {
		t.Error("closed as if the span had been sent")
	}
}
