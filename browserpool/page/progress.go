package page

import (
	"encoding/json"
	"hash/maphash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// idleFor is how long no request must be under way before a page counts as idle.
const idleFor = 500 * time.Millisecond

// progress records what the events of a page tell about its document. The goroutine that
// reads the pipe writes it, the page's holder reads it.
type progress struct {
	frame       proto.PageFrameID // fixed: the main frame
	mayNavigate bool              // fixed: the document may navigate on its own
	changed     chan struct{}     // holds a token when something happened

	mu sync.Mutex // guards what follows
	// committed, parsed and loaded are the progress of the main frame's document.
	committed, parsed, loaded bool
	// stopped means that the frame came to rest after its load event: only then is it
	// known whether a refresh is scheduled, which leaving means.
	stopped, leaving bool
	// shown is the response of the current document; next is the response that is about to replace it, nil if there is none.
	shown response
	next  *response
	// requests are those under way, idleSince is when the last of them ended.
	requests  map[string]request
	idleSince time.Time
	// begun counts the requests other than polls; ended is when one of those last ended.
	begun int
	ended time.Time
	// asked counts how often script has fetched a URL, by its hash.
	asked map[uint64]int
	// parts maps each pending request for a part of the page to its URL, as the page named it, sheets those for style sheets that are not
	// answered; failed are the parts that failed, doubtful those that may have.
	parts    map[string]string
	sheets   map[string]*sheet
	failed   []Warning
	doubtful doubts
	// networkUsed means that there was a request since the page was opened, challenged that a server
	// asked for credentials or that a URL had some.
	networkUsed, challenged bool
	// animated means that an animation or a transition was made. stops counts how often the page's clock stopped after it was put forward.
	animated bool
	stops    int
	// framed means that a frame was made.
	framed bool
	// frames are those in the document, at most maxFrames.
	frames []proto.PageFrameID
}

// response is a main document as the network delivered it.
type response struct {
	request string
	url     string // after redirects
	status  int    // of HTTP; 0 until it is known
	failure string // why there is no document, as net::ERR_…
	charset string // that the server declares; empty for none
	media   string // its media type
}

// request is one under way.
type request struct {
	poll  bool
	part  bool   // for a part of the page
	media bool   // sound or video, which may be fetched while it is played
	kind  string // the media type of a document that has begun to arrive, or ""
}

// asksBefore is how often script has fetched a URL before, if the request is a poll: nothing waits for the next one but idleness.
const asksBefore = 2

var hashes = maphash.MakeSeed()

func newProgress(frame proto.PageFrameID, mayNavigate bool) *progress {
	return &progress{
		frame: frame, mayNavigate: mayNavigate, changed: make(chan struct{}, 1),
		requests: map[string]request{}, asked: map[uint64]int{}, parts: map[string]string{}, sheets: map[string]*sheet{}, idleSince: time.Now(),
	}
}

// begin forgets the previous document.
func (g *progress) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.committed, g.parsed, g.loaded, g.stopped, g.leaving = false, false, false, false, false
	g.shown, g.next = response{}, nil
	clear(g.requests)
	clear(g.asked)
	clear(g.parts)
	clear(g.sheets)
	g.failed, g.doubtful, g.animated, g.framed, g.frames = nil, doubts{}, false, false, nil
	g.idleSince = time.Now()
}

// commit notes a document that does not come from the network.
func (g *progress) commit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.committed = true
}

// reached reports whether the document has come to a moment. When again is positive, ask
// again after that time even if nothing happens before.
func (g *progress) reached(until string) (yes bool, again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	complete := g.loaded && (g.stopped || !g.mayNavigate)
	if !g.committed || g.next != nil || g.leaving { // another document is about to replace it
		return false, 0
	}
	switch until {
	case contract.UntilCommit:
		return true, 0
	case contract.UntilDOM:
		return g.parsed, 0
	case contract.UntilIdle:
		if !complete || len(g.requests) > 0 {
			return false, 0
		}
		again = idleFor - time.Since(g.idleSince)
		return again <= 0, again
	default:
		return complete, 0
	}
}

// responses returns the response of the current document, and that of the document about to replace it, which is zero if there is none.
func (g *progress) responses() (shown, next response) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next != nil {
		next = *g.next
	}
	return g.shown, next
}

