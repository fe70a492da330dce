package edge

import (
	"errors"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/view"
)

// jobs has the endpoints about jobs that there are.
type jobs struct{ *front }

// found is a job of the caller's account.
type found struct {
	account events.AccountID
	id      events.JobID
	job     projections.Job
}

// find reads a job of the caller's account. If settled is set, and the job has not ended according to the read models,
// it is read again once they have caught up.
func (s *jobs) find(ctx *fasthttp.RequestCtx, text string, settled bool) (f found, wrong *problem) {
	caller, wrong := s.enter(ctx)
	if wrong != nil {
		return f, wrong
	}
	return s.findIn(caller.Account, text, settled)
}

// findIn finds a job of an account; see find.
func (s *jobs) findIn(account events.AccountID, text string, settled bool) (f found, wrong *problem) {
	id, err := events.ParseJobID(text)
	if err != nil { // unknown, malformed and foreign ids get the same response
		return f, noSuchJob
	}
	var known bool
	job, _, err := service.Lookup(s.cfg.Fresh, account, func() (job projections.Job, enough bool, err error) {
		job, known, err = s.cfg.Models.Job(account, id)
		return job, known && (!settled || ended(job.Status)), err
	})
	switch {
	case err != nil:
		return f, s.unreadable("read job", err, "job", id.String())
	case !known:
		return f, noSuchJob
	}
	return found{account, id, job}, nil
}

func ended(s events.Status) bool { return s == events.StatusDone || s == events.StatusFailed }

func (s *jobs) status(ctx *fasthttp.RequestCtx, text string) *problem {
	f, wrong := s.find(ctx, text, false)
	if wrong != nil {
		return wrong
	}
	ctx.SetStatusCode(200)
	ctx.SetContentType(jsonType)
	ctx.SetBody(view.AppendStatus(make([]byte, 0, 512), f.job))
	return nil
}

// by returns the principal of a request about the job by API key.
func (f found) by() service.Principal { return service.Program(f.account) }

// answered is the problem of an action about a job that was not done, nil if it was.
func (s *jobs) answered(job events.JobID, err error) *problem {
	var r *service.Refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r) && r.Code == service.RateLimited: // caused by members' actions
		return rateLimited.after(r.RetryAfter)
	case errors.As(err, &r):
		return s.refusal(r.Reply)
	}
	s.cfg.Logger.Warn("no reply to a command", "job", job.String(), "error", err)
	return unavailable
}
