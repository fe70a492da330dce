package page

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
	"golang.org/x/sys/unix"

	"platen.dev/events/contract"
)

// This file has the work of pages that go to a URL and run its script.

// confinement refuses downloads and permissions, which a page may request from an interactive browser.
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

// react handles the events that make a page wait.
func (p *page) react(event cdp.Event) {
	switch event.Method {
	case "Page.javascriptDialogOpening":
		p.reactions.start(func(ctx context.Context) {
			_ = proto.PageHandleJavaScriptDialog{Accept: false}.Call(p.session.With(ctx))
		})
	case "Fetch.requestPaused":
		resume := p.onPaused(event.Params)
		p.reactions.start(func(ctx context.Context) { resume(ctx, p.session.With(ctx)) })
	case "Target.attachedToTarget", "Runtime.exceptionThrown", "Runtime.exceptionRevoked":
		if e := p.emulation.Load(); e != nil {
			e.observe(event)
		}
	case "Page.frameAttached":
		if p.guard != nil {
			p.guard.attach(event.Params)
		}
	}
}

// equip prepares a fresh page for its job, once.
func (p *page) equip(ctx context.Context, d document) error {
	client := p.session.With(ctx)
	if p.equipped {
		return nil
	}
	p.equipped, p.private = true, d.access.any()
	if d.site != nil {
		p.proxy.Serve(siteHost, d.site)
	}
	if p.function = functionOf(p, d.load); p.function != nil {
		if err := p.function.check(ctx); err != nil {
			return err
		}
	}
	if e := emulationOf(p, d.load); e != nil {
		p.emulation.Store(e)
		if err := e.begin(ctx); err != nil {
			return err
		}
	}
	if len(d.access.Cookies) > 0 {
		if err := setCookies(client, d); err != nil {
			return err
		}
	}
	if added := d.access.added(); len(added) > 0 {
		p.guard = newCredentialsGuard(added, p.progress.frame)
		return p.pauseRequests(client)
	}
	return nil
}

// navigate goes to the document's URL and returns once the document is there. An error
// response fails here already, so that nothing waits for what an error page embeds.
func (p *page) navigate(ctx context.Context, d document) error {
	client := p.session.With(ctx)
	if err := p.equip(ctx, d); err != nil {
		return err
	}
	done, err := proto.PageNavigate{URL: d.url}.Call(client)
	if message := browserMessage(err); message != "" {
		return Because(fmt.Errorf("%w: %s", ErrNavigation, message), "%s could not be loaded: %s.", showURL(d.url), strings.TrimSuffix(message, "."))
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

// checkDocument returns what is wrong with the current document of a visit, or the one about to replace it; nil for nothing.
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

// isAllowedScheme reports whether a page may navigate on its own to a URL of this scheme. The browser keeps pages away
// from local files and its own pages; this is a second safeguard.
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
		return Because(fmt.Errorf("%w: %s", ErrNavigation, r.failure), "%s", p.whyNot(r))
	case r.status >= 400:
		return Because(fmt.Errorf("%w: HTTP status %d", ErrNavigation, r.status), "%s answered with HTTP status %d.", showURL(r.url), r.status)
	default:
		return fmt.Errorf("%w: it navigated to a URL with a forbidden scheme", ErrBlocked)
	}
}

// broken are the failures of a document that has begun to arrive.
var broken = []string{"CONTENT_LENGTH_MISMATCH", "INCOMPLETE_CHUNKED_ENCODING", "INVALID_CHUNKED_ENCODING", "CONTENT_DECODING_FAILED", "CONNECTION_RESET"}

// failureSentences explain further failures of a URL.
var failureSentences = map[string]string{
	"EMPTY_RESPONSE":     "%s closed the connection without a response.",
	"SSL_PROTOCOL_ERROR": "%s does not speak TLS, or no version of it that browsers accept.",
	"TOO_MANY_REDIRECTS": "%s redirects in a circle, or too often.",
	"UNSAFE_REDIRECT":    "%s redirects to something other than http and https.",
}

// whyNot explains why a document did not arrive, or only in part.
func (p *page) whyNot(r response) string {
	name, at := strings.TrimPrefix(r.failure, "net::ERR_"), showURL(r.url)
	if u, _ := contract.ParsePageURL(r.url); u != nil {
		fault := p.proxy.Fault(u.Hostname(), contract.PortOf(u))
		var unknown *net.DNSError
		switch {
		case errors.As(fault, &unknown):
			return fmt.Sprintf("The name %s does not resolve.", u.Hostname())
		case errors.Is(fault, unix.ECONNREFUSED):
			return fmt.Sprintf("%s refuses connections to port %d.", u.Hostname(), contract.PortOf(u))
		case fault != nil:
			return fmt.Sprintf("%s does not answer on port %d.", u.Hostname(), contract.PortOf(u))
		}
	}
	switch {
	case r.failure == aborted && r.status == http.StatusNoContent, r.failure == aborted && r.status == http.StatusResetContent:
		return fmt.Sprintf("%s has no content: it answered with HTTP status %d.", at, r.status)
	case r.failure == aborted && r.status != 0:
		return fmt.Sprintf("%s is a download of type %s, not a page.", at, clip(r.media))
	case slices.Contains(broken, name):
		return fmt.Sprintf("%s broke off before the document was whole (%s).", at, name)
	case strings.HasPrefix(name, "CERT_"):
		return fmt.Sprintf("The certificate of %s is not valid (%s).", at, name)
	case failureSentences[name] != "":
		return fmt.Sprintf(failureSentences[name], at)
	default:
		return fmt.Sprintf("%s could not be loaded (%s).", at, name)
	}
}