// isCharsetDeclared reports whether the server declared the encoding of the current document.
func (g *progress) isCharsetDeclared() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shown.charset != ""
}

// brokenOff reports whether the current document did not arrive, or only in part. An aborted one may be due to a crash, which another event reports.
func (g *progress) brokenOff() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shown.failure != "" && g.shown.failure != aborted
}

// mark is a moment in the life of a document.
type mark struct {
	begun   int                // requests other than polls so far
	pending map[string]request // those under way at the mark
}

// mark returns the present moment.
func (g *progress) mark() mark {
	g.mu.Lock()
	defer g.mu.Unlock()
	return mark{g.begun, maps.Clone(g.requests)}
}

// requested returns the moment before all pending requests but media, and reports whether any of those is not a poll.
func (g *progress) requested() (since mark, some bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	since = mark{g.begun, map[string]request{}}
	for id, r := range g.requests {
		if r.media {
			since.pending[id] = r
		} else if !r.poll {
			some = true
		}
	}
	return since, some
}

// begunSince is how many requests other than polls have begun since a moment.
func (g *progress) begunSince(m mark) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.begun - m.begun
}

// settledSince reports whether no request, but for polls, that began since a moment has been under way for
// settleFor. When again is positive, ask again after that time even if nothing happens before.
func (g *progress) settledSince(m mark) (yes bool, again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id, r := range g.requests {
		if _, old := m.pending[id]; !old && !r.poll {
			return false, 0
		}
	}
	again = settleFor - time.Since(g.ended)
	return again <= 0, again
}

func (g *progress) isAnimated() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.animated
}

func (g *progress) isFramed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.framed
}

// isLeaving reports whether another document is about to replace the current one.
func (g *progress) isLeaving() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.next != nil || g.leaving
}

// isFetching reports whether any request is under way.
func (g *progress) isFetching() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.requests) > 0
}

func (g *progress) clockStops() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stops
}

func (g *progress) usedNetwork() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.networkUsed
}

// wasChallenged reports whether the browser may have sent credentials that the page knew: it keeps them.
func (g *progress) wasChallenged() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.challenged
}

// observe takes one event, and reports whether it begins or ends a request for a part of the page. It neither blocks nor calls the browser.
func (g *progress) observe(event cdp.Event) (exchanged bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch event.Method {
	case "Page.frameNavigated":
		g.onNavigated(event.Params)
	case "Page.domContentEventFired":
		g.parsed = true
	case "Page.loadEventFired":
		g.parsed, g.loaded = true, true
	case "Page.frameStoppedLoading", "Page.frameScheduledNavigation", "Page.frameClearedScheduledNavigation":
		g.onFrame(event)
	case "Network.requestWillBeSent":
		exchanged = g.onRequest(event.Params)
	case "Network.responseReceivedExtraInfo":
		g.onHead(event.Params)
		return false
	case "Network.responseReceived":
		g.onResponse(event.Params)
	case "Network.loadingFinished", "Network.loadingFailed":
		exchanged = g.onEnd(event.Params)
	case "Animation.animationCreated":
		g.animated = true
	case "Page.frameAttached":
		g.onAttached(event.Params)
	case "Page.frameDetached":
		g.onDetached(event.Params)
	case "Emulation.virtualTimeBudgetExpired":
		g.stops++
	default:
		return false
	}
	select {
	case g.changed <- struct{}{}:
	default:
	}
	return exchanged
}

// immediateRefresh is the delay, in seconds, up to which a refresh belongs to loading.
const immediateRefresh = 1

func (g *progress) onFrame(event cdp.Event) {
	var e struct {
		FrameID proto.PageFrameID `json:"frameId"`
		Delay   float64           `json:"delay"`
	}
	if json.Unmarshal(event.Params, &e) != nil || e.FrameID != g.frame {
		return
	}
	switch event.Method {
	case "Page.frameStoppedLoading":
		g.stopped = g.loaded
	case "Page.frameScheduledNavigation":
		g.leaving = e.Delay <= immediateRefresh
	default:
		g.leaving = false
	}
}

// networkEvent holds the needed fields of network events.
type networkEvent struct {
	RequestID string            `json:"requestId"`
	LoaderID  string            `json:"loaderId"`
	FrameID   proto.PageFrameID `json:"frameId"`
	Type      string            `json:"type"`
	ErrorText string            `json:"errorText"`
	Request   struct{ URL, Method string }
	Response  struct {
		Status            int
		Charset, MimeType string
		Headers           headers
	}
}

