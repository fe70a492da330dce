package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/events/tracing/tracingtest"
)

const (
	clientTrace = "0af7651916cd43dd8448eb211c80319c"
	clientSpan  = "b7ad6b7169203331"
)

// startTracedNode is a node that sends its traces to a collector.
func startTracedNode(t *testing.T, set ...func(*node.TracingConfig)) (*inProcessNode, *tracingtest.Collector) {
	t.Helper()
	collector := tracingtest.Start(t)
	n := startInProcessNode(t, func(c *node.Config) {
		c.Tracing.Endpoint = collector.URL
		for _, change := range set {
			change(&c.Tracing)
		}
	})
	return n, collector
}

// submitAs submits a job with a traceparent; "" for none.
func (n *inProcessNode) submitAs(t *testing.T, traceparent, operation string, body map[string]any) events.JobID {
	t.Helper()
	headers := map[string]string{}
	if traceparent != "" {
		headers["traceparent"], headers["tracestate"] = traceparent, "vendor="+planted
	}
	id, status, err := n.client.postWith(n.URL()+"/"+operation, body, headers)
	if err != nil || status != 202 {
		t.Fatalf("submit: %d, %v", status, err)
	}
	return id
}

// names counts spans by name.
func names(spans []tracingtest.Span) map[string]int {
	count := map[string]int{}
	for _, s := range spans {
		count[s.Name]++
	}
	return count
}

// awaitSpans waits for the spans of a job, and returns them by name. There must be one of each.
func awaitSpans(t *testing.T, c *tracingtest.Collector, id events.JobID, want ...string) map[string]tracingtest.Span {
	t.Helper()
	testkit.Eventually(t, "the spans have come", func() bool { return len(c.Of(id.String())) >= len(want) })
	all := map[string]tracingtest.Span{}
	for _, s := range c.Of(id.String()) {
		if all[s.Name].Name != "" {
			t.Errorf("two spans of %q", s.Name)
		}
		all[s.Name] = s
	}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Fatalf("spans %q, want %q", got, want)
	}
	return all
}

// allOfAJob are the names of the spans of a job with a webhook.
var allOfAJob = []string{"request", "decide", "queue", "attempt", "render", "load", "make", "finish", "store", "webhook"}

// A job is one trace from the client's span to the webhook, which carries the trace on.
func TestTrace(t *testing.T) {
	n, collector := startTracedNode(t)
	receiver := newHooks(t)
	id := n.submitAs(t, "00-"+clientTrace+"-"+clientSpan+"-01", "html-to-pdf", map[string]any{"html": "<p>x</p>", "webhook_url": receiver.url})
	got := receiver.next(t)
	spans := awaitSpans(t, collector, id, allOfAJob...)
	below := map[string]string{
		"request": clientSpan, "decide": spans["request"].ID, "queue": spans["request"].ID, "attempt": spans["request"].ID, "webhook": spans["request"].ID,
		"render": spans["attempt"].ID, "finish": spans["attempt"].ID, "store": spans["attempt"].ID, "load": spans["render"].ID, "make": spans["render"].ID,
	}
	for name, s := range spans {
		if s.Trace != clientTrace || s.Parent != below[name] || s.End.Before(s.Begin) || s.Status != 0 {
			t.Errorf("%s: %+v, want it below %s of %s", name, s, below[name], clientTrace)
		}
	}
	for _, pair := range [][2]string{{"queue", "attempt"}, {"render", "finish"}, {"finish", "store"}, {"attempt", "webhook"}, {"load", "make"}} {
		if spans[pair[0]].Begin.After(spans[pair[1]].Begin) {
			t.Errorf("%s begins after %s", pair[0], pair[1])
		}
	}
	if want := "00-" + clientTrace + "-" + spans["webhook"].ID + "-01"; got.header.Get("Traceparent") != want || got.header.Values("Tracestate") != nil {
		t.Errorf("the webhook has %q %q, want %q", got.header.Get("Traceparent"), got.header.Values("Tracestate"), want)
	}
	if a := spans["request"]; a.Attributes["http.response.status_code"] != "202" || a.Kind != 2 || a.Resource["service.instance.id"] != string(n.ID()) {
		t.Errorf("request: %+v", a)
	}
	if a := spans["attempt"].Attributes; a["platen.pages"] != "1" || a["platen.bytes"] == "" || a["platen.lane"] != "quick" {
		t.Errorf("attempt: %v", a)
	}
}

// What is recorded: of requests without a trace the fraction that the operator sets, and of the
// others those that the client records. A trace that the client does not record is passed on all
// the same.
func TestSampling(t *testing.T) {
	testkit.Long(t)
	n, collector := startTracedNode(t, func(c *node.TracingConfig) { c.Sample = 0 })
	receiver := newHooks(t)
	for _, tc := range []struct{ sent, want string }{
		{"", ""},
		{"00-" + clientTrace + "-" + clientSpan + "-00", "00-" + clientTrace + "-" + clientSpan + "-00"},
		{"00-" + strings.ToUpper(clientTrace) + "-" + clientSpan + "-01", ""}, // ignored
		{"00-" + clientTrace + "-" + clientSpan + "-01", "00-" + clientTrace + "-"},
	} {
		n.submitAs(t, tc.sent, "html-to-pdf", map[string]any{"html": "<p>x</p>", "test": true, "webhook_url": receiver.url})
		if got := receiver.next(t).header.Get("Traceparent"); !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%q is handed on as %q, want %q", tc.sent, got, tc.want)
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	traces := map[string]bool{}
	for _, s := range collector.Spans() {
		traces[s.Trace] = true
	}
	if len(traces) != 1 || !traces[clientTrace] {
		t.Errorf("traces %v, want the one that the client records", traces)
	}
}

// Requests from unknown senders leave no spans.
func TestNoSpansWithoutAKey(t *testing.T) {
	n, collector := startTracedNode(t)
	_, status, _ := client{"sk_live_nobody"}.postWith(n.URL()+"/html-to-pdf", map[string]any{"html": "x"}, map[string]string{"traceparent": "00-" + clientTrace + "-" + clientSpan + "-01"})
	if status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if got := collector.Spans(); len(got) != 0 {
		t.Errorf("spans %+v", got)
	}
}
