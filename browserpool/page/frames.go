package page

import (
	"context"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// frames knows which frames of a page show documents of the target's origin and nothing else.
type frames struct {
	main proto.PageFrameID // fixed

	mu      sync.Mutex // guards what follows
	target  string     // the origin as the browser writes it; empty before the first request
	all     map[proto.PageFrameID]*frame
	strange map[proto.NetworkRequestID]bool // requests that were at another origin before they were redirected
}

// frame is one frame of a page.
type frame struct {
	parent   proto.PageFrameID
	strange  bool          // it was sent to another origin; a child frame stays so
	attached chan struct{} // closed once parent is known
}

// attachTimeout bounds the wait for the event that reports a frame's parent. It arrives on another path than requests, and may be a little later.
const attachTimeout = 2 * time.Second

func newFrames(main proto.PageFrameID) *frames {
	f := &frames{main: main, all: map[proto.PageFrameID]*frame{}, strange: map[proto.NetworkRequestID]bool{}}
	close(f.get(main).attached)
	return f
}

// get returns a frame that may not be attached yet. The caller holds the lock, or is alone.
func (f *frames) get(id proto.PageFrameID) *frame {
	if f.all[id] == nil {
		f.all[id] = &frame{attached: make(chan struct{})}
	}
	return f.all[id]
}

func (f *frames) attach(id, parent proto.PageFrameID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.get(id).attached:
	default:
		f.all[id].parent = parent
		close(f.all[id].attached)
	}
}

// request notes a request, in the order of events, and reports whether it goes to the target's
// origin. The first request for the main document is for the job's URL as the browser writes it, and
// so defines the target. Requests that a redirect of another origin sends to the target do not count,
// unless they are for the main document: that origin chose their URL.
func (f *frames) request(paused *proto.FetchRequestPaused) bool {
	requested := origin(paused.Request.URL)
	isDocument := paused.ResourceType == proto.NetworkResourceTypeDocument
	isMain := paused.FrameID == f.main && isDocument
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.target == "" && isMain {
		f.target = requested
	}
	own := requested != "" && requested == f.target
	switch {
	case isMain:
		f.get(f.main).strange = !own
		return own
	case !own:
		f.strange[paused.NetworkID] = true
		if isDocument {
			f.get(paused.FrameID).strange = true // permanently: it may keep its present document
		}
	}
	return own && !f.strange[paused.NetworkID]
}

// isOwn reports whether a request was made by a document of the target's origin, or is for the main document. The
// request for a frame is made by its parent's document.
func (f *frames) isOwn(ctx context.Context, paused *proto.FetchRequestPaused) bool {
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	if paused.FrameID == "" {
		return false
	}
	for id := paused.FrameID; ; {
		f.mu.Lock()
		at := f.get(id)
		strange := at.strange
		f.mu.Unlock()
		if strange || id == f.main {
			return !strange
		}
		select {
		case <-at.attached:
			id = at.parent
		case <-ctx.Done():
			return false
		}
	}
}
