package page

import (
	"context"
	_ "embed" // the script
	"encoding/json"
	"fmt"
	"html"
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"platen.dev/events/contract"
)

// This file notes which parts of a page are missing.

// parts are the requests for parts of a page, and what is missing of it.
type parts struct {
	// pending maps each request that has not ended to its URL, as the page named it, sheets those for style sheets that are not answered.
	pending map[string]string
	sheets  map[string]*sheet
	// failed are the parts that failed, doubtful those that may have.
	failed   []Warning
	doubtful doubts
}

func newParts() parts { return parts{pending: map[string]string{}, sheets: map[string]*sheet{}} }

// sheet is a style sheet of which the page was told no answer. The browser may refuse it without one: only the network says what came.
type sheet struct {
	refused bool   // the request has ended so
	refusal string // why the browser refuses what came; "" while nothing has come, or if it is good
}

// shownParts are the types of requests whose failure leaves something out of the page.
var shownParts = []string{"Document", "Stylesheet", "Image", "Media", "Font", "Script"}

// onRequest records a request for a part of the page. A redirect does not change the recorded URL: the target of a redirect may be confidential.
func (p *parts) onRequest(e networkEvent) {
	if _, redirected := p.pending[e.RequestID]; redirected {
		return
	}
	p.pending[e.RequestID] = e.Request.URL
	if e.Type == "Stylesheet" {
		p.sheets[e.RequestID] = &sheet{}
	}
}

// onResponse notes that a part is missing by its answer.
func (p *parts) onResponse(e networkEvent) {
	delete(p.sheets, e.RequestID)
	switch {
	case e.Response.Status >= 400:
		p.fail(e.RequestID, httpStatus(e.Response.Status))
	case e.Type == "Script" && e.Response.Headers.refusesScript(e.Response.MimeType):
		p.fail(e.RequestID, ofType(e.Response.MimeType))
	case e.Type == "Script" && !isScript(e.Response.MimeType):
		p.doubtful.Modules = append(p.doubtful.Modules, doubt{p.pending[e.RequestID], e.Response.MimeType})
	case e.Type == "Stylesheet" && e.Response.Headers.media() != "" && !e.Response.Headers.isStyle():
		p.doubtful.Sheets = append(p.doubtful.Sheets, doubt{p.pending[e.RequestID], e.Response.Headers.media()})
	}
}

// doubts are parts that arrived, of types with which only some documents show them: scripts unless they are modules, and style sheets in quirks mode.
type doubts struct{ Modules, Sheets []doubt }

// doubt is the URL of a part, and its media type.
type doubt struct{ URL, Media string }

// deciding says which parts are refused.
//
//go:embed script/deciding.js
var deciding string

// decide notes which doubtful parts of a document are missing.
func (p visit) decide(ctx context.Context) error {
	doubtful := p.progress.doubts()
	if len(doubtful.Modules)+len(doubtful.Sheets) == 0 {
		return nil
	}
	var refused []doubt
	_, err := p.run(ctx, deciding, doubtful, &refused)
	p.progress.mu.Lock()
	defer p.progress.mu.Unlock()
	for _, part := range refused {
		p.progress.parts.note(showURL(part.URL), ofType(part.Media))
	}
	return err
}

// doubts returns the doubtful parts.
func (g *progress) doubts() doubts {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.parts.doubtful
}

// onEnd notes that a part is missing by the end of its request. kind is the media type of a document that has begun to arrive, or "".
func (p *parts) onEnd(e networkEvent, kind string) {
	switch at := p.sheets[e.RequestID]; {
	case e.ErrorText == aborted && !isShown(kind):
		p.fail(e.RequestID, "it is a download of type "+clip(kind))
	case e.ErrorText != "" && e.ErrorText != aborted:
		p.fail(e.RequestID, "it did not arrive")
	case e.ErrorText == aborted && at != nil && at.refusal != "":
		p.fail(e.RequestID, at.refusal)
	case e.ErrorText == aborted && at != nil:
		at.refused = true // unless the page itself no longer wants it: then nothing comes
	default:
		p.forget(e.RequestID)
	}
}

// fail notes why a part is missing, once for each request.
func (p *parts) fail(request, why string) {
	at, isPart := p.pending[request]
	p.forget(request)
	if isPart {
		p.note(showURL(at), why)
	}
}

func (p *parts) forget(request string) {
	delete(p.pending, request)
	delete(p.sheets, request)
}

// onHead notes why the browser refuses a style sheet. The event comes from the network, in no order with those of the page.
func (p *parts) onHead(params []byte) {
	var e struct {
		RequestID  string `json:"requestId"`
		StatusCode int    `json:"statusCode"`
		Headers    headers
	}
	if len(p.sheets) == 0 || json.Unmarshal(params, &e) != nil {
		return
	}
	at := p.sheets[e.RequestID]
	if at == nil {
		return
	}
	at.refusal = ""
	switch {
	case e.StatusCode >= 400:
		at.refusal = httpStatus(e.StatusCode)
	case !e.Headers.isStyle():
		at.refusal = ofType(e.Headers.media())
	}
	switch {
	case at.refused && at.refusal != "":
		p.fail(e.RequestID, at.refusal)
	case at.refused:
		p.forget(e.RequestID)
	}
}

