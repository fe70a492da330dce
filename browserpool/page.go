package browserpool

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
)

// stepTimeout bounds each piece of housekeeping on a page: opening, resetting, disposing.
const stepTimeout = 10 * time.Second

// errSpoiled refuses to reuse a page.
var errSpoiled = errors.New("page may carry something over")

// page is alone in its browser context. A warm page has script execution disabled
// and serves many jobs, a visit runs script and serves one. One holder at a time
// uses it.
type page struct {
	browser  *chromium.Browser
	gate     *egress.Gate
	proxy    *egress.Proxy // its only way to the network
	context  proto.BrowserBrowserContextID
	session  *chromium.Session
	progress *progress
	visiting *visiting // nil for a warm page
	// draws tells that the page draws frames, as a window would. A page that is only
	// printed has no use for them, and they are a third of its work.
	draws bool
	// drawer, of a warm page that draws nothing, is one beside it that does, for pictures.
	drawer atomic.Pointer[page]
	// ahead, of a warm page, is opened for the next URL job beside it. Atomic, as a
	// page that is taken back is disposed of while its holder may still be at work.
	ahead atomic.Pointer[page]

	spoiled bool   // the page may not be reused
	fresh   bool   // the page replaces one that was not reused
	visited bool   // the last job went to a URL
	touched bool   // a document was shown since the last reset
	media   string // what CSS takes the page for: print or screen
	size    Size   // of the viewport; zero until it was set

	output proto.IOStreamHandle // what was printed last, until the reset
}

// openPage makes a context and a warm page in it, ready for a document.
func openPage(ctx context.Context, b *chromium.Browser, gate *egress.Gate) (*page, error) {
	return (&page{browser: b, gate: gate}).open(ctx)
}

func (p *page) open(ctx context.Context) (*page, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	if err := p.enclose(ctx); err != nil {
		return nil, fmt.Errorf("open page: %w", err)
	}
	if err := p.attach(ctx); err != nil {
		p.dispose()
		return nil, fmt.Errorf("open page: %w", err)
	}
	return p, nil
}

// enclose makes the context, with a proxy that carries its traffic and no other.
func (p *page) enclose(ctx context.Context) (err error) {
	if p.proxy, err = p.gate.Open(p.browser.Gone()); err != nil {
		return err
	}
	created, err := proto.TargetCreateBrowserContext{
		ProxyServer: "http://" + p.proxy.Address(), ProxyBypassList: chromium.BypassNothing,
	}.Call(p.browser.With(ctx))
	if err != nil {
		p.proxy.Close()
		return err
	}
	p.context = created.BrowserContextID
	return nil
}

func (p *page) attach(ctx context.Context) error {
	target, err := proto.TargetCreateTarget{URL: "about:blank", BrowserContextID: p.context, EnableBeginFrameControl: !p.draws}.Call(p.browser.With(ctx))
	if err != nil {
		return err
	}
	p.progress = newProgress(proto.PageFrameID(target.TargetID), p.visiting != nil)
	if p.session, err = p.browser.Attach(ctx, target.TargetID, p.onEvent); err != nil {
		return err
	}
	return p.prepare(ctx)
}

// prepare makes the settings that last for the page's life, all at once as they
// do not depend on one another.
func (p *page) prepare(ctx context.Context) error {
	none := 0
	client := p.session.With(ctx)
	settings := []func() error{
		func() error { return proto.PageEnable{}.Call(client) },
		func() error {
			return proto.NetworkEnable{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none}.Call(client)
		},
	}
	if p.visiting != nil {
		settings = append(settings, func() error { return proto.PerformanceEnable{}.Call(client) }) // for the census
		return together(append(settings, p.confinement(p.browser.With(ctx))...))
	}
	return together(append(settings,
		func() error { return proto.NetworkSetCacheDisabled{CacheDisabled: true}.Call(client) },
		func() error { return proto.EmulationSetScriptExecutionDisabled{Value: true}.Call(client) },
	))
}

// together makes calls at the same time.
func together(calls []func() error) error {
	failures := make([]error, len(calls))
	var running sync.WaitGroup
	for i, call := range calls {
		running.Go(func() { failures[i] = call() })
	}
	running.Wait()
	return errors.Join(failures...)
}

// view sets what the next document is shown on, before it is shown: no job may
// see the window of another. The page remembers both, so most jobs send nothing.
func (p *page) view(ctx context.Context, media string, size Size) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stepTimeout, errBudget)
	defer cancel()
	client := p.session.With(ctx)
	if p.media != media {
		if err := (proto.EmulationSetEmulatedMedia{Media: media}).Call(client); err != nil {
			return err
		}
		p.media = media
	}
	if p.size != size {
		override := proto.EmulationSetDeviceMetricsOverride{Width: size.Width, Height: size.Height, DeviceScaleFactor: 1}
		if err := override.Call(client); err != nil {
			return err
		}
		p.size = size
	}
	return nil
}

// onEvent runs on the goroutine that reads the pipe.
func (p *page) onEvent(event cdp.Event) {
	p.progress.observe(event)
	if p.visiting != nil {
		p.react(event)
	}
}

// reset empties the page for the next job. It fails for a page that may carry
// something over: the caller then disposes of it.
func (p *page) reset(ctx context.Context) error {
	if p.spoiled || p.progress.networkUsed() {
		return errSpoiled
	}
	if !p.touched {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	if err := p.closeOutput(p.session.With(ctx)); err != nil {
		return err
	}
	p.progress.begin()
	p.progress.commit()
	if _, err := (proto.PageNavigate{URL: "about:blank"}).Call(p.session.With(ctx)); err != nil {
		return err
	}
	if err := p.await(ctx, UntilLoad); err != nil {
		return err
	}
	p.touched = false
	// The history keeps titles, and would grow.
	return proto.PageResetNavigationHistory{}.Call(p.session.With(ctx))
}

func (p *page) closeOutput(client proto.Client) error {
	if p.output == "" {
		return nil
	}
	handle := p.output
	p.output = ""
	return proto.IOClose{Handle: handle}.Call(client)
}

// dispose ends the page with its whole browser context, whatever it is doing.
func (p *page) dispose() {
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	if p.session != nil {
		p.session.Detach()
	}
	if p.visiting != nil {
		p.visiting.reactions.end()
	}
	for _, beside := range []*page{p.ahead.Swap(nil), p.drawer.Swap(nil)} {
		if beside != nil {
			beside.dispose()
		}
	}
	_ = proto.TargetDisposeBrowserContext{BrowserContextID: p.context}.Call(p.browser.With(ctx))
	p.proxy.Close()
}

// ended tells that the page can do nothing any more.
func (p *page) ended() bool {
	select {
	case <-p.session.Ended():
		return true
	default:
		return false
	}
}

func (p *page) crashed() bool {
	return p.ended() && errors.Is(p.session.Cause(), chromium.ErrCrashed)
}

// renew returns the page emptied, or another in its place. After a URL job it has
// the page for the next one open.
func (p *page) renew(ctx context.Context, discard bool) (*page, error) {
	if !discard && p.reset(ctx) == nil {
		p.resetDrawer(ctx)
		p.prepareVisit(ctx)
		return p, nil
	}
	p.dispose()
	next, err := openPage(ctx, p.browser, p.gate)
	if err != nil {
		return nil, err
	}
	next.fresh = true
	return next, nil
}
