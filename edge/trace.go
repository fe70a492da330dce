package edge

import (
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/events/tracing"
)

const traceparentHeader = "Traceparent"

// tracedRequest is a request that submits a job, as its span sees it.
type tracedRequest struct {
	// trace is the context of the job's spans; zero if the request is not traced.
	trace events.Trace
	span  *tracing.Span
	facts tracing.Facts
}

// traceOf begins the span of an account's request. Requests without a valid key make no spans.
func (s *submissions) traceOf(ctx *fasthttp.RequestCtx, op *request.Operation, account events.AccountID) (t tracedRequest) {
	if s.cfg.Traces == nil {
		return t
	}
	begin := s.cfg.Now().Add(-time.Since(ctx.Time()))
	t.trace, t.span = s.cfg.Traces.Request(ctx.Request.Header.PeekAll(traceparentHeader), begin)
	t.facts = tracing.Facts{Partition: events.Partition(account, s.cfg.Partitions), Operation: op.Name, Bytes: int64(len(ctx.PostBody()))}
	return t
}

// traced ends the span of a request.
func (s *submissions) traced(ctx *fasthttp.RequestCtx, t tracedRequest, job events.JobID, wrong *problem) {
	if t.span == nil {
		return
	}
	t.facts.Job, t.facts.Status = job, ctx.Response.StatusCode()
	if wrong != nil {
		t.facts.Status, t.facts.Code = wrong.status, events.ErrorCode(wrong.code)
		t.facts.Failed = true // a validation error has only its status
	}
	t.span.End(s.cfg.Now(), t.facts)
}
