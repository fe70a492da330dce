package browserpool

import (
	"context"
	"time"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/page"
)

const (
	// spares are the sets of pages beyond the slots: one is ready while another is reset.
	spares        = 1
	launchTimeout = 30 * time.Second
)

// instance is one running browser with its pages.
type instance struct {
	// Fixed; helper goroutines use it too.
	browser *chromium.Browser
	remote  bool // it works for one remote lease at a time

	// The rest belongs to the scheduler.
	born      time.Time
	idle      []*page.Set
	idleSince time.Time // when pages were last added to idle
	reopening int       // sets of pages that are being reset or replaced
	emptying  int       // those of them that had a slow lease
	leased    int
	jobs      int
	bytes     int64 // of memory, when last measured
	retired   bool  // it was told to close

	checking     bool      // a health check is under way
	selfTestedAt time.Time // when the last self-test began
	failures     int       // self-tests failed in a row
}

// isGone reports whether the browser has ended, on any goroutine.
func (in *instance) isGone() bool {
	select {
	case <-in.browser.Gone():
		return true
	default:
		return false
	}
}

// The priority of browsers is below that of this process: rendering takes every core there
// is, and must not make everything else wait. Script yields to prints.
const (
	sharedNiceness = 5
	remoteNiceness = 12
)

// launch starts a browser that jobs share, and opens its pages.
func (p *Pool) launch() (*instance, error) {
	return p.start(&instance{}, p.config.Slots+spares, sharedNiceness, page.Open)
}

// launchRemote starts a browser of remote leases, and opens its pages.
func (p *Pool) launchRemote() (*instance, error) {
	return p.start(&instance{remote: true}, 1, remoteNiceness, page.OpenFresh)
}

// start starts a browser and opens its pages. The browser itself reaches nothing; each page
// has a proxy of its own.
func (p *Pool) start(in *instance, sets, niceness int, open func(context.Context, *chromium.Browser, *egress.Gate) (*page.Set, error)) (*instance, error) {
	ctx, cancel := context.WithTimeout(p.life, launchTimeout)
	defer cancel()
	browser, err := chromium.Start(ctx, chromium.Options{
		Path: p.config.ChromePath, NoSandbox: p.config.NoSandbox, User: p.config.BrowserUser, AsRoot: p.config.AsRoot, TempDir: p.config.TempDir,
		MaxData: p.config.MaxData, Niceness: niceness, Logger: p.config.Logger,
	})
	if err != nil {
		return nil, err
	}
	in.browser, in.born, in.idleSince = browser, time.Now(), time.Now()
	for range sets {
		pages, err := open(ctx, browser, p.gate)
		if err != nil {
			browser.Kill()
			browser.Close(ctx)
			return nil, err
		}
		in.idle = append(in.idle, pages)
	}
	return in, nil
}

// reopen resets pages, or opens others in the place of pages that may not be reused; those of
// a remote browser are not replaced.
func (p *Pool) reopen(in *instance, pages *page.Set, discard bool) reopened {
	if !discard && pages.Reset(p.life) == nil {
		return reopened{in: in, pages: pages}
	}
	if in.remote {
		return reopened{in: in}
	}
	pages.Dispose()
	next, err := page.Open(p.life, in.browser, p.gate)
	if err != nil && !in.isGone() && p.life.Err() == nil { // else its end is reported anyway
		p.config.Logger.Warn("page not opened", "pid", in.browser.PID(), "error", err)
	}
	return reopened{in: in, pages: next, replaced: true}
}

// watch tells the scheduler when a browser is gone, after clearing up behind it.
func (p *Pool) watch(in *instance) {
	p.help(func() {
		<-in.browser.Gone()
		in.browser.Close(p.life)
		p.tell(gone{in})
	})
}
