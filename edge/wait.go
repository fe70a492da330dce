package edge

import (
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
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

// Folded tells the server what the read models of a partition have just folded. It does not block, and must be called
// from before the first request on.
func (s *Server) Folded(p projections.Progress) {
	if s.dashboard != nil {
		s.dashboard.Folded(p)
	}
	p.Events(func(ev events.Event) {
		switch ev := ev.(type) {
		case events.JobDone:
			s.submissions.waiting.end(ev.Job)
		case events.JobFailed:
			s.submissions.waiting.end(ev.Job)
		}
	})
}

// waited marks a request that waited, waitedRoute ends its route in metrics.
type waited struct{}

const waitedRoute = " wait"

// await holds a request until its job has ended, and responds with the file. It cancels a job that takes too long. The
// request that made the job uses the first of the file's downloads; a repetition starts another.
func (s *submissions) await(ctx *fasthttp.RequestCtx, p placed) *problem {
	f := p.found
	ended, stop := s.waiting.add(f.id)
	defer stop()
	ctx.SetUserValue(waited{}, true)
	ctx.Response.Header.Set(s.cfg.HeaderPrefix+"-Job-Id", f.id.String())
	wrong := s.untilEnded(ctx, &f, ended)
	if wrong == nil {
		wrong = s.answer(ctx, f, p.replayed)
	}
	if wrong != nil {
		return wrong.about(f.id)
	}
	if p.warning != "" {
		ctx.Response.Header.Set(s.cfg.HeaderPrefix+"-Warning", p.warning)
	}
	return nil
}

// untilEnded waits for the end of a job and reads it.
func (s *submissions) untilEnded(ctx *fasthttp.RequestCtx, f *found, end <-chan struct{}) *problem {
	if wrong := s.reread(f); wrong != nil || ended(f.job.Status) {
		return wrong
	}
	late := time.NewTimer(time.Until(ctx.Time().Add(s.limit)))
	defer late.Stop()
	select {
	case <-end:
	case <-s.draining:
		return nodeStops
	case <-late.C:
		if wrong := s.giveUp(f.account, f.id); wrong != nil {
			return wrong
		}
	}
	return s.reread(f)
}

// giveUp cancels a job that is late, and has its request forgotten. It returns nil if the job has
// just ended and can be read.
func (s *submissions) giveUp(account events.AccountID, id events.JobID) *problem {
	err := s.cfg.Jobs.Abandon(service.Program(account), id)
	switch {
	case err == nil:
		return syncTimeout
	case service.CodeOf(err) == "", s.cfg.Fresh.Account(account) != nil:
		return notCancelled
	}
	return nil
}

// reread reads a job that may not be known yet.
func (s *submissions) reread(f *found) (wrong *problem) {
	var err error
	if f.job, _, err = s.cfg.Models.Job(f.account, f.id); err != nil {
		return s.unreadable("read job", err, "job", f.id.String())
	}
	return nil
}

// answer sends the file of a job that has ended.
func (s *submissions) answer(ctx *fasthttp.RequestCtx, f found, replayed bool) *problem {
	if f.job.Status == events.StatusFailed {
		return jobFailed(f.job)
	}
	if wrong := s.downloadable(f.job, false); wrong != nil {
		return wrong
	}
	if replayed {
		return s.send(ctx, f.by(), f)
	}
	file, size, wrong := s.open(ctx, f)
	if wrong != nil {
		return wrong
	}
	describe(ctx, f.id, f.job)
	ctx.SetBodyStream(s.streamOf(ctx.Conn(), file, size, f.id, func() {}), int(size))
	return nil
}

// about is the problem with the id of the job that it is about.
func (p problem) about(id events.JobID) *problem {
	p.job = id
	return &p
}

// cancel ends a job that has not ended.
func (s *jobs) cancel(ctx *fasthttp.RequestCtx, text string) *problem {
	f, wrong := s.find(ctx, text, false)
	if wrong != nil {
		return wrong
	}
	if wrong := s.answered(f.id, s.cfg.Jobs.Cancel(f.by(), f.id)); wrong != nil {
		return wrong
	}
	ctx.SetStatusCode(200)
	ctx.SetContentType(jsonType)
	ctx.SetBodyString(`{"job_id":"` + f.id.String() + `","status":"failed","detail":"Job cancelled"}`)
	return nil
}
