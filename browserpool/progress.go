package browserpool

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// progress is what a page's events tell of its document. The goroutine that
// reads the pipe writes it, the page's holder reads it.
type progress struct {
	frame   proto.PageFrameID // the main frame
	leads   bool              // the document may lead to another by itself
	changed chan struct{}     // holds a token when something happened

	mu sync.Mutex // guards what follows
	// committed, parsed and loaded tell how far the document of the main frame is.
	committed, parsed, loaded bool
	// stopped tells that after its load event the frame came to rest: only then is it
	// known whether a refresh is scheduled, as leaving tells.
	stopped, leaving bool
	// shown is the document, next the one that is on its way to take its place.
	shown answer
	next  *answer
	// open are the requests under way, quiet is when the last of them ended.
	open  map[string]struct{}
	quiet time.Time
	// used tells that the network was used since the page was opened.
	used bool
}

// answer is a document of the main frame as the network gave it.
type answer struct {
	request string
	url     string // after redirects
	status  int    // of HTTP; 0 before there is one
	failure string // why there is no answer, as net::ERR_…
}

func newProgress(frame proto.PageFrameID, leads bool) *progress {
	return &progress{frame: frame, leads: leads, changed: make(chan struct{}, 1), open: map[string]struct{}{}, quiet: time.Now()}
}

// begin forgets the document before.
func (g *progress) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.committed, g.parsed, g.loaded, g.stopped, g.leaving = false, false, false, false, false
	g.shown, g.next = answer{}, nil
	clear(g.open)
	g.quiet = time.Now()
}

// commit notes a document that was not asked of the network.
func (g *progress) commit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.committed = true
}

// reached tells whether the document has come to a moment that can be waited for;
// wait, when positive, is after which time to ask again if nothing happens before.
func (g *progress) reached(until string) (yes bool, wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	complete := g.loaded && (g.stopped || !g.leads)
	if !g.committed || g.next != nil || g.leaving { // another document is about to take its place
		return false, 0
	}
	switch until {
	case UntilCommit:
		return true, 0
	case UntilDOM:
		return g.parsed, 0
	case UntilIdle:
		if !complete || len(g.open) > 0 {
			return false, 0
		}
		wait = idle - time.Since(g.quiet)
		return wait <= 0, wait
	default:
		return complete, 0
	}
}

// document returns what is shown, and what is to take its place, if anything.
func (g *progress) document() (shown, next answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next != nil {
		next = *g.next
	}
	return g.shown, next
}

func (g *progress) networkUsed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.used
}

// observe takes one event. It neither blocks nor calls.
func (g *progress) observe(event cdp.Event) {
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
		g.onRequest(event.Params)
	case "Network.responseReceived":
		g.onResponse(event.Params)
	case "Network.loadingFinished", "Network.loadingFailed":
		g.onEnd(event.Params)
	default:
		return
	}
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

// soon is up to which delay, in seconds, a refresh belongs to loading.
const soon = 1

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
		g.leaving = e.Delay <= soon
	default:
		g.leaving = false
	}
}

// networkEvent is what the network's events have in common, as far as it matters.
type networkEvent struct {
	RequestID string            `json:"requestId"`
	FrameID   proto.PageFrameID `json:"frameId"`
	Type      string            `json:"type"`
	ErrorText string            `json:"errorText"`
	Request   struct{ URL string }
	Response  struct{ Status int }
}

func (g *progress) isDocument(e networkEvent) bool {
	return e.Type == "Document" && e.FrameID == g.frame
}

func (g *progress) onRequest(params []byte) {
	var e networkEvent
	if json.Unmarshal(params, &e) != nil {
		g.used = true // whatever it was
		return
	}
	if g.isDocument(e) {
		g.next = &answer{request: e.RequestID, url: e.Request.URL}
	}
	if strings.HasPrefix(e.Request.URL, "data:") {
		return
	}
	g.used = true
	g.open[e.RequestID] = struct{}{}
}

func (g *progress) onResponse(params []byte) {
	var e networkEvent
	if json.Unmarshal(params, &e) == nil && g.next != nil && g.next.request == e.RequestID {
		g.next.status = e.Response.Status
	}
}

func (g *progress) onEnd(params []byte) {
	var e networkEvent
	if json.Unmarshal(params, &e) != nil {
		return
	}
	delete(g.open, e.RequestID)
	if len(g.open) == 0 {
		g.quiet = time.Now()
	}
	if e.ErrorText != "" && g.next != nil && g.next.request == e.RequestID {
		g.next.failure = e.ErrorText
		g.abandon()
	}
}

// abandon gives up on the next document: what is shown stays, unless there is
// nothing, or until the browser shows its own page about the failure.
func (g *progress) abandon() {
	if !g.committed || g.next.failure != aborted {
		g.shown = *g.next
	}
	g.next = nil
}

// aborted is how a download, an empty answer or another navigation ends one.
const aborted = "net::ERR_ABORTED"

func (g *progress) onNavigated(params []byte) {
	var e struct{ Frame proto.PageFrame }
	if json.Unmarshal(params, &e) != nil || e.Frame.ID != g.frame {
		return
	}
	switch {
	case g.next != nil && g.next.request == string(e.Frame.LoaderID):
		g.shown, g.next = *g.next, nil
	case !g.committed: // the empty page that was there at first
		return
	case e.Frame.UnreachableURL == "":
		g.shown = answer{request: string(e.Frame.LoaderID), url: e.Frame.URL}
	}
	g.committed, g.parsed, g.loaded, g.stopped, g.leaving = true, false, false, false, false
}
