package page

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// This file is what a page does only when it goes to a URL and runs the script it finds.

// confinement refuses what a page may ask of an interactive browser: downloads and
// permissions.
func (p *page) confinement(client proto.Client) []func() error {
	return []func() error{
		func() error {
			deny := proto.BrowserSetDownloadBehaviorBehaviorDeny
			return proto.BrowserSetDownloadBehavior{Behavior: deny, BrowserContextID: p.contextID}.Call(client)
		},
		func() error { // to grant an empty list refuses everything
			none := []proto.BrowserPermissionType{}
			return proto.BrowserGrantPermissions{Permissions: none, BrowserContextID: p.contextID}.Call(client)
		},
	}
}

// react answers the events that keep a page waiting.
func (p *page) react(event cdp.Event) {
	switch event.Method {
	case "Page.javascriptDialogOpening":
		p.reactions.start(func(ctx context.Context) {
			_ = proto.PageHandleJavaScriptDialog{Accept: false}.Call(p.session.With(ctx))
		})
	case "Fetch.requestPaused":
		resume := p.onPaused(event.Params)
		p.reactions.start(func(ctx context.Context) { resume(ctx, p.session.With(ctx)) })
	case "Page.frameAttached":
		if p.guard != nil {
			p.guard.attach(event.Params)
		}
	}
}

// navigate goes to the document's URL and returns once the document is there. An error
// response fails here already, so that nothing waits for what an error page embeds.
func (p *page) navigate(ctx context.Context, d document) error {
	client := p.session.With(ctx)
	if d.auth.Type != "" {
		if p.guard == nil {
			p.guard = newCredentialsGuard(d.auth.header(), p.progress.frame)
		}
		if err := p.pauseRequests(client); err != nil {
			return err
		}
	}
	done, err := proto.PageNavigate{URL: d.url}.Call(client)
	if message := browserMessage(err); message != "" {
		return fmt.Errorf("%w: %s", ErrNavigation, message)
	}
	if err != nil {
		return err
	}
	if err := p.checkDocument(ctx); err != nil {
		return err
	}
	if done.ErrorText != "" {
		return p.documentError(ctx, response{url: d.url, failure: done.ErrorText})
	}
	return nil
}

// checkDocument returns what is wrong with the document that a visit shows, or that it is
// about to show; nil for nothing.
func (p *page) checkDocument(ctx context.Context) error {
	if p.kind != forVisit {
		return nil
	}
	shown, next := p.progress.responses()
	for _, r := range []response{shown, next} {
		if r.failure != "" || r.status >= 400 || !isAllowedScheme(r.url) {
			return p.documentError(ctx, r)
		}
	}
	return nil
}

// isAllowedScheme reports whether a page may go by itself to a URL of this scheme. The
// browser keeps pages away from local files and from its own pages; this is the second lock.
func isAllowedScheme(text string) bool {
	scheme, _, _ := strings.Cut(text, ":")
	switch scheme {
	case "", "http", "https", "about", "blob", "data":
		return true
	default:
		return false
	}
}

// documentError names why a document did not arrive. A refusal by the proxy looks like
// that of a server or like a broken connection, so the egress policy is asked. Some ports the
// browser refuses itself; then only the address can be to blame.
func (p *page) documentError(ctx context.Context, r response) error {
	if u, _ := contract.ParsePageURL(r.url); u != nil {
		port := contract.PortOf(u)
		if r.failure == "net::ERR_UNSAFE_PORT" {
			port = 443
		}
		if p.gate.Refuses(ctx, u.Hostname(), port) {
			return ErrBlocked
		}
	}
	switch {
	case r.failure != "":
		return fmt.Errorf("%w: %s", ErrNavigation, r.failure)
	case r.status >= 400:
		return fmt.Errorf("%w: HTTP status %d", ErrNavigation, r.status)
	default:
		return fmt.Errorf("%w: it went to a URL of a scheme that is not allowed", ErrBlocked)
	}
}
