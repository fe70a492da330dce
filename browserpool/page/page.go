package page

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/events/contract"
)

// stepTimeout bounds each piece of housekeeping on a page: opening, resetting, disposing.
const stepTimeout = 10 * time.Second

// kind is the purpose of a page.
type kind int

const (
	// forPrinting is the warm page: it prints HTML, one job after another. It runs no
	// script, and it draws no frames, which would be a third of its work.
	forPrinting kind = iota
	// forCapture captures HTML, one job after another. It runs no script and draws frames.
	forCapture
	// forVisit goes to the URL of one job. It runs script and draws frames, as a window would.
	forVisit
)

// page is one browser page, alone in its browser context. Its holder, one goroutine at a
// time, calls all methods but onEvent, ended, crashed, shrink and dispose.
type page struct {
	// Fixed once the page is open.
	kind      kind
	browser   *chromium.Browser
	gate      *egress.Gate
	proxy     *egress.Proxy // the page's only way to the network
	contextID proto.BrowserBrowserContextID
	session   *chromium.Session
	progress  *progress  // written by the goroutine that reads the pipe; has a lock
	reactions *reactions // of a visit: calls that answer events; has a lock

	// Owned by the holder.
	used     bool                 // a document was shown since the last reset
	served   int                  // jobs of a visit before its present one
	start    mark                 // of the current job
	ran      float64              // seconds for which script had run in the process of a visit before the job
	media    string               // the CSS medium: print or screen
	viewport Size                 // zero until it was set
	scale    float64              // device pixels per CSS pixel
	output   proto.IOStreamHandle // what was printed last; empty after it was freed
	scripted bool                 // a visit has run script of its own
	stopped  bool                 // the clock of a visit was put forward and stands still
	found    findings             // about the document that is shown
	// equipped means that a visit has been prepared for its job, private that it has headers or cookies of that
	// job. function is the function that it waits for, nil for none.
	equipped bool
	private  bool
	function *function
	// emulation is nil if the browser shows itself as it is. Reactions read it.
	emulation atomic.Pointer[emulation]
	// guard is nil without credentials. Reactions read it: the holder sets it before it
	// has the browser pause requests, and never again.
	guard *credentialsGuard
	// stands means that nothing advances the clock of a visit any more. Reactions read it.
	stands atomic.Bool
	// undeclared means that the document's encoding is not declared. Reactions read it.
	undeclared atomic.Bool
}

// findings are what a page has found out about the document that it shows. All but the warnings and enclosed are about visits.
type findings struct {
	warned   []Warning
	hidden   int  // pixels that an inner box hides
	waiting  int  // texts and pictures that are shown once somebody scrolls to them
	lists    bool // there are lists that draw only what the window shows
	expanded bool // the document is as high as what an inner box holds
	enclosed bool // there are tables in boxes of ours that scroll
	pinned   bool // there are drawings that keep their heights while the window is higher
}

// openPage makes a browser context and a page in it, ready for a document.
func openPage(ctx context.Context, b *chromium.Browser, gate *egress.Gate, k kind) (*page, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	p := &page{kind: k, browser: b, gate: gate}
	if k == forVisit {
		p.reactions = newReactions()
	}
	if err := p.createContext(ctx); err != nil {
		return nil, fmt.Errorf("open page: %w", err)
	}
	if err := p.createTarget(ctx); err != nil {
		p.dispose()
		return nil, fmt.Errorf("open page: %w", err)
	}
	return p, nil
}

// createContext makes the browser context, with a proxy that carries its traffic and no other.
func (p *page) createContext(ctx context.Context) (err error) {
	if p.proxy, err = p.gate.Open(p.browser.Gone()); err != nil {
		return err
	}
	created, err := proto.TargetCreateBrowserContext{
		ProxyServer: p.proxy.URL(), ProxyBypassList: chromium.BypassNothing,
	}.Call(p.browser.With(ctx))
	if err != nil {
		p.proxy.Close()
		return err
	}
	p.contextID = created.BrowserContextID
	return nil
}

func (p *page) createTarget(ctx context.Context) error {
	// A page draws no frames if DevTools controls them, since it never asks for one.
	target, err := proto.TargetCreateTarget{
		URL: "about:blank", BrowserContextID: p.contextID, EnableBeginFrameControl: p.kind == forPrinting,
	}.Call(p.browser.With(ctx))
	if err != nil {
		return err
	}
	p.progress = newProgress(proto.PageFrameID(target.TargetID), p.kind == forVisit)
	if p.session, err = p.browser.Attach(ctx, target.TargetID, p.onEvent); err != nil {
		return err
	}
	return p.prepare(ctx)
}

