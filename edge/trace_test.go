package edge

import (
	"net/url"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/events/tracing"
	"platen.dev/events/tracing/tracingtest"
)

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// traceTo makes the server send its spans to a collector, and returns a function that waits until they are sent.
func (d *fixture) traceTo(c *tracingtest.Collector) (flush func()) {
	d.t.Helper()
	endpoint, err := url.Parse(c.URL)
	if err != nil {
		d.t.Fatal(err)
	}
	tracer, err := tracing.Start(tracing.Config{Endpoint: endpoint, Sample: 1, Logger: testkit.Silent()})
	if err != nil {
		d.t.Fatal(err)
	}
	d.server.cfg.Traces = tracer
	return func() {
		if err := tracer.Close(testkit.Context(d.t)); err != nil {
			d.t.Error(err)
		}
	}
}

// submitted returns the trace of the job submitted last.
func (d *fixture) submitted() events.Trace {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, _ := d.commands[len(d.commands)-1].(events.Submission)
	return s.Trace
}

// A server without tracing ignores the trace headers of clients.
func TestNoTraces(t *testing.T) {
	d := newFixture(t)
	d.do("POST", "/html-to-pdf", `{"html":"x"}`, "traceparent", traceparent)
	if got := d.submitted(); !got.IsZero() {
		t.Errorf("the job has %+v", got)
	}
}

// The span of a request has its outcome, accepted or refused, and is the parent of the job's trace.
func TestSpanOfARequest(t *testing.T) {
	d, c := newFixture(t), tracingtest.Start(t)
	flush := d.traceTo(c)
	d.do("POST", "/html-to-pdf", `{"html":"x"}`, "traceparent", traceparent)
	trace := d.submitted()
	d.do("POST", "/html-to-pdf", `{"html":5}`)
	d.do("POST", "/markdown-to-pdf", `{"markdown":"bad"}`)
	d.do("GET", "/healthz", "", "traceparent", traceparent)
	flush()
	spans := c.Spans()
	if len(spans) != 3 {
		t.Fatalf("%d spans: %+v", len(spans), spans)
	}
	first := spans[0]
	if first.Trace != trace.ID.String() || first.ID != trace.Span.String() || !trace.Sampled || first.Parent != "b7ad6b7169203331" || first.Attributes["platen.bytes"] != "12" || first.Attributes["platen.job.id"] == "" {
		t.Errorf("the job has %+v, the span is %+v", trace, first)
	}
	for i, want := range []struct {
		status, code string
		failed       int
	}{{"202", "", 0}, {"422", "", 2}, {"422", "MARKDOWN_INVALID", 2}} {
		if s := spans[i]; s.Attributes["http.response.status_code"] != want.status || s.Attributes["error.type"] != want.code || s.Status != want.failed {
			t.Errorf("request %d: %+v, want %+v", i+1, s, want)
		}
	}
}
