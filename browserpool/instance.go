package browserpool

import (
	"context"
	"slices"
	"time"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/page"
	"platen.dev/events"
)

const (
	// spares are the sets of pages for quick leases beyond the slots: one is ready while another is reset.
	spares        = 1
	launchTimeout = 30 * time.Second
)

// instance is one running browser with its pages.
type instance struct {
	// Fixed; helper goroutines use it too.
	browser *chromium.Browser
	remote  bool // it works for one remote lease at a time

	// Owned by the helper goroutine that reopens the pages of a remote lease, one at a time: when its memory was last read, and what it was.
	weighed time.Time
	weight  int64

	// The rest belongs to the scheduler.
	born      time.Time
	owner     events.AccountID // the only account that its idle pages may serve; empty for any
	pages     stock            // for quick leases, or for remote ones
	slow      stock            // for slow leases: they grow large, and yield to the others
	idleSince time.Time        // when it last became idle
	jobs      int
	bytes     int64 // of memory, when last measured
	retired   bool  // it was told to close

	checking     bool      // a health check is under way
	selfTestedAt time.Time // when the last self-test began
	failures     int       // self-tests failed in a row
}

// stock is a browser's sets of pages for leases of one kind.
type stock struct {
	idle   []idlePages // the most recently used last
	coming int         // sets that are being opened, reset or replaced
	leased int
}

// all is the number of sets.
func (s *stock) all() int { return len(s.idle) + s.coming + s.leased }

// idlePages are pages that wait for their next lease.
type idlePages struct {
	*page.Set
	since  time.Time
	shrunk bool
}

// of returns the pages for leases of a lane.
func (in *instance) of(lane events.Lane) *stock {
	if lane == events.Slow {
		return &in.slow
	}
	return &in.pages
}

// take removes and returns the most recently used idle pages of a lane, nil if there are none.
func (in *instance) take(lane events.Lane) *page.Set {
	s := in.of(lane)
	last := len(s.idle) - 1
	if last < 0 {
		return nil
	}
	pages := s.idle[last].Set
	s.idle = s.idle[:last]
	return pages
}

// put adds pages to the idle ones of a lane.
func (in *instance) put(lane events.Lane, pages *page.Set) {
	s := in.of(lane)
	in.idleSince = time.Now()
	s.idle = append(s.idle, idlePages{Set: pages, since: in.idleSince})
}

// toShrink returns the pages that have been idle for some time since they were last shrunk, and counts them as shrunk.
func (in *instance) toShrink(after time.Duration) (all []*page.Set) {
	for _, idle := range [][]idlePages{in.pages.idle, in.slow.idle} {
		for i := range idle {
			if !idle[i].shrunk && time.Since(idle[i].since) >= after {
				idle[i].shrunk = true
				all = append(all, idle[i].Set)
			}
		}
	}
	return all
}

// takeUnneeded removes and returns the pages that have been idle for some time, but for the most recently used of each kind.
func (in *instance) takeUnneeded(after time.Duration) (all []*page.Set) {
	for _, s := range []*stock{&in.pages, &in.slow} {
		for len(s.idle) > 1 && time.Since(s.idle[0].since) >= after {
			all = append(all, s.idle[0].Set)
			s.idle = slices.Delete(s.idle, 0, 1)
		}
	}
	return all
}

// hasRemote reports whether pages for a remote lease are ready.
func (in *instance) hasRemote() bool {
	return in.remote && len(in.pages.idle) > 0 && !in.retired && !in.isGone()
}

// isUsed reports whether a lease has pages of the browser, or a helper goroutine works on some.
func (in *instance) isUsed() bool {
	return in.pages.leased+in.pages.coming+in.slow.leased+in.slow.coming > 0
}

// isGone reports whether the browser has ended. It may be called from any goroutine.
func (in *instance) isGone() bool {
	select {
	case <-in.browser.Gone():
		return true
	default:
		return false
	}
}

