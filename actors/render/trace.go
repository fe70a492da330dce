package render

import (
	"context"
	"time"

	"platen.dev/events"
	"platen.dev/events/tracing"
)

// traced is an attempt as its spans see it.
type traced struct {
	// below is where the job belongs; zero if it is not traced.
	below events.Trace
	// queued is when the job was queued last; zero if the node that offered it did not say.
	queued events.Instant
	// begun is when the attempt was created, by the node's clock.
	begun time.Time
	// span is the attempt's span, which starts once the attempt has everything it needs.
	span *tracing.Span
	// told is set once the attempt has an outcome to report.
	told bool
}

// phase runs a part of the attempt that has a span.
func (w *work) phase(ctx context.Context, name tracing.Name, do func() error) error {
	if w.cfg.Traces == nil || !w.traced.below.Sampled {
		return do()
	}
	begin := w.cfg.Now()
	if w.traced.span == nil {
		w.beginTrace(begin)
	}
	span := w.span(w.traced.span.Trace(), name, begin)
	err := do()
	f := w.facts()
	f.Failed = err != nil
	if fault := w.faultOf(err); fault != nil && ctx.Err() == nil {
		f.Code = fault.Code
	}
	if name == tracing.Render && err == nil {
		w.traceBrowser(span.Trace())
	}
	span.End(w.cfg.Now(), f)
	return err
}

// beginTrace makes the span of the time in the queue, and begins that of the attempt.
func (w *work) beginTrace(at time.Time) {
	queued := w.accepted
	if w.traced.queued > 0 {
		queued = w.traced.queued.Time()
	}
	w.span(w.traced.below, tracing.Queue, queued).End(at, w.facts())
	w.traced.span = w.span(w.traced.below, tracing.Attempt, at)
}

// traceBrowser makes spans from what the browser reports about its work.
func (w *work) traceBrowser(below events.Trace) {
	if w.out.load+w.out.made == 0 { // a test job's sample needs no browser
		return
	}
	end := w.cfg.Now()
	loaded := end.Add(-w.out.made)
	w.span(below, tracing.Load, loaded.Add(-w.out.load)).End(loaded, w.facts())
	w.span(below, tracing.Make, loaded).End(end, w.facts())
}

// endTrace ends the span of the attempt. It is called when no step is under way.
func (w *work) endTrace() {
	if w.traced.span == nil {
		w.traced.span = w.span(w.traced.below, tracing.Attempt, w.traced.begun)
	}
	f := w.facts()
	f.Code, f.Failed, f.Bytes, f.Pages = w.report.Code, !w.traced.told, w.file.Size, w.file.Pages
	w.traced.span.End(w.cfg.Now(), f)
}

func (w *work) span(below events.Trace, name tracing.Name, begin time.Time) *tracing.Span {
	return w.cfg.Traces.Span(below, name, begin)
}

// facts returns the facts common to all spans of the attempt.
func (w *work) facts() tracing.Facts {
	return tracing.Facts{Job: w.job, Partition: w.content.Partition, Operation: w.submission.Operation, Lane: w.lane}
}
