package tracing

import (
	"context"
	"log/slog"
	"sync/atomic"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// queue passes spans on to a processor that has room for most of them, and drops the rest: that
// processor would drop them silently.
type queue struct {
	sdk.SpanProcessor
	waiting               atomic.Int64
	sent, dropped, failed atomic.Uint64
}

// OnEnd implements sdk.SpanProcessor.
func (q *queue) OnEnd(s sdk.ReadOnlySpan) {
	if q.waiting.Add(1) > most {
		q.waiting.Add(-1)
		q.dropped.Add(1)
		return
	}
	q.SpanProcessor.OnEnd(s)
}

// counted counts an exporter's successes and failures with the spans of a queue.
type counted struct {
	sdk.SpanExporter
	queue *queue
	log   *slog.Logger
}

// ExportSpans implements sdk.SpanExporter. It returns no error, because its caller would write it
// to the standard error.
func (c *counted) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	if err != nil {
		c.queue.failed.Add(uint64(len(spans)))
		c.log.Warn("spans could not be sent", "spans", len(spans), "error", err)
	} else {
		c.queue.sent.Add(uint64(len(spans)))
	}
	c.queue.waiting.Add(-int64(len(spans)))
	return nil
}
