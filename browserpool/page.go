package browserpool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
)

// stepTimeout bounds each piece of housekeeping on a page: opening, resetting, disposing.
const stepTimeout = 10 * time.Second

// chunk is how much of the output is fetched at a time, in bytes.
const chunk = 4 << 20

// errSpoiled refuses to reuse a page.
var errSpoiled = errors.New("page may carry something over")

// page is a warm page: alone in its browser context, script execution disabled.
// One holder at a time uses it.
type page struct {
	browser *chromium.Browser
	context proto.BrowserBrowserContextID
	session *chromium.Session

	loaded  chan struct{} // holds one token when a document has loaded
	used    atomic.Bool   // the network was used: written by the pipe's reader
	spoiled bool          // the page may not be reused
	fresh   bool          // the page replaces one that was not reused
	width   int           // of the viewport in CSS pixels

	output proto.IOStreamHandle // what was printed last, until the reset
}

// openPage makes a context and a page in it, ready for a document.
func openPage(ctx context.Context, b *chromium.Browser) (*page, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	created, err := proto.TargetCreateBrowserContext{}.Call(b.With(ctx))
	if err != nil {
		return nil, fmt.Errorf("open page: %w", err)
	}
	p := &page{browser: b, context: created.BrowserContextID, loaded: make(chan struct{}, 1)}
	if err := p.attach(ctx); err != nil {
		p.dispose()
		return nil, fmt.Errorf("open page: %w", err)
	}
	return p, nil
}

func (p *page) attach(ctx context.Context) error {
	target, err := proto.TargetCreateTarget{URL: "about:blank", BrowserContextID: p.context}.Call(p.browser.With(ctx))
	if err != nil {
		return err
	}
	if p.session, err = p.browser.Attach(ctx, target.TargetID, p.onEvent); err != nil {
		return err
	}
	return p.prepare(p.session.With(ctx))
}

