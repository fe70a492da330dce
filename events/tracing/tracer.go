// Package tracing makes the spans of jobs and sends them to a collector, by OTLP over HTTP. A trace
// begins with the request that submits a job and ends with its webhook. Each node makes the spans of
// its own work; their place in the trace travels with the job (events.Trace).
//
// A span can say only the fields of Facts: nothing written by callers, no address, and no error
// text.
package tracing

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"platen.dev/events"
)

// Config says where spans go, and which.
type Config struct {
	// Endpoint is the collector's URL. /v1/traces is added to its path.
	Endpoint *url.URL
	// Headers go with every request to the collector.
	Headers map[string]string
	// TLS is for https; nil means the system's.
	TLS *tls.Config
	// Sample is the share of requests whose traces are recorded, 0 to 1. A request that belongs to a
	// trace is recorded if the client records it.
	Sample float64
	// Node and Version are attributes of every span.
	Node    events.NodeID
	Version string
	Logger  *slog.Logger
}

const (
	// most is how many spans may wait to be sent, and batch how many are sent at once.
	most  = 4096
	batch = 512
	// every is how long a span waits for others to be sent with.
	every = time.Second
	// patience is how long sending a batch is retried, and flushing the most that Close takes.
	patience = 10 * time.Second
	flushing = 5 * time.Second
)

// Tracer makes spans. Its methods are safe for concurrent use; only Close waits. A nil Tracer makes
// none, ignores clients' traces, and costs nothing.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	queue    *queue
	sample   float64
}

// Start begins to send spans. The collector need not be there yet.
func Start(cfg Config) (*Tracer, error) {
	options := []otlptracehttp.Option{
		otlptracehttp.WithEndpointURL(cfg.Endpoint.JoinPath("v1/traces").String()), otlptracehttp.WithHeaders(cfg.Headers),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression), otlptracehttp.WithTimeout(patience),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: every, MaxInterval: patience, MaxElapsedTime: patience}),
	}
	if cfg.TLS != nil {
		options = append(options, otlptracehttp.WithTLSClientConfig(cfg.TLS))
	}
	exporter, err := otlptracehttp.New(context.Background(), options...)
	if err != nil {
		return nil, fmt.Errorf("OTLP: %w", err)
	}
	return start(cfg, exporter), nil
}

// start begins to give spans to an exporter.
func start(cfg Config, to sdk.SpanExporter) *Tracer {
	t := &Tracer{sample: cfg.Sample, queue: &queue{}}
	t.queue.SpanProcessor = sdk.NewBatchSpanProcessor(&counted{to, t.queue, cfg.Logger},
		sdk.WithMaxQueueSize(most), sdk.WithMaxExportBatchSize(batch), sdk.WithBatchTimeout(every), sdk.WithExportTimeout(patience))
	t.provider = sdk.NewTracerProvider(sdk.WithSampler(sdk.AlwaysSample()), sdk.WithSpanProcessor(t.queue),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "platen"), attribute.String("service.version", cfg.Version), attribute.String("service.instance.id", string(cfg.Node)))))
	t.tracer = t.provider.Tracer("platen.dev")
	return t
}

// Close sends the spans that wait, within 5 seconds and until ctx ends.
func (t *Tracer) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushing)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("spans were not sent: %w", err)
	}
	return nil
}

// Request begins the span of a request that submits a job, and returns the job's place in the trace:
// zero if it is not traced. parents are the request's traceparent headers. Unless there is exactly one
// and it is valid, a new trace begins here.
func (t *Tracer) Request(parents [][]byte, begin time.Time) (events.Trace, *Span) {
	if t == nil {
		return events.Trace{}, nil
	}
	var parent events.Trace
	if len(parents) == 1 {
		parent, _ = events.ParseTraceparent(parents[0])
	}
	if !parent.IsZero() && !parent.Sampled || parent.IsZero() && rand.Float64() >= t.sample {
		return parent, nil // the client's trace continues
	}
	s := t.span(parent, Request, begin)
	return s.Trace(), s
}

// Span begins a span below another; nil if that is not recorded.
func (t *Tracer) Span(below events.Trace, name Name, begin time.Time) *Span {
	if t == nil || !below.Sampled {
		return nil
	}
	return t.span(below, name, begin)
}

func (t *Tracer) span(below events.Trace, name Name, begin time.Time) *Span {
	ctx := context.Background()
	if !below.IsZero() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID(below.ID), SpanID: trace.SpanID(below.Span), TraceFlags: trace.FlagsSampled, Remote: true,
		}))
	}
	_, span := t.tracer.Start(ctx, string(name), trace.WithTimestamp(begin), trace.WithSpanKind(kinds[name]))
	return &Span{name, span, begin}
}

// Figures counts the fates of this node's spans. The counts never decrease.
type Figures struct{ Sent, Dropped, Failed uint64 }

// Figures returns how many spans the collector has accepted, were dropped because too many waited,
// and could not be sent. All are zero for a nil Tracer.
func (t *Tracer) Figures() Figures {
	if t == nil {
		return Figures{}
	}
	return Figures{t.queue.sent.Load(), t.queue.dropped.Load(), t.queue.failed.Load()}
}
