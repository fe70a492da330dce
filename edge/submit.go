package edge

import (
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/request"
	"platen.dev/edge/transport"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// submissions has the endpoints that make jobs.
type submissions struct {
	*jobs
	turns    *transport.Turns
	waiting  waiting
	limit    time.Duration // of a waiting request
	draining <-chan struct{}
}

const replayedHeader = "Idempotent-Replayed"

// submit accepts a job. The order of the checks is part of the API (docs/API.md,
// Submitting): key and rate, encoding, form, plan, content; the account decides the rest.
func (s *submissions) submit(ctx *fasthttp.RequestCtx, op *request.Operation) *problem {
	caller, wrong := s.enterWithBody(ctx)
	if wrong != nil {
		return wrong
	}
	t := s.traceOf(ctx, op, caller.Account)
	p, wrong := s.place(ctx, op, caller, t.trace)
	if wrong == nil {
		wrong = s.accepted(ctx, p)
	}
	s.traced(ctx, t, p.id, wrong)
	return wrong
}

// accepted responds to a request whose job was accepted.
func (s *submissions) accepted(ctx *fasthttp.RequestCtx, p placed) *problem {
	if p.replayed {
		ctx.Response.Header.Set(replayedHeader, "true")
	}
	if p.wait {
		s.leave(ctx)
		return s.await(ctx, p)
	}
	created(ctx, p.id, p.warning) // the same request makes the same detail
	return nil
}

// placed is a job that was accepted, or that an earlier request had made.
type placed struct {
	found
	replayed bool
	wait     bool
	// warning is a warning to the caller about the job; "" for none.
	warning string
}

// place submits the job that a request asks for. The result does not retain the request's content.
func (s *submissions) place(ctx *fasthttp.RequestCtx, op *request.Operation, caller projections.Caller, trace events.Trace) (p placed, wrong *problem) {
	wrong = s.read(op, caller.Account, sent(ctx), func(w *transport.Work, r request.Request) *problem {
		p, wrong = s.enqueue(w, r, caller, trace, service.Program(caller.Account))
		return wrong
	})
	return p, wrong
}

// enqueue submits the job of a valid request.
func (s *submissions) enqueue(w *transport.Work, r request.Request, caller projections.Caller, trace events.Trace, by service.Principal) (p placed, wrong *problem) {
	if gate, missing := r.Gates.FirstMissing(caller.Plan); missing {
		return p, planRequired(gate.Path, events.Plan(gate.Plan), s.cfg.UpgradeURL)
	}
	job := events.NewJobID()
	content, wrong := s.prepare(w, caller, job, r)
	if wrong != nil {
		return p, wrong
	}
	submission := s.submitJob(job, caller.Key, r, content)
	submission.Trace = trace
	if wrong := s.foresee(caller.Account, submission.SubmitJob); wrong != nil {
		return p, wrong
	}
	if r.Large {
		if wrong := s.detach(w, &submission); wrong != nil {
			return p, wrong
		}
	}
	reply, wrong := s.do(submission, by)
	if wrong != nil {
		return p, wrong
	}
	p = placed{found: found{account: caller.Account, id: job}, wait: r.Wait, warning: warning(r.Invoice)}
	if p.replayed = reply.Code == events.Replayed && reply.Job != nil; p.replayed {
		p.id = *reply.Job
		s.discard(submission.Content)
	}
	return p, nil
}

// foresee refuses a job that has no chance before it costs room in the log. What refuses it must
// hold once everything is read that was durable when the request came: a job that has ended by
// then makes room for another.
func (s *submissions) foresee(account events.AccountID, job events.SubmitJob) *problem {
	if s.cfg.Room() != nil {
		return unavailable.with("The service is short of storage and accepts no new jobs at present; accepted jobs continue. Try again later.").after(noRoomSeconds)
	}
	if _, refused := s.cfg.Foresee(account, job); !refused {
		return nil
	}
	if s.cfg.Fresh.Account(account) != nil {
		return nil // the account decides
	}
	if reply, refused := s.cfg.Foresee(account, job); refused {
		return s.refusal(reply)
	}
	return nil
}

// noRoomSeconds is when to try again after a job was refused for lack of storage.
const noRoomSeconds = 30

// sent returns the parts of a client's request.
func sent(ctx *fasthttp.RequestCtx) request.Sent {
	h := &ctx.Request.Header
	return request.Sent{Body: ctx.PostBody(), ContentType: string(h.ContentType()), Keys: h.PeekAll(request.IdempotencyHeader)}
}

// read reads a request of an operation and passes it to do. If the request is refused, the account must rest from large content, whichever face it used.
func (s *submissions) read(op *request.Operation, account events.AccountID, sent request.Sent, do func(*transport.Work, request.Request) *problem) (wrong *problem) {
	w := s.turns.Begin(account)
	defer func() { w.End(wrong != nil) }()
	r, wrong := s.decode(w, op, sent)
	if wrong != nil {
		return wrong
	}
	return do(w, r)
}

// decode decodes a request and refuses options that exclude one another.
func (s *submissions) decode(w *transport.Work, op *request.Operation, sent request.Sent) (request.Request, *problem) {
	defer w.Take(len(sent.Body))()
	r, violations := op.Decode(sent, s.cfg.Documents.Placeholders)
	if len(violations) > 0 {
		return r, invalidRequest(violations)
	}
	return r, conflict(r.Body)
}

// conflict refuses options that exclude one another, on every plan (docs/API.md, E-invoices).
func conflict(b request.Body) *problem {
	switch {
	case b.Template != nil && b.TemplateID != "":
		return optionsConflict.with("EINVOICE_OPTIONS_CONFLICT: send template or template_id, not both.")
	case b.Invoice != nil && b.PDF != nil && (b.PDF.Password != "" || b.PDF.Print.Compression != nil):
		return optionsConflict.with("EINVOICE_OPTIONS_CONFLICT: an e-invoice is a PDF/A-3 file, which can be neither encrypted nor compressed; " +
			"leave options.user_password and options.compression out.")
	case b.Invoice != nil && b.PDF != nil && (b.PDF.OwnerPassword != "" || b.PDF.Print.Denied != nil):
		return optionsConflict.with("EINVOICE_OPTIONS_CONFLICT: an e-invoice is a PDF/A-3 file, which cannot be encrypted; " +
			"leave options.owner_password and options.permissions out.")
	case b.Invoice != nil && b.PDF != nil && b.PDF.Print.PDFA == contract.Archive2B:
		return optionsConflict.with("EINVOICE_OPTIONS_CONFLICT: an e-invoice is a PDF/A-3 file, since part 2 allows no XML in it; " +
			"leave options.pdfa out, or send 3b.")
	}
	return nil
}

func (s *submissions) submitJob(job events.JobID, key events.KeyID, r request.Request, content events.Content) events.Submission {
	keyed := r.Idempotency()
	if keyed != nil {
		keyed.Fingerprint = s.cfg.Fingerprint(keyed.Fingerprint)
	}
	return events.Submission{Content: content, SubmitJob: events.SubmitJob{
		Job: job, Key: key, Operation: r.Operation, Test: r.Test,
		Webhook: s.cfg.Seal(job, r.Webhook), Requires: r.Gates.Required(), Idempotency: keyed, Waits: r.Wait, Tags: r.Tags,
	}}
}

// do sends a job to its account and returns the reply that accepts or replays it.
func (s *submissions) do(job events.Submission, by service.Principal) (events.Reply, *problem) {
	reply, err := s.cfg.Jobs.Submit(by, job)
	if service.CodeOf(err) != "" {
		s.discard(job.Content)
	}
	switch {
	case errors.Is(err, eventlog.ErrTooLarge):
		return reply, contentTooLarge.with("payload-too-large-for-queue: the request does not fit the processing queue.")
	case service.CodeOf(err) == events.PlanRequired: // the plan has changed since the key was looked up
		return reply, planRequired("this request", job.Requires, s.cfg.UpgradeURL)
	}
	return reply, s.answered(job.Job, err)
}

// refusal is the problem of a reply that refuses a command.
func (s *jobs) refusal(reply events.Reply) *problem {
	p, known := refusals[reply.Code]
	if !known {
		s.cfg.Logger.Error("unexpected refusal", "code", string(reply.Code))
		p = internalError
	}
	if reply.Concurrency != nil {
		p = limitReached(*reply.Concurrency, s.cfg.UpgradeURL)
	}
	if p == quotaExceeded {
		p = usedUp(s.cfg.UpgradeURL)
	}
	return p.after(reply.RetryAfter)
}

// created writes a JobCreatedResponse.
func created(ctx *fasthttp.RequestCtx, job events.JobID, warning string) {
	detail := "Job queued"
	if warning != "" {
		detail += ". Warning: " + warning
	}
	ctx.SetStatusCode(202)
	ctx.SetContentType(jsonType)
	ctx.SetBodyString(`{"job_id":"` + job.String() + `","status":"queued","detail":"` + detail + `"}`)
}

// warning returns what the caller should know about a job although it is accepted; "" for nothing.
func warning(invoice *request.Invoice) string {
	if invoice == nil || contract.CompleteInvoice(invoice.Profile) {
		return ""
	}
	return "an invoice of the profile " + invoice.Profile + " is not a complete legal invoice"
}

// prepare makes the content of a job out of a request.
func (s *submissions) prepare(w *transport.Work, caller projections.Caller, job events.JobID, r request.Request) (events.Content, *problem) {
	c, wrong := s.content(w, job, r)
	if wrong == nil && r.Operation == events.EInvoiceToPDF {
		c.Invoice.Template, wrong = s.template(caller.Account, r)
	}
	if wrong != nil || r.Large {
		return c, wrong
	}
	return c, queued(c)
}
