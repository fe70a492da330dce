package page

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"platen.dev/events/contract"
)

// This file notes which parts of a page are missing.

// shownParts are the types of requests whose failure leaves something out of the page.
var shownParts = []string{"Document", "Stylesheet", "Image", "Media", "Font", "Script"}

// notePart records a request for a part of the page. A redirect does not change the recorded URL: the target of a redirect may be confidential.
func (g *progress) notePart(e networkEvent) {
	isPart := g.requests[e.RequestID].part && (g.next == nil || g.next.request != e.RequestID)
	if _, redirected := g.parts[e.RequestID]; isPart && !redirected {
		g.parts[e.RequestID] = e.Request.URL
	}
}

// partFailed notes why a part is missing, once for each request.
func (g *progress) partFailed(request, why string) {
	at, isPart := g.parts[request]
	delete(g.parts, request)
	if isPart {
		g.noteMissing(at, why)
	}
}

func (g *progress) noteMissing(url, why string) {
	if len(g.failed) < contract.MaxWarnings {
		g.failed = append(g.failed, Warning{contract.ResourceMissing, fmt.Sprintf("%s is missing: %s.", showURL(url), why)})
	}
}

// noteUnshown notes embedded documents for which the browser has no viewer.
func (g *progress) noteUnshown(urls []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, url := range urls {
		g.noteMissing(url, "the browser shows no documents of its type")
	}
}

// missing are the warnings about the parts that failed.
func (g *progress) missing() []Warning {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.failed)
}

// maxShownURL is how much of a URL a message shows, in bytes.
const maxShownURL = 200

// showURL returns a URL without its possible secrets: credentials, query and fragment.
func showURL(text string) string {
	u, _ := contract.ParsePageURL(text)
	switch {
	case u == nil:
		return "a part of the page"
	case u.Host == siteHost:
		return siteName(u)
	}
	shown := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
	if len(shown) > maxShownURL {
		shown = strings.ToValidUTF8(shown[:maxShownURL], "") + "…"
	}
	return shown
}
