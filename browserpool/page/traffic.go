package page

import (
	"hash/maphash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// idleFor is how long no request must be under way before a page counts as idle.
const idleFor = 500 * time.Millisecond

// traffic is the requests of a page.
type traffic struct {
	// underWay are those that have not ended; idleSince is when the last of them ended.
	underWay  map[string]request
	idleSince time.Time
	// begun counts the requests other than polls; ended is when one of those last ended.
	begun int
	ended time.Time
	// asked counts how often script has fetched a URL, by its hash.
	asked map[uint64]int
	// used means that there was a request since the page was opened, challenged that a server
	// asked for credentials or that a URL had some.
	used, challenged bool
}

// request is one under way.
type request struct {
	poll  bool
	part  bool   // for a part of the page
	media bool   // sound or video, which may be fetched while it is played
	kind  string // the media type of a document that has begun to arrive, or ""
}

// mark is a moment in the life of a document.
type mark struct {
	begun   int                // requests other than polls so far
	pending map[string]request // those under way at the mark
}

// asksBefore is how often script has fetched a URL before, if the request is a poll: nothing waits for the next one but idleness.
const asksBefore = 2

var hashes = maphash.MakeSeed()

func newTraffic() traffic {
	return traffic{underWay: map[string]request{}, asked: map[uint64]int{}, idleSince: time.Now()}
}

// begin forgets the requests of the previous document. The counters are kept.
func (t *traffic) begin() {
	clear(t.underWay)
	clear(t.asked)
	t.idleSince = time.Now()
}

// mark returns the present moment.
func (t *traffic) mark() mark { return mark{t.begun, maps.Clone(t.underWay)} }

// requested returns the moment before all pending requests but media, and reports whether any of those is not a poll.
func (t *traffic) requested() (since mark, some bool) {
	since = mark{t.begun, map[string]request{}}
	for id, r := range t.underWay {
		if r.media {
			since.pending[id] = r
		} else if !r.poll {
			some = true
		}
	}
	return since, some
}

// settledSince reports whether no request, but for polls, that began since a moment has been under way for
// settleFor. When again is positive, ask again after that time even if nothing happens before.
func (t *traffic) settledSince(m mark) (yes bool, again time.Duration) {
	for id, r := range t.underWay {
		if _, old := m.pending[id]; !old && !r.poll {
			return false, 0
		}
	}
	again = settleFor - time.Since(t.ended)
	return again <= 0, again
}

// isIdle reports whether no request has been under way for idleFor. When again is positive, ask again after that time even if nothing happens before.
func (t *traffic) isIdle() (yes bool, again time.Duration) {
	if len(t.underWay) > 0 {
		return false, 0
	}
	again = idleFor - time.Since(t.idleSince)
	return again <= 0, again
}

// onRequest notes a request, and returns it, or its zero value if nothing waits for it.
func (t *traffic) onRequest(e networkEvent) (r request) {
	if strings.HasPrefix(e.Request.URL, "data:") {
		return r
	}
	t.used = true
	t.challenged = t.challenged || hasUserinfo(e.Request.URL)
	if e.LoaderID == "" || e.Type == "EventSource" { // a worker's script: the page is not told when it has arrived; a stream ends with the page
		return r
	}
	r = request{poll: t.isPoll(e), part: slices.Contains(shownParts, e.Type), media: e.Type == "Media"}
	t.underWay[e.RequestID] = r
	if !r.poll {
		t.begun++
	}
	return r
}

// isPoll reports whether script fetches a URL as it has done again and again. What it asks for by other methods may differ each time.
func (t *traffic) isPoll(e networkEvent) bool {
	if e.Type != "XHR" && e.Type != "Fetch" || e.Request.Method != http.MethodGet {
		return false
	}
	hash := maphash.String(hashes, e.Request.URL)
	t.asked[hash]++
	return t.asked[hash] > asksBefore
}

// hasUserinfo reports whether a URL has credentials.
func hasUserinfo(text string) bool {
	u, err := url.Parse(text)
	return err != nil || u.User != nil
}

func (t *traffic) onResponse(e networkEvent) {
	t.challenged = t.challenged || e.Response.Status == http.StatusUnauthorized
	if r, underWay := t.underWay[e.RequestID]; underWay && e.Type == "Document" {
		r.kind = e.Response.MimeType
		t.underWay[e.RequestID] = r
	}
	if e.Response.MimeType == "text/event-stream" {
		t.end(e.RequestID)
	}
}

// end removes a request from those under way, and returns it.
func (t *traffic) end(id string) request {
	r, underWay := t.underWay[id]
	delete(t.underWay, id)
	if underWay && !r.poll {
		t.ended = time.Now()
	}
	if len(t.underWay) == 0 {
		t.idleSince = time.Now()
	}
	return r
}
