package edge

import (
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/projections"
)

// waiting are the requests that wait for the end of their jobs. Each costs its connection and an
// entry here.
type waiting struct {
	mu   sync.Mutex
	jobs map[events.JobID][]chan struct{}
}

// add adds a request. ended is closed when its job has ended after add was called; stop removes it.
func (w *waiting) add(id events.JobID) (ended <-chan struct{}, stop func()) {
	c := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.jobs == nil {
		w.jobs = map[events.JobID][]chan struct{}{}
	}
	w.jobs[id] = append(w.jobs[id], c)
	return c, func() { w.remove(id, c) }
}

func (w *waiting) remove(id events.JobID, c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var left []chan struct{}
	for _, other := range w.jobs[id] {
		if other != c {
			left = append(left, other)
		}
	}
	if w.jobs[id] = left; len(left) == 0 {
		delete(w.jobs, id)
	}
}

// end tells the requests that wait for a job.
func (w *waiting) end(id events.JobID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.jobs[id] {
		close(c)
	}
	delete(w.jobs, id)
}

// Folded tells the server what the read models of a partition have just taken in. It does not
// block, and must be told of everything from before the first request.
func (s *Server) Folded(p projections.Progress) {
	for _, step := range p.Steps {
		e, ok := step.Entry.(events.Envelope)
		if !ok || !step.Accepted {
			continue
		}
		for _, ev := range e.Events {
			switch ev := ev.(type) {
			case events.JobDone:
				s.waiting.end(ev.Job)
			case events.JobFailed:
				s.waiting.end(ev.Job)
			}
		}
	}
}

// await holds a request until its job has ended, and answers with the file. A job that takes too
// long is cancelled.
func (s *Server) await(ctx *fasthttp.RequestCtx, account events.AccountID, id events.JobID, r request.Request) *problem {
	ended, stop := s.waiting.add(id)
	defer stop()
	ctx.Response.Header.Set(s.cfg.HeaderPrefix+"-Job-Id", id.String())
	if f, wrong := s.result(account, id); f.job.Finished != 0 || wrong != nil {
		return s.answer(ctx, f, wrong, r)
	}
	late := time.NewTimer(time.Until(ctx.Time().Add(s.timeouts.wait)))
	defer late.Stop()
	select {
	case <-ended:
	case <-s.draining:
		return nodeStops.about(id)
	case <-late.C:
		if wrong := s.giveUp(account, id); wrong != nil {
			return wrong.about(id)
		}
	}
	f, wrong := s.result(account, id)
	return s.answer(ctx, f, wrong, r)
}

// giveUp cancels a job that is late, and has its request forgotten. It returns nil if the job has
// just ended and can be read.
func (s *Server) giveUp(account events.AccountID, id events.JobID) *problem {
	reply, err := s.cfg.Commands.Do(account, events.CancelJob{Job: id, Forget: true})
	switch {
	case err != nil:
		return unavailable
	case reply.Code == events.Accepted:
		return syncTimeout
	case s.catchUp(account) != nil:
		return unavailable
	}
	return nil
}

// result reads a job that may not be known yet.
func (s *Server) result(account events.AccountID, id events.JobID) (found, *problem) {
	job, _, err := s.cfg.Models.Job(account, id)
	if err != nil {
		s.cfg.Logger.Error("read job", "job", id.String(), "error", err)
		return found{}, internalError
	}
	return found{account, id, job}, nil
}

// answer sends the file of a job that has ended, as the first of its downloads.
func (s *Server) answer(ctx *fasthttp.RequestCtx, f found, wrong *problem, r request.Request) *problem {
	if wrong == nil && f.job.Status == events.StatusFailed {
		wrong = jobFailed(f.job.Error)
	}
	if wrong == nil {
		wrong = s.downloadable(f.job, false)
	}
	if wrong == nil {
		wrong = s.send(ctx, f)
	}
	if wrong != nil {
		return wrong.about(f.id)
	}
	if text := warning(r.Invoice); text != "" {
		ctx.Response.Header.Set(s.cfg.HeaderPrefix+"-Warning", text)
	}
	return nil
}

// about is the problem with the id of the job that it is about.
func (p problem) about(id events.JobID) *problem {
	p.job = id
	return &p
}

// cancel ends a job that has not ended.
func (s *Server) cancel(ctx *fasthttp.RequestCtx, text string) *problem {
	f, wrong := s.find(ctx, text, false)
	if wrong != nil {
		return wrong
	}
	reply, err := s.cfg.Commands.Do(f.account, events.CancelJob{Job: f.id})
	switch {
	case err != nil:
		return unavailable
	case reply.Code != events.Accepted:
		return s.refusal(reply)
	}
	ctx.SetStatusCode(200)
	ctx.SetContentType(jsonType)
	ctx.SetBodyString(`{"job_id":"` + f.id.String() + `","status":"failed","detail":"Job cancelled"}`)
	return nil
}