// Browsers have a lower priority than this process: rendering uses all cores, and must not make everything else wait.
// Pages with scripts yield to prints.
const (
	sharedNiceness = 5
	remoteNiceness = 8
)

// launch starts a browser that jobs share, with pages for a quick lease.
func (p *Pool) launch() (*instance, error) {
	return p.start(&instance{}, sharedNiceness, events.Quick)
}

// launchRemote starts a browser of remote leases, with its pages.
func (p *Pool) launchRemote() (*instance, error) {
	return p.start(&instance{remote: true}, remoteNiceness, events.Remote)
}

// open opens a set of pages for leases of a lane.
func (p *Pool) open(ctx context.Context, browser *chromium.Browser, lane events.Lane) (*page.Set, error) {
	switch lane {
	case events.Remote:
		return page.OpenFresh(ctx, browser, p.gate)
	case events.Slow:
		return page.OpenYielding(ctx, browser, p.gate)
	}
	return page.Open(ctx, browser, p.gate)
}

// start starts a browser and opens pages for a lease of a lane. The browser itself has no network; each page has its own proxy.
func (p *Pool) start(in *instance, niceness int, lane events.Lane) (*instance, error) {
	ctx, cancel := context.WithTimeout(p.life, launchTimeout)
	defer cancel()
	options := p.config.browserOptions()
	options.Niceness, options.Apart = niceness, in.remote
	browser, err := chromium.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	in.browser, in.born = browser, time.Now()
	p.version.Store(&browser.Version)
	pages, err := p.open(ctx, browser, lane)
	if err != nil {
		browser.Kill()
		browser.Close(ctx)
		return nil, err
	}
	in.put(lane, pages)
	return in, nil
}

// reopen resets pages, or replaces those that may not be reused.
func (p *Pool) reopen(in *instance, pages *page.Set, lane events.Lane, discard bool) reopened {
	if !discard && pages.Reset(p.life) == nil {
		return reopened{in: in, lane: lane, pages: pages}
	}
	pages.Dispose()
	next := p.openMore(in, lane)
	next.replaced = true
	return next
}

// openMore opens another set of pages in a browser.
func (p *Pool) openMore(in *instance, lane events.Lane) reopened {
	pages, err := p.open(p.life, in.browser, lane)
	if err != nil && !in.isGone() && p.life.Err() == nil { // else its end is reported anyway
		p.config.Logger.Warn("page not opened", "pid", in.browser.PID(), "error", err)
	}
	return reopened{in: in, lane: lane, pages: pages}
}

// reopenRemote resets the pages of a remote browser: if an account is named, and they are fit for it, only for the next job of that one.
func (p *Pool) reopenRemote(in *instance, pages *page.Set, account events.AccountID) reopened {
	reset := func(ctx context.Context) (kept bool, err error) { return false, pages.Reset(ctx) }
	if account != "" && p.isLight(in) {
		reset = pages.Follow
	}
	kept, err := reset(p.life)
	r := reopened{in: in, lane: events.Remote}
	if err == nil {
		r.pages = pages
	}
	if kept {
		r.owner = account
	}
	return r
}

// weighEvery is the least time between two readings of a kept browser's memory: one takes a tenth of the time of a small page.
const weighEvery = time.Second

// isLight reports whether a browser uses little enough memory to be kept for its account.
func (p *Pool) isLight(in *instance) bool {
	if time.Since(in.weighed) >= weighEvery {
		pid := in.browser.PID()
		in.weighed, in.weight = time.Now(), chromium.ReadUsage(map[int]bool{pid: true})[pid].Total().Bytes
	}
	return in.weight < p.config.keptBytes()
}

// watch cleans up behind a browser that has ended, and then tells the scheduler.
func (p *Pool) watch(in *instance) {
	p.help(func() {
		<-in.browser.Gone()
		in.browser.Close(p.life)
		p.tell(gone{in})
	})
}
