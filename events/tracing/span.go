package tracing

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"platen.dev/events"
)

// Name says what a span is about.
type Name string

// The names. Below Request are Decide, a Queue and an Attempt for each attempt, then a Deliver and a Webhook for each attempt at those.
const (
	// Request is from the head of a request that submits a job to its response.
	Request Name = "request"
	// Decide is from the decision of the account until it can no longer get lost.
	Decide Name = "decide"
	// Queue is from when the job was queued until an attempt has everything it needs to begin.
	Queue Name = "queue"
	// Attempt follows, until the outcome is reported.
	Attempt Name = "attempt"
	// Render is the work of the browser; within it, Load is loading the page and Make printing or capturing it.
	Render Name = "render"
	Load   Name = "load"
	Make   Name = "make"
	// Finish is the work on the file without a browser, Store making it durable.
	Finish Name = "finish"
	Store  Name = "store"
	// Deliver is an attempt to upload the file, Webhook one to report the outcome.
	Deliver Name = "deliver"
	Webhook Name = "webhook"
)

// kinds are the kinds of spans; the others are internal.
var kinds = map[Name]trace.SpanKind{Request: trace.SpanKindServer, Deliver: trace.SpanKindClient, Webhook: trace.SpanKindClient}

// Facts holds a span's attributes. Zero fields are omitted.
type Facts struct {
	Job       events.JobID
	Partition int32 // included even if it is zero
	Operation events.Operation
	Lane      events.Lane // for Queue and Attempt only
	// Number is the number of an attempt to deliver or report, from 1.
	Number int
	// Status is the HTTP response's status.
	Status int
	// Code is why it did not succeed, one of a fixed list (docs/ERRORS.md).
	Code events.ErrorCode
	// Failed says that it did not succeed, if there is no Code.
	Failed bool
	// Bytes is the size of the request, of the file or of the message.
	Bytes int64
	Pages int
}

// Span is something under way. A nil Span is not recorded.
type Span struct {
	name  Name
	span  trace.Span
	begin time.Time
}

// Trace returns the place of work below the span; zero for a nil Span.
func (s *Span) Trace() events.Trace {
	if s == nil {
		return events.Trace{}
	}
	c := s.span.SpanContext()
	return events.Trace{ID: events.TraceID(c.TraceID()), Span: events.SpanID(c.SpanID()), Sampled: true}
}

// Below returns the place of work within the span. For a nil Span, whose parent would have been parent, it is parent.
func (s *Span) Below(parent events.Trace) events.Trace {
	if s == nil {
		return parent
	}
	return s.Trace()
}

// End ends the span. Only the first call does anything. The span may have begun by the clock of another node: it never ends before its beginning.
func (s *Span) End(at time.Time, f Facts) {
	if s == nil {
		return
	}
	s.span.SetAttributes(f.attributes(s.name)...)
	if f.Failed || f.Code != "" {
		s.span.SetStatus(codes.Error, "")
	}
	if at.Before(s.begin) {
		at = s.begin
	}
	s.span.End(trace.WithTimestamp(at))
}

// attributes returns the facts under their standard names, where the standard has one.
func (f Facts) attributes(name Name) []attribute.KeyValue {
	all := []attribute.KeyValue{attribute.Int("platen.partition", int(f.Partition))}
	text := func(key, value string) {
		if value != "" {
			all = append(all, attribute.String(key, value))
		}
	}
	number := func(key string, value int64) {
		if value != 0 {
			all = append(all, attribute.Int64(key, value))
		}
	}
	if f.Job != (events.JobID{}) {
		text("platen.job.id", f.Job.String())
	}
	if name == Queue || name == Attempt {
		text("platen.lane", f.Lane.String())
	}
	text("platen.operation", string(f.Operation))
	text("error.type", string(f.Code))
	number("platen.number", int64(f.Number))
	number("http.response.status_code", int64(f.Status))
	number("platen.bytes", f.Bytes)
	number("platen.pages", int64(f.Pages))
	return all
}