// prepare makes the settings that last for the page's life, all at once because they
// do not depend on one another.
func (p *page) prepare(ctx context.Context) error {
	none := 0
	client := p.session.With(ctx)
	settings := []func() error{
		func() error {
			return proto.NetworkEnable{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none}.Call(client)
		},
		func() error { return p.browser.Identity().Call(client) },
	}
	if p.kind == forVisit {
		settings = append(settings,
			func() error { return proto.PerformanceEnable{}.Call(client) }, // for count
			func() error { return proto.AnimationEnable{}.Call(client) },   // for endAnimations
		)
		return together(append(settings, p.confinement(p.browser.With(ctx))...))
	}
	return together(append(settings,
		func() error { return proto.NetworkSetCacheDisabled{CacheDisabled: true}.Call(client) },
		func() error { return proto.EmulationSetScriptExecutionDisabled{Value: true}.Call(client) },
	))
}

// together makes calls at the same time and joins their errors.
func together(calls []func() error) error {
	failures := make([]error, len(calls))
	var running sync.WaitGroup
	for i, call := range calls {
		running.Go(func() { failures[i] = call() })
	}
	running.Wait()
	return errors.Join(failures...)
}

// setView sets medium and viewport before the next document is shown: no job may see those
// of another. The page remembers both, so most jobs send nothing.
func (p *page) setView(ctx context.Context, media string, viewport Size, scale float64) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stepTimeout, errBudget)
	defer cancel()
	client := p.session.With(ctx)
	if p.media != media {
		if err := (proto.EmulationSetEmulatedMedia{Media: media}).Call(client); err != nil {
			return err
		}
		p.media = media
	}
	if p.viewport != viewport || p.scale != scale {
		override := &proto.EmulationSetDeviceMetricsOverride{Width: viewport.Width, Height: viewport.Height, DeviceScaleFactor: scale}
		if err := client.SetViewport(override); err != nil {
			return err
		}
		p.viewport, p.scale = viewport, scale
	}
	return nil
}

// onEvent runs on the goroutine that reads the pipe.
func (p *page) onEvent(event cdp.Event) {
	exchanged := p.progress.observe(event)
	if p.kind == forVisit {
		p.react(event)
	}
	if exchanged && p.stands.Load() {
		p.reactions.start(func(ctx context.Context) { _ = (&clock{page: p}).receive(ctx) })
	}
}

// errNotReusable means that a page cannot be emptied for another job.
var errNotReusable = errors.New("page may carry something over")

// reset empties the page for the next job. It fails for a page that may carry something
// over: the caller then disposes of it.
func (p *page) reset(ctx context.Context) error {
	if p.progress.usedNetwork() {
		return errNotReusable
	}
	if !p.used {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	return p.blank(ctx)
}

// blank shows an empty document.
func (p *page) blank(ctx context.Context) error {
	client := p.session.With(ctx)
	if err := p.closeOutput(client); err != nil {
		return err
	}
	p.progress.begin()
	p.progress.commit()
	if _, err := (proto.PageNavigate{URL: "about:blank"}).Call(client); err != nil {
		return err
	}
	if err := p.await(ctx, contract.UntilLoad); err != nil {
		return err
	}
	p.used = false
	// The history keeps titles, and would grow.
	return client.ResetNavigationHistory()
}

// shrink makes the renderer collect its garbage and release the memory. Otherwise a renderer keeps the memory of its last
// documents until the next one has used as much again.
func (p *page) shrink(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	_ = proto.HeapProfilerCollectGarbage{}.Call(p.session.With(ctx)) // a page that has ended holds nothing
}

// dispose ends the page with its whole browser context, whatever it is doing. It may be
// called while the holder is at work, once.
func (p *page) dispose() {
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	p.letGo()
	_ = proto.TargetDisposeBrowserContext{BrowserContextID: p.contextID}.Call(p.browser.With(ctx))
	p.proxy.Close()
}

// abandon ends what this process does for the page. The page itself ends with its browser.
func (p *page) abandon() {
	p.letGo()
	p.proxy.Close()
}

func (p *page) letGo() {
	if p.session != nil { // nil if the page was not opened
		p.session.Detach()
	}
	if p.reactions != nil {
		p.reactions.end()
	}
}

// ended reports whether the page can do nothing any more.
func (p *page) ended() bool {
	return p.session.Cause() != nil
}

// crashed reports whether the page ended because its renderer crashed.
func (p *page) crashed() bool {
	return errors.Is(p.session.Cause(), chromium.ErrCrashed)
}
