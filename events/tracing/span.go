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

// The names. Below Request are Decide, and for each attempt Queue and Attempt, then Deliver and
// Webhook for each attempt at them.
const (
	// Request is from the head of a request that submits a job to its response.
	Request Name = "request"
	// Decide is from the decision of the account until it can no longer get lost.
	Decide Name = "decide"
	// Queue is from when the job was queued until an attempt has what it needs to begin.
	Queue Name = "queue"
	// Attempt follows, until the outcome is reported.
	Attempt Name = "attempt"
	// Render is the work of the browser, and of it Load is loading the page and Make printing or capturing it.
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

// Facts holds what a span says besides its name and times. A field that is zero is not said.
type Facts struct {
	Job       events.JobID
	Partition int32 // said even if it is zero
	Operation events.Operation
	Lane      events.Lane // said of Queue and Attempt
	// Number is that of an attempt to deliver or report, from 1.
	Number int
	// Status is that of the HTTP response.
	Status int
	// Code is why there was no success, one of a fixed list (docs/ERRORS.md).
	Code events.ErrorCode
	// Failed says that there was no success, if there is no Code.
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

// Trace is where something belongs that is below the span; zero of a nil Span.
func (s *Span) Trace() events.Trace {
	if s == nil {
		return events.Trace{}
	}
	c := s.span.SpanContext()
	return events.Trace{ID: events.TraceID(c.TraceID()), Span: events.SpanID(c.SpanID()), Sampled: true}
}

// Below is where something belongs that is done within the span; of a nil Span, which would have been below parent, that is
// parent.
func (s *Span) Below(parent events.Trace) events.Trace {
	if s == nil {
		return parent
	}
	return s.Trace()
}

// End ends the span. Only the first call does anything. The span may have begun by the clock of
// another node: it does not end before that.
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

// attributes are the facts by the names that the standard has for them, if it has one.
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