func (g *progress) onRequest(params []byte) (forPart bool) {
	var e networkEvent
	if json.Unmarshal(params, &e) != nil {
		g.networkUsed = true // regardless of the kind of request
		return false
	}
	if e.Type == "Document" && e.FrameID == g.frame {
		g.next = &response{request: e.RequestID, url: e.Request.URL}
	}
	if strings.HasPrefix(e.Request.URL, "data:") {
		return false
	}
	g.networkUsed = true
	g.challenged = g.challenged || hasUserinfo(e.Request.URL)
	if e.LoaderID == "" || e.Type == "EventSource" { // a worker's script: the page is not told when it has arrived; a stream ends with the page
		return false
	}
	r := request{poll: g.isPoll(e), part: slices.Contains(shownParts, e.Type), media: e.Type == "Media"}
	g.requests[e.RequestID] = r
	if !r.poll {
		g.begun++
	}
	g.notePart(e)
	return r.part
}

// isPoll reports whether script fetches a URL as it has done again and again. What it asks for by other methods may differ each time.
func (g *progress) isPoll(e networkEvent) bool {
	if e.Type != "XHR" && e.Type != "Fetch" || e.Request.Method != http.MethodGet {
		return false
	}
	hash := maphash.String(hashes, e.Request.URL)
	g.asked[hash]++
	return g.asked[hash] > asksBefore
}

// hasUserinfo reports whether a URL has credentials.
func hasUserinfo(text string) bool {
	u, err := url.Parse(text)
	return err != nil || u.User != nil
}

func (g *progress) onResponse(params []byte) {
	var e networkEvent
	if json.Unmarshal(params, &e) != nil {
		return
	}
	if g.next != nil && g.next.request == e.RequestID {
		g.next.status, g.next.charset, g.next.media = e.Response.Status, e.Response.Charset, e.Response.MimeType
	}
	g.challenged = g.challenged || e.Response.Status == http.StatusUnauthorized
	if r, underWay := g.requests[e.RequestID]; underWay && e.Type == "Document" {
		r.kind = e.Response.MimeType
		g.requests[e.RequestID] = r
	}
	if e.Response.MimeType == "text/event-stream" {
		g.ends(e.RequestID)
	}
	g.partAnswered(e)
}

func (g *progress) onEnd(params []byte) (forPart bool) {
	var e networkEvent
	if json.Unmarshal(params, &e) != nil {
		return false
	}
	r := g.requests[e.RequestID]
	g.ends(e.RequestID)
	g.partEnded(e, r.kind)
	switch {
	case e.ErrorText == "":
	case g.next != nil && g.next.request == e.RequestID:
		g.next.failure = e.ErrorText
		g.abandonNext()
	case g.shown.request == e.RequestID && e.ErrorText != aborted: // an aborted one was stopped by its page or by us
		g.shown.failure = e.ErrorText
	}
	return r.part
}

// ends removes a request from those under way.
func (g *progress) ends(id string) {
	r, underWay := g.requests[id]
	delete(g.requests, id)
	if underWay && !r.poll {
		g.ended = time.Now()
	}
	if len(g.requests) == 0 {
		g.idleSince = time.Now()
	}
}

// aborted is the error of a navigation that was ended by a download, an empty response or another navigation.
const aborted = "net::ERR_ABORTED"

// abandonNext drops the next document. An aborted navigation leaves the current document in place, if there is one;
// after any other failure the browser is about to show an error page.
func (g *progress) abandonNext() {
	if !g.committed || g.next.failure != aborted {
		g.shown = *g.next
	}
	g.next = nil
}

func (g *progress) onNavigated(params []byte) {
	var e struct{ Frame proto.PageFrame }
	if json.Unmarshal(params, &e) != nil || e.Frame.ID != g.frame {
		return
	}
	g.frames = nil
	switch {
	case g.next != nil && g.next.request == string(e.Frame.LoaderID):
		g.shown, g.next = *g.next, nil
	case !g.committed: // the initial empty document
		return
	case e.Frame.UnreachableURL == "":
		g.shown = response{request: string(e.Frame.LoaderID), url: e.Frame.URL}
	}
	g.committed, g.parsed, g.loaded, g.stopped, g.leaving = true, false, false, false, false
}
