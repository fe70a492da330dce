package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
)

// Set is the pages that one job at a time works with. Usually they are a warm page that
// prints HTML, and beside it, opened when they are first needed, a page that captures HTML
// and a page for the next job that goes to a URL. A set of fresh pages has no warm page: it
// prints HTML on a page that is opened for the job and disposed of after it. Each page is
// alone in its browser context.
//
// One goroutine at a time, the holder, calls Print, Capture, Spoiled and Reset. Ended, Crashed, Shrink and
// Dispose may be called from any goroutine, while the holder is at work too.
type Set struct {
	// Fixed once the set is open.
	browser *chromium.Browser
	gate    *egress.Gate
	warm    *page // nil in a set of fresh pages
	yields  bool  // its renderers have the lowest priority in the browser

	// Owned by the holder.
	spoiled bool // a job failed on the warm page
	visited bool // the last job went to a URL

	// crashed means that the page beside the warm one crashed under the last job. Atomic,
	// because Crashed reads it while the holder may be at work.
	crashed atomic.Bool

	mu sync.Mutex // guards what follows, because Dispose may come while the holder is at work
	// capture and visit are ready for the next job that needs one, nil if there is none;
	// a page that is in use is its holder's. In a set of fresh pages, visit may be the one that did
	// the last job, until Reset or Follow.
	capture, visit *page
	disposed       bool
	renderers      []int // processes
}

// Open opens a set in a browser: its warm page now, the others when they are needed. Each
// page reaches the network through a proxy of its own behind the gate.
func Open(ctx context.Context, browser *chromium.Browser, gate *egress.Gate) (*Set, error) {
	return openWarm(ctx, &Set{browser: browser, gate: gate})
}

// OpenYielding opens a set like Open, but one that yields the processors to the browser's other sets.
func OpenYielding(ctx context.Context, browser *chromium.Browser, gate *egress.Gate) (*Set, error) {
	return openWarm(ctx, &Set{browser: browser, gate: gate, yields: true})
}

func openWarm(ctx context.Context, s *Set) (_ *Set, err error) {
	if s.warm, err = s.openMeasured(ctx, forPrinting); err != nil {
		return nil, err
	}
	return s, nil
}

// openMeasured opens a page and finds out which processes may render it.
func (s *Set) openMeasured(ctx context.Context, k kind) (p *page, err error) {
	pids, err := s.browser.NewRenderers(func() error {
		p, err = openPage(ctx, s.browser, s.gate, k)
		return err
	})
	for _, pid := range pids {
		if s.yields {
			chromium.Yield(pid)
		}
	}
	s.mu.Lock()
	ended := func(pid int) bool { return !s.browser.Renders(pid) }
	s.renderers = append(slices.DeleteFunc(s.renderers, ended), pids...) // those of pages that were disposed of end, and others may get their numbers
	s.mu.Unlock()
	return p, err
}

// Renderers returns the processes that render the pages of the set, or did. Those of fresh
// pages are all of the browser.
func (s *Set) Renderers() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.renderers)
}

// OpenFresh opens a set of fresh pages: that for a URL now, the others when they are needed.
func OpenFresh(ctx context.Context, browser *chromium.Browser, gate *egress.Gate) (*Set, error) {
	visit, err := openPage(ctx, browser, gate, forVisit)
	if err != nil {
		return nil, err
	}
	return &Set{browser: browser, gate: gate, visit: visit}, nil
}

// Print prints one document: HTML on the warm page if there is one, anything else on a page
// that is disposed of afterwards. After it, Reset or Dispose is called. The error is one of this package's, or
// the cause of ctx's end.
func (s *Set) Print(ctx context.Context, job Print) (result Result, err error) {
	d, params, err := job.resolve()
	if err != nil {
		return Result{}, err
	}
	run := func(ctx context.Context, p *page) (err error) {
		result, err = press{p, job}.print(ctx, d, params)
		return err
	}
	switch {
	case d.url != "":
		err = s.onVisit(ctx, run)
	case s.warm == nil:
		err = s.onFreshPage(ctx, run)
	default:
		err = s.onWarmPage(ctx, run)
	}
	if err != nil {
		return Result{}, d.access.censor(err)
	}
	result.Warnings = d.access.censorAll(result.Warnings)
	return result, nil
}

