package page

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"platen.dev/events/contract"
)

// This file notes which parts of a page are missing.

// part is a part of the page that is requested.
type part struct {
	url      string // as the page named it
	answered bool   // the page was told of an answer
	refused  bool   // the browser has refused it; refusal is not known yet
	refusal  string // why the browser has refused it, if it has; "" until it is known
}

// shownParts are the types of requests whose failure leaves something out of the page.
var shownParts = []string{"Document", "Stylesheet", "Image", "Media", "Font", "Script"}

// notePart records a request for a part of the page. A redirect does not change the recorded URL: the target of a redirect may be confidential.
func (g *progress) notePart(e networkEvent) {
	isPart := g.requests[e.RequestID].part && (g.next == nil || g.next.request != e.RequestID)
	if _, redirected := g.parts[e.RequestID]; isPart && !redirected {
		g.parts[e.RequestID] = &part{url: e.Request.URL}
	}
}

// partFailed notes why a part is missing, once for each request.
func (g *progress) partFailed(request, why string) {
	at, isPart := g.parts[request]
	delete(g.parts, request)
	if isPart {
		g.noteMissing(at.url, why)
	}
}

// onHead notes what an answer says that the browser may refuse. It comes from the network itself, in no order with the other events.
func (g *progress) onHead(params []byte) {
	var e struct {
		RequestID  string `json:"requestId"`
		StatusCode int    `json:"statusCode"`
		Headers    headers
	}
	if len(g.parts) == 0 || json.Unmarshal(params, &e) != nil {
		return
	}
	at, isPart := g.parts[e.RequestID]
	if !isPart {
		return
	}
	at.refusal = ""
	media, _, _ := strings.Cut(e.Headers.ContentType, ";")
	switch {
	case e.StatusCode >= 400:
		at.refusal = httpStatus(e.StatusCode)
	case !strings.EqualFold(strings.TrimSpace(media), "text/css"):
		at.refusal = ofType(media)
	}
	if at.refused {
		g.partRefused(e.RequestID)
	}
}

// partRefused notes that the browser has refused a part before the page was told of an answer: a style sheet of another declared type. If none has
// come, the page itself no longer wants it.
func (g *progress) partRefused(request string) {
	at, isPart := g.parts[request]
	switch {
	case !isPart || at.answered:
		delete(g.parts, request)
	case at.refusal != "":
		g.partFailed(request, at.refusal)
	case at.refused:
		delete(g.parts, request)
	default:
		at.refused = true
	}
}

// headers are those of an answer by which the browser may refuse it.
type headers struct {
	ContentType string `json:"Content-Type"`
	Sniffing    string `json:"X-Content-Type-Options"`
}

// refusesScript reports whether the browser runs no script of a media type, as the server forbids to guess another.
func (h headers) refusesScript(media string) bool {
	return strings.EqualFold(strings.TrimSpace(h.Sniffing), "nosniff") && !slices.ContainsFunc(scriptTypes, func(s string) bool { return strings.Contains(media, s) })
}

// scriptTypes are parts of the media types of scripts and modules.
var scriptTypes = []string{"javascript", "ecmascript", "jscript", "livescript", "json", "wasm", "css"}

func httpStatus(status int) string { return fmt.Sprintf("HTTP status %d", status) }

func ofType(media string) string { return "it is refused for its type, " + clip(media) }

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
