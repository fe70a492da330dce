package browserpool

import (
	"context"
	"fmt"
	"net/url"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
)

// visiting is what a page has that goes to a URL and runs what it finds there.
type visiting struct {
	reactions *reactions
	guard     *guard // nil without credentials
}

// openVisit makes a context and a page in it for one URL job.
func openVisit(ctx context.Context, b *chromium.Browser, gate *egress.Gate) (*page, error) {
	return (&page{browser: b, gate: gate, draws: true, visiting: &visiting{reactions: newReactions()}}).open(ctx)
}

// prepareVisit opens the page for a URL job ahead, where the last one was one: it
// takes as long as a small page takes to load. That it cannot is no error yet.
func (p *page) prepareVisit(ctx context.Context) {
	if !p.visited || p.ahead.Load() != nil {
		return
	}
	p.visited = false
	if next, err := openVisit(ctx, p.browser, p.gate); err == nil {
		p.ahead.Store(next)
	}
}

// takeVisit returns a page for a URL job, one that is ready if there is one.
func (p *page) takeVisit(ctx context.Context) (*page, error) {
	p.visited = true
	if ready := p.ahead.Swap(nil); ready != nil {
		if !ready.ended() {
			return ready, nil
		}
		ready.dispose()
	}
	return openVisit(ctx, p.browser, p.gate)
}

// confinement refuses what a page may ask of a browser that somebody sits at.
func (p *page) confinement(client proto.Client) []func() error {
	return []func() error{
		func() error {
			deny := proto.BrowserSetDownloadBehaviorBehaviorDeny
			return proto.BrowserSetDownloadBehavior{Behavior: deny, BrowserContextID: p.context}.Call(client)
		},
		func() error { // to grant nothing is to refuse all
			none := []proto.BrowserPermissionType{}
			return proto.BrowserGrantPermissions{Permissions: none, BrowserContextID: p.context}.Call(client)
		},
	}
}

// react answers the events that keep a page waiting.
func (p *page) react(event cdp.Event) {
	switch event.Method {
	case "Page.javascriptDialogOpening":
		p.visiting.reactions.start(func(ctx context.Context) {
			_ = proto.PageHandleJavaScriptDialog{Accept: false}.Call(p.session.With(ctx))
		})
	case "Fetch.requestPaused":
		p.visiting.reactions.start(func(ctx context.Context) {
			p.visiting.guard.answer(p.session.With(ctx), event.Params)
		})
	}
}

// navigate goes to the job's URL and returns once the document is there. That it
// is no good shows here already: nobody need wait for what an error page embeds.
func (p *page) navigate(ctx context.Context, job source) error {
	client := p.session.With(ctx)
	if job.auth.Type != "" {
		p.visiting.guard = &guard{header: job.auth.header(), frame: p.progress.frame}
		if err := p.visiting.guard.watch(client); err != nil {
			return err
		}
	}
	done, err := proto.PageNavigate{URL: job.url}.Call(client)
	if err != nil {
		return asNavigation(err)
	}
	if err := p.judge(ctx); err != nil {
		return err
	}
	if done.ErrorText != "" {
		return p.refusal(ctx, answer{url: job.url, failure: done.ErrorText})
	}
	return nil
}

// asNavigation names the browser's refusal to go to a URL.
func asNavigation(err error) error {
	if refused := browserError(err); refused != "" {
		return fmt.Errorf("%w: %s", ErrNavigation, refused)
	}
	return err
}

// judge tells what is wrong with the document that a visit shows or is about to.
func (p *page) judge(ctx context.Context) error {
	if p.visiting == nil {
		return nil
	}
	shown, next := p.progress.document()
	for _, document := range []answer{shown, next} {
		if document.failure != "" || document.status >= 400 || !mayShow(document.url) {
			return p.refusal(ctx, document)
		}
	}
	return nil
}

// mayShow tells whether a page may be where it has gone by itself. The browser
// keeps pages from local files and from its own pages; this is the second lock.
func mayShow(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "", "http", "https", "about", "blob", "data":
		return true
	default:
		return false
	}
}

// refusal names why a document did not come. The proxy's refusal looks like a
// server's or like a broken connection, so its policy is asked.
func (p *page) refusal(ctx context.Context, document answer) error {
	if u, err := url.Parse(document.url); err == nil && p.gate.Refuses(ctx, u.Hostname()) {
		return ErrBlocked
	}
	switch {
	case document.failure != "":
		return fmt.Errorf("%w: %s", ErrNavigation, document.failure)
	case document.status >= 400:
		return fmt.Errorf("%w: HTTP status %d", ErrNavigation, document.status)
	default:
		return fmt.Errorf("%w: it went to where pages may not go", ErrBlocked)
	}
}