// Capture captures one document: HTML on the page for captures, a URL on a page that is
// disposed of afterwards. After it, Reset or Dispose is called. The error is as for Print.
func (s *Set) Capture(ctx context.Context, job Capture) (image Image, err error) {
	d, err := job.resolve()
	if err != nil {
		return Image{}, err
	}
	run := func(ctx context.Context, p *page) (err error) {
		image, err = shot{p, job, d.viewport}.capture(ctx, d)
		return err
	}
	if d.url != "" {
		err = s.onVisit(ctx, run)
	} else {
		err = s.onCapturePage(ctx, run)
	}
	if err != nil {
		return Image{}, d.access.censor(err)
	}
	image.Warnings = d.access.censorAll(image.Warnings)
	return image, nil
}

// Spoiled reports whether a job failed on the warm page or, if there is none, on any. Reset
// refuses then.
func (s *Set) Spoiled() bool { return s.spoiled }

// Ended reports whether the warm page crashed, was closed, or ended with its browser.
func (s *Set) Ended() bool { return s.warm != nil && s.warm.ended() }

// Crashed reports whether a renderer crashed under the job since the last Reset.
func (s *Set) Crashed() bool { return s.warm != nil && s.warm.crashed() || s.crashed.Load() }

// Shrink frees the memory that earlier jobs have left in the renderers of the pages for HTML. It may be called while the holder is at
// work, whose job then pauses for some milliseconds.
func (s *Set) Shrink(ctx context.Context) {
	s.mu.Lock()
	pages := []*page{s.warm, s.capture}
	s.mu.Unlock()
	for _, p := range pages {
		if p != nil {
			p.shrink(ctx)
		}
	}
}

// Reset empties the set for the next job. It fails when the warm page may carry something
// over to that job, because it used the network or was spoiled, or does not answer: the
// caller then disposes of the set. After a job that went to a URL, and in a set of fresh
// pages, Reset prepares the page for the next such job.
func (s *Set) Reset(ctx context.Context) error {
	_, err := s.reset(ctx, false)
	return err
}

// Follow is Reset in a set of fresh pages whose next job is one of the same account. If the last job left its page fit for
// that, the next visit follows on it, which kept reports: a job of another account then needs Reset first. Either way,
// script finds nothing of the last job.
func (s *Set) Follow(ctx context.Context) (kept bool, err error) { return s.reset(ctx, true) }

func (s *Set) reset(ctx context.Context, sameAccount bool) (kept bool, err error) {
	if s.spoiled {
		return false, errNotReusable
	}
	if s.warm != nil {
		if err := s.warm.reset(ctx); err != nil {
			return false, err
		}
	}
	s.crashed.Store(false)
	s.resetCapturePage(ctx)
	if kept = s.resetVisit(ctx, sameAccount); !kept {
		s.prepareVisit(ctx)
	}
	return kept, nil
}

// Dispose ends all pages of the set with their browser contexts, whatever they are doing.
// Only the first call does anything.
func (s *Set) Dispose() {
	s.mu.Lock()
	pages := []*page{s.visit, s.capture, s.warm}
	if s.disposed {
		pages = nil
	}
	s.disposed, s.capture, s.visit = true, nil, nil
	s.mu.Unlock()
	for _, p := range pages {
		if p != nil {
			p.dispose()
		}
	}
}

// onWarmPage does a job on the warm page.
func (s *Set) onWarmPage(ctx context.Context, job work) error {
	err := s.warm.do(ctx, job)
	s.spoiled = err != nil
	return err
}

// onFreshPage does a job that prints HTML on a page that is disposed of after it.
func (s *Set) onFreshPage(ctx context.Context, job work) error {
	p, err := s.takeOrOpen(ctx, nil, forPrinting)
	if err != nil {
		return err
	}
	err = p.do(ctx, job)
	s.end(p, err)
	return err
}

// harmless are the errors after which a browser is still usable.
var harmless = []error{ErrNavigation, ErrBlocked, ErrSelector, ErrResource, ErrScript}