// prepare makes the settings that last for the page's life.
func (p *page) prepare(client proto.Client) error {
	none := 0
	for _, call := range []func() error{
		func() error { return proto.PageEnable{}.Call(client) },
		func() error {
			return proto.NetworkEnable{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none}.Call(client)
		},
		func() error { return proto.NetworkSetCacheDisabled{CacheDisabled: true}.Call(client) },
		func() error { return proto.EmulationSetScriptExecutionDisabled{Value: true}.Call(client) },
		func() error { return proto.EmulationSetEmulatedMedia{Media: "print"}.Call(client) },
	} {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// onEvent runs on the goroutine that reads the pipe.
func (p *page) onEvent(event cdp.Event) {
	switch event.Method {
	case "Page.loadEventFired":
		select {
		case p.loaded <- struct{}{}:
		default:
		}
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		if json.Unmarshal(event.Params, &sent) != nil || !strings.HasPrefix(sent.Request.URL, "data:") {
			p.used.Store(true)
		}
	}
}

// load shows html and waits for its load event. When the budget ends while
// images are still under way, the document stays as it is and that is no error.
func (p *page) load(ctx context.Context, html string, budget time.Duration) error {
	within, cancel := context.WithTimeoutCause(ctx, budget, errBudget)
	defer cancel()
	p.drain()
	content := proto.PageSetDocumentContent{FrameID: proto.PageFrameID(p.session.Target), HTML: html}
	if err := content.Call(p.session.With(within)); err != nil {
		return err
	}
	err := p.awaitLoad(within)
	if errors.Is(err, errBudget) {
		return p.stopLoading(ctx)
	}
	return err
}

// stopLoading gives up what is under way; printing would wait for it.
func (p *page) stopLoading(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stepTimeout, errBudget)
	defer cancel()
	return proto.PageStopLoading{}.Call(p.session.With(ctx))
}

func (p *page) awaitLoad(ctx context.Context) error {
	select {
	case <-p.loaded:
		return nil
	case <-p.session.Ended():
		return p.session.Cause()
	case <-p.browser.Gone():
		return chromium.ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// print returns the document as a PDF of at most limit bytes. A scale of 0 is
// fitted to the content; for a short document, which most often fits as it is,
// it is printed while that is measured, and again if it does not fit.
func (p *page) print(ctx context.Context, params printParams, short bool, limit int64, budget time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, budget, errBudget)
	defer cancel()
	if params.Scale != 0 {
		return p.printAt(ctx, params, limit)
	}
	if err := p.widen(ctx, params.printableWidth()); err != nil {
		return nil, err
	}
	if short {
		return p.printGuessing(ctx, params, limit)
	}
	scale, err := p.fit(ctx)
	if err != nil {
		return nil, err
	}
	params.Scale = scale
	return p.printAt(ctx, params, limit)
}

// printGuessing prints at scale 1 while it measures.
func (p *page) printGuessing(ctx context.Context, params printParams, limit int64) ([]byte, error) {
	type fitting struct {
		scale float64
		err   error
	}
	fitted := make(chan fitting, 1)
	go func() {
		scale, err := p.fit(ctx)
		fitted <- fitting{scale, err}
	}()
	params.Scale = 1
	pdf, err := p.printAt(ctx, params, limit)
	f := <-fitted
	if err != nil || f.err != nil || f.scale == 1 {
		return pdf, errors.Join(err, f.err)
	}
	if err := p.closeOutput(p.session.With(ctx)); err != nil {
		return nil, err
	}
	params.Scale = f.scale
	return p.printAt(ctx, params, limit)
}

func (p *page) printAt(ctx context.Context, params printParams, limit int64) ([]byte, error) {
	answer, err := p.session.Call(ctx, "", "Page.printToPDF", params)
	if err != nil {
		return nil, err
	}
	var printed proto.PagePrintToPDFResult
	if err := json.Unmarshal(answer, &printed); err != nil {
		return nil, err
	}
	p.output = printed.Stream
	return p.read(ctx, limit)
}

// read returns what was printed, fetched in chunks: one message would have to be
// as large as the largest file.
func (p *page) read(ctx context.Context, limit int64) ([]byte, error) {
	size := chunk
	var pdf []byte
	for {
		part, eof, err := p.session.ReadStream(ctx, proto.IORead{Handle: p.output, Size: &size})
		if err != nil {
			return nil, err
		}
		if int64(len(pdf)+len(part)) > limit {
			return nil, ErrTooLarge
		}
		if pdf == nil && eof {
			return part, nil
		}
		if pdf = append(pdf, part...); eof {
			return pdf, nil
		}
	}
}

// widen makes the viewport as wide as the paper between its margins.
func (p *page) widen(ctx context.Context, width int) error {
	if p.width == width {
		return nil
	}
	p.width = width
	return proto.EmulationSetDeviceMetricsOverride{Width: width, Height: width, DeviceScaleFactor: 1}.Call(p.session.With(ctx))
}

// fit returns the scale at which the widest content is as wide as the viewport.
func (p *page) fit(ctx context.Context) (float64, error) {
	layout, err := proto.PageGetLayoutMetrics{}.Call(p.session.With(ctx))
	if err != nil {
		return 0, err
	}
	if layout.CSSContentSize == nil {
		return 1, nil
	}
	return math.Min(1, math.Max(minScale, float64(p.width)/layout.CSSContentSize.Width)), nil
}

// reset empties the page for the next job. It fails for a page that may carry
// something over: the caller then disposes of it.
func (p *page) reset(ctx context.Context) error {
	if p.spoiled || p.used.Load() {
		return errSpoiled
	}
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	if err := p.closeOutput(p.session.With(ctx)); err != nil {
		return err
	}
	p.drain()
	if _, err := (proto.PageNavigate{URL: "about:blank"}).Call(p.session.With(ctx)); err != nil {
		return err
	}
	if err := p.awaitLoad(ctx); err != nil {
		return err
	}
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

// drain forgets the load of an earlier document.
func (p *page) drain() {
	select {
	case <-p.loaded:
	default:
	}
}

// dispose ends the page with its whole browser context, whatever it is doing.
func (p *page) dispose() {
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	if p.session != nil {
		p.session.Detach()
	}
	_ = proto.TargetDisposeBrowserContext{BrowserContextID: p.context}.Call(p.browser.With(ctx))
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

// renew returns the page emptied, or another in its place.
func (p *page) renew(ctx context.Context, discard bool) (*page, error) {
	if !discard && p.reset(ctx) == nil {
		return p, nil
	}
	p.dispose()
	next, err := openPage(ctx, p.browser)
	if err != nil {
		return nil, err
	}
	next.fresh = true
	return next, nil
}
