// Package tracingtest is a collector of spans for tests: it reads OTLP as the protocol defines it, and
// shares no code with the sender.
package tracingtest

import (
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a span as a collector gets it. Ids are hexadecimal; Parent is "" of a root.
type Span struct {
	Trace, ID, Parent, Name string
	// Kind and Status are the numbers of the protocol; Text is the description of the status.
	Kind, Status int
	Text         string
	Begin, End   time.Time
	// Attributes are those of the span, Resource those of its process.
	Attributes, Resource map[string]string
	// More counts what Platen never sends: events, links, a trace state.
	More int
}

// Collector takes spans over HTTP. Its methods may be called from any goroutine.
type Collector struct {
	// URL is the address that nodes are configured with.
	URL     string
	mu      sync.Mutex // guards what follows
	spans   []Span
	headers []http.Header
	bodies  [][]byte
}

// Start runs a collector until the test ends.
func Start(t testing.TB) *Collector {
	c := &Collector{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Errorf("collector: %v", err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(s.Close)
	c.URL = s.URL
	return c
}

func (c *Collector) take(r *http.Request) error {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		return fmt.Errorf("%s %s of %q", r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = z
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var m collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(b, &m); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers, c.bodies = append(c.headers, r.Header), append(c.bodies, b)
	for _, of := range m.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, spanOf(s, attributes(of.Resource.GetAttributes())))
			}
		}
	}
	return nil
}

func spanOf(s *otlp.Span, resource map[string]string) Span {
	return Span{
		Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId), Parent: hex.EncodeToString(s.ParentSpanId), Name: s.Name,
		Kind: int(s.Kind), Status: int(s.Status.GetCode()), Text: s.Status.GetMessage(),
		Begin: time.Unix(0, int64(s.StartTimeUnixNano)), End: time.Unix(0, int64(s.EndTimeUnixNano)),
		Attributes: attributes(s.Attributes), Resource: resource, More: len(s.Events) + len(s.Links) + len(s.TraceState),
	}
}

func attributes(all []*common.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range all {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			m[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			m[a.Key] = fmt.Sprint(v.IntValue)
		default:
			m[a.Key] = a.Value.String()
		}
	}
	return m
}

// Spans returns all spans so far, those that begin first first.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.spans)
	slices.SortStableFunc(all, func(a, b Span) int { return a.Begin.Compare(b.Begin) })
	return all
}

// Of returns the spans about a job.
func (c *Collector) Of(job string) (all []Span) {
	for _, s := range c.Spans() {
		if s.Attributes["platen.job.id"] == job {
			all = append(all, s)
		}
	}
	return all
}

// Headers returns the headers of the requests so far, Bodies their bodies.
func (c *Collector) Headers() []http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.headers)
}

// Bodies returns the bodies of the requests so far.
func (c *Collector) Bodies() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bodies)
}