// headers are those of an answer by which the browser may refuse it.
type headers struct {
	ContentType string `json:"Content-Type"`
	Sniffing    string `json:"X-Content-Type-Options"`
}

// media returns the media type without its parameters.
func (h headers) media() string {
	media, _, _ := strings.Cut(h.ContentType, ";")
	return strings.TrimSpace(media)
}

func (h headers) isStyle() bool { return strings.EqualFold(h.media(), "text/css") }

// refusesScript reports whether the browser runs no script of a media type, as the server forbids to guess another.
func (h headers) refusesScript(media string) bool {
	return strings.EqualFold(strings.TrimSpace(h.Sniffing), "nosniff") && !isScript(media)
}

// isScript reports whether a media type is one of scripts and modules.
func isScript(media string) bool {
	return slices.ContainsFunc(scriptTypes, func(s string) bool { return strings.Contains(media, s) })
}

// scriptTypes are parts of the media types of scripts and modules.
var scriptTypes = []string{"javascript", "ecmascript", "jscript", "livescript", "json", "wasm", "css"}

func httpStatus(status int) string { return fmt.Sprintf("HTTP status %d", status) }

func ofType(media string) string { return "it is refused for its type, " + clip(media) }

func (p *parts) note(shown, why string) {
	if len(p.failed) < contract.MaxWarnings {
		p.failed = append(p.failed, Warning{contract.ResourceMissing, fmt.Sprintf("%s is missing: %s.", shown, why)})
	}
}

// noteUnshown notes embedded documents for which the browser has no viewer.
func (g *progress) noteUnshown(urls []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, url := range urls {
		g.parts.note(showURL(url), "the browser shows no documents of its type")
	}
}

// noteUnaddressed notes pictures of sanitised HTML that are not even asked for: it has no address to which theirs could be relative.
func (g *progress) noteUnaddressed(sanitised string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := range pictureAddresses(sanitised) {
		switch {
		case at == "":
			g.parts.note("A picture", "its address is none of http, https or a data URI of a picture")
		case !absolute.MatchString(at):
			g.parts.note(clip(at), "its address is relative, and the document has none")
		}
	}
}

// pictureAddresses are the addresses of the pictures and backgrounds of sanitised HTML, each empty if the sanitiser removed it.
func pictureAddresses(sanitised string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for tag := range tagsWithPictures(sanitised) {
			for _, at := range addressesIn(tag) {
				if !yield(html.UnescapeString(at)) {
					return
				}
			}
		}
	}
}

// tagsWithPictures are the tags of sanitised HTML, whose texts and values have no angle brackets, that may have pictures.
func tagsWithPictures(sanitised string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !mayHavePictures(sanitised) {
			return
		}
		for rest := sanitised; ; {
			_, tag, found := strings.Cut(rest, "<")
			if tag, rest, _ = strings.Cut(tag, ">"); !found {
				return
			}
			if mayHavePictures("<"+tag) && !yield(tag) {
				return
			}
		}
	}
}

func mayHavePictures(sanitised string) bool {
	return strings.Contains(sanitised, "<img") || strings.Contains(sanitised, "url(") || strings.Contains(sanitised, " background=")
}

var (
	srcOf        = regexp.MustCompile(` src="([^"]*)"`)
	backgroundOf = regexp.MustCompile(` background="([^"]*)"`)
	styleOf      = regexp.MustCompile(` style="([^"]*)"`)
	pictureIn    = regexp.MustCompile(`url\(&#34;(.*?)&#34;\)`)
)

// addressesIn lists the addresses of the pictures in a tag.
func addressesIn(tag string) (all []string) {
	if strings.HasPrefix(tag, "img") {
		at := ""
		if found := srcOf.FindStringSubmatch(tag); found != nil {
			at = found[1]
		}
		all = append(all, at)
	}
	if found := backgroundOf.FindStringSubmatch(tag); found != nil {
		all = append(all, found[1])
	}
	if style := styleOf.FindStringSubmatch(tag); style != nil {
		for _, found := range pictureIn.FindAllStringSubmatch(style[1], -1) {
			all = append(all, found[1])
		}
	}
	return all
}

// absolute matches the addresses of pictures that sanitised HTML may have, but for relative ones.
var absolute = regexp.MustCompile(`^\s*(?i:https?|data):`)

// missing are the warnings about the parts that failed.
func (g *progress) missing() []Warning {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.parts.failed)
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
		shown = strings.ToValidUTF8(shown[:maxShownURL], "") + clipMark
	}
	return shown
}
