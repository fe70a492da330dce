package tracing

import (
	"context"
	"log/slog"
	"sync/atomic"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// queue passes spans on to a processor that has room for most of them, and drops those for which there
// is no room: that processor would not say so.
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

// counted counts what an exporter makes of the spans of a queue.
type counted struct {
	sdk.SpanExporter
	queue *queue
	log   *slog.Logger
}

// ExportSpans implements sdk.SpanExporter. Its caller would write an error to the standard error.
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
