package page

import (
	"slices"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// progress records what the events of a page tell about its document. The goroutine that
// reads the pipe writes it, the page's holder reads it.
type progress struct {
	frame       proto.PageFrameID // fixed: the main frame
	mayNavigate bool              // fixed: the document may navigate on its own
	changed     chan struct{}     // holds a token when something happened

	mu         sync.Mutex // guards what follows
	navigation navigation
	traffic    traffic
	parts      parts
	children   children
	animated   bool // an animation or a transition was made
	stops      int  // how often the page's clock stopped after it was put forward
}

func newProgress(frame proto.PageFrameID, mayNavigate bool) *progress {
	return &progress{frame: frame, mayNavigate: mayNavigate, changed: make(chan struct{}, 1), traffic: newTraffic(), parts: newParts()}
}

// begin forgets the previous document.
func (g *progress) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.navigation, g.parts, g.children, g.animated = navigation{}, newParts(), children{}, false
	g.traffic.begin()
}

// commit notes a document that does not come from the network.
func (g *progress) commit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.navigation.committed = true
}

// reached reports whether the document has come to a moment. When again is positive, ask
// again after that time even if nothing happens before.
func (g *progress) reached(until string) (yes bool, again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := &g.navigation
	complete := n.loaded && (n.stopped || !g.mayNavigate)
	if !n.committed || n.isLeaving() {
		return false, 0
	}
	switch until {
	case contract.UntilCommit:
		return true, 0
	case contract.UntilDOM:
		return n.parsed, 0
	case contract.UntilIdle:
		if !complete {
			return false, 0
		}
		return g.traffic.isIdle()
	default:
		return complete, 0
	}
}

// responses returns the response of the current document, and that of the document about to replace it, or its zero value.
func (g *progress) responses() (shown, next response) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.navigation.next != nil {
		next = *g.navigation.next
	}
	return g.navigation.shown, next
}

// isCharsetDeclared reports whether the server declared the encoding of the current document.
func (g *progress) isCharsetDeclared() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.navigation.shown.charset != ""
}

// brokenOff reports whether the current document did not arrive, or only in part. An aborted one may be due to a crash, which another event reports.
func (g *progress) brokenOff() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.navigation.shown.failure != "" && g.navigation.shown.failure != aborted
}

// mark returns the present moment.
func (g *progress) mark() mark {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.traffic.mark()
}

// requested returns the moment before all pending requests but media, and reports whether any of those is not a poll.
func (g *progress) requested() (since mark, some bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.traffic.requested()
}

// begunSince is how many requests other than polls have begun since a moment.
func (g *progress) begunSince(m mark) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.traffic.begun - m.begun
}

// settledSince reports whether no request, but for polls, that began since a moment has been under way for
// settleFor. When again is positive, ask again after that time even if nothing happens before.
func (g *progress) settledSince(m mark) (yes bool, again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.traffic.settledSince(m)
}

func (g *progress) isAnimated() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.animated
}

// isFramed reports whether the document has made a frame.
func (g *progress) isFramed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.children.some
}

// frames returns the frames in the document, at most maxFrames, but not those in other frames.
func (g *progress) frames() []proto.PageFrameID {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.children.frames)
}

// isLeaving reports whether another document is about to replace the current one.
func (g *progress) isLeaving() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.navigation.isLeaving()
}

// isFetching reports whether any request is under way.
func (g *progress) isFetching() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.traffic.underWay) > 0
}

func (g *progress) clockStops() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stops
}

func (g *progress) usedNetwork() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.traffic.used
}

// wasChallenged reports whether the browser may have sent credentials that the page knew: it keeps them.
func (g *progress) wasChallenged() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.traffic.challenged
}