// end ends a page, other than the warm one, after a job. Fresh pages that are spoiled are
// left to whoever ends their browser, which may not even answer.
func (s *Set) end(p *page, err error) {
	s.crashed.Store(errors.Is(err, ErrCrashed))
	is := func(target error) bool { return errors.Is(err, target) }
	if s.warm == nil && err != nil && !slices.ContainsFunc(harmless, is) {
		s.spoiled = true
		p.abandon()
		return
	}
	p.dispose()
}

// onCapturePage does a job on the page for captures, which is kept if the job succeeds.
func (s *Set) onCapturePage(ctx context.Context, job work) error {
	p, err := s.takeOrOpen(ctx, &s.capture, forCapture)
	if err != nil {
		return err
	}
	if err = p.do(ctx, job); err != nil {
		s.end(p, err)
		return err
	}
	s.keep(&s.capture, p)
	return nil
}

// onVisit does a job on a page that is disposed of after it, unless another may follow.
func (s *Set) onVisit(ctx context.Context, job work) error {
	s.visited = true
	p, err := s.takeOrOpen(ctx, &s.visit, forVisit)
	if err != nil {
		return err
	}
	err = p.do(ctx, job)
	if err != nil && p.closedItself() {
		err = fmt.Errorf("%w: the page closed itself", ErrRender)
	}
	if err == nil && s.warm == nil && (visit{p}).isFollowable() {
		s.keep(&s.visit, p)
		return nil
	}
	s.end(p, err)
	return err
}

// takeOrOpen takes the page that is ready in a slot of the set, or opens one.
func (s *Set) takeOrOpen(ctx context.Context, slot **page, k kind) (*page, error) {
	if p := s.take(slot); p != nil {
		return p, nil
	}
	open := s.openMeasured
	if s.warm == nil {
		open = func(ctx context.Context, k kind) (*page, error) { return openPage(ctx, s.browser, s.gate, k) }
	}
	p, err := open(ctx, k)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = chromium.ErrGone // the browser does not answer, which a health check will notice too
	}
	return p, stepError("open", err)
}

// take returns the page that is ready in a slot, nil if there is none. The caller is its holder.
func (s *Set) take(slot **page) *page {
	if slot == nil {
		return nil
	}
	s.mu.Lock()
	p := *slot
	*slot = nil
	s.mu.Unlock()
	if p != nil && p.ended() {
		p.dispose()
		return nil
	}
	return p
}

// keep puts a page into its slot, unless the set was disposed of meanwhile.
func (s *Set) keep(slot **page, p *page) {
	s.mu.Lock()
	disposed := s.disposed
	if !disposed {
		*slot = p
	}
	s.mu.Unlock()
	if disposed {
		p.dispose()
	}
}

// resetCapturePage empties the page for captures, or disposes of it.
func (s *Set) resetCapturePage(ctx context.Context) {
	p := s.take(&s.capture)
	if p == nil {
		return
	}
	if p.reset(ctx) != nil {
		p.dispose()
		return
	}
	s.keep(&s.capture, p)
}

// prepareVisit opens the page for the next URL if the last job went to one, or the pages are
// fresh: opening it takes as long as a small page takes to load. A failure is not an error:
// the next job opens a page itself.
func (s *Set) prepareVisit(ctx context.Context) {
	if !s.visited && s.warm != nil || s.hasVisit() {
		return
	}
	s.visited = false
	if p, err := openPage(ctx, s.browser, s.gate, forVisit); err == nil {
		s.keep(&s.visit, p)
	}
}

// resetVisit empties the page for a URL for another job of the same account, or disposes of it, and reports whether it is kept. An unused page stays.
func (s *Set) resetVisit(ctx context.Context, sameAccount bool) (kept bool) {
	p := s.take(&s.visit)
	if p == nil {
		return false
	}
	fresh := !p.used && p.served == 0
	kept = sameAccount && p.used && visit{p}.follow(ctx) == nil
	if fresh || kept {
		s.keep(&s.visit, p)
	} else {
		p.dispose()
	}
	return kept
}

func (s *Set) hasVisit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visit != nil
}
