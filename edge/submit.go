package edge

import (
	"errors"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// submit accepts a job. The checks are in the order of decisions.md, Errors: key
// and rate, then body and schema, plan gates, content; the account decides the rest.
func (s *Server) submit(ctx *fasthttp.RequestCtx, op operation) {
	caller, ok := s.enter(ctx)
	if !ok {
		return
	}
	body, violations := op.body.Decode(ctx.PostBody())
	key, wrongKey := idempotencyKey(&ctx.Request.Header)
	violations = append(violations, wrongKey...)
	if template, ok := fields(body).object("template"); ok {
		violations = append(violations, checkPlaceholders(template, []any{"body", "template"}, s.cfg.Documents.Placeholders)...)
	}
	if len(violations) > 0 {
		s.invalid(ctx, violations)
		return
	}
	if wrong := conflict(body); wrong != nil {
		s.fail(ctx, *wrong)
		return
	}
	least := s.planOf(ctx, caller, op.body.Gates(body))
	if least == refusedPlan {
		return
	}
	job := events.NewJobID()
	content, wrong := s.content(op, job, body)
	if wrong == nil && op.name == events.EInvoiceToPDF {
		wrong = s.resolveTemplate(caller, body, content.Invoice)
	}
	if wrong != nil {
		s.fail(ctx, *wrong)
		return
	}
	s.accept(ctx, caller, events.Submission{Content: content, SubmitJob: events.SubmitJob{
		Job: job, Key: caller.Key, Operation: op.name, Test: fields(body).flag("test", false),
		Webhook: fields(body).text("webhook_url"), Requires: least, Idempotency: idempotencyOf(ctx, key, body),
	}})
}

// conflict says which options exclude one another, on every plan (api-spec.md, E-invoice option).
func conflict(f fields) *problem {
	options, _ := f.object("options")
	switch {
	case f["template"] != nil && f["template_id"] != nil:
		p := optionsConflict.with("EINVOICE_OPTIONS_CONFLICT: send template or template_id, not both.")
		return &p
	case f["einvoice"] != nil && (options["user_password"] != nil || options["compression"] != nil):
		p := optionsConflict.with("EINVOICE_OPTIONS_CONFLICT: an e-invoice is a PDF/A-3 file, which can be neither encrypted nor compressed; leave options.user_password and options.compression out.")
		return &p
	}
	return nil
}

// refusedPlan is what planOf gives for a refused request; no plan has that name.
const refusedPlan events.Plan = "refused"

// planOf gives the smallest plan that has all gated fields of a request, or answers
// 402 for the first that the caller's plan does not have.
func (s *Server) planOf(ctx *fasthttp.RequestCtx, caller projections.Caller, gates []schema.Gate) (least events.Plan) {
	for _, gate := range gates {
		plan := events.Plan(gate.Plan)
		if !caller.Plan.Includes(plan) {
			s.fail(ctx, planRequired(gate.Path, plan, s.cfg.UpgradeURL))
			return refusedPlan
		}
		if !least.Includes(plan) {
			least = plan
		}
	}
	return least
}

func (s *Server) accept(ctx *fasthttp.RequestCtx, caller projections.Caller, job events.Submission) {
	reply, err := s.cfg.Commands.Do(caller.Account, job)
	switch {
	case errors.Is(err, eventlog.ErrTooLarge):
		s.fail(ctx, contentTooLarge.with("payload-too-large-for-queue: the request does not fit the processing queue."))
	case err != nil:
		s.cfg.Logger.Warn("command without reply", "job", job.Job.String(), "error", err)
		s.fail(ctx, unavailable)
	case reply.Code == events.Accepted:
		created(ctx, job.Job, job.Content)
	case reply.Code == events.Replayed && reply.Job != nil:
		ctx.Response.Header.Set(replayedHeader, "true")
		created(ctx, *reply.Job, job.Content) // the same request makes the same detail
	case reply.Code == events.PlanRequired: // the plan has changed since the key was looked up
		s.fail(ctx, planRequired("this request", job.Requires, s.cfg.UpgradeURL))
	default:
		s.refuse(ctx, reply)
	}
}

// created answers with a JobCreatedResponse.
func created(ctx *fasthttp.RequestCtx, job events.JobID, c events.Content) {
	detail := "Job queued"
	if c.Invoice != nil && incomplete[c.Invoice.Profile] {
		detail += ". Warning: an invoice of the profile " + c.Invoice.Profile + " is not a complete legal invoice"
	}
	ctx.SetStatusCode(202)
	ctx.SetContentType("application/json")
	ctx.SetBodyString(`{"job_id":"` + job.String() + `","status":"queued","detail":"` + detail + `"}`)
}

func (s *Server) refuse(ctx *fasthttp.RequestCtx, reply events.Reply) {
	p, known := refusals[reply.Code]
	if !known {
		s.cfg.Logger.Error("unforeseen refusal", "code", string(reply.Code))
		p = internalError
	}
	s.fail(ctx, p.after(reply.RetryAfter))
}
