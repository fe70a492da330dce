package page

import (
	"fmt"
	"testing"

	"github.com/go-rod/rod/lib/cdp"

	"platen.dev/events/contract"
)

// A page becomes idle when none of its own requests is under way. The browser reports the request for a worker's script, but not its
// response (measured with Chromium 156; such a request has no loader).
func TestWorkersDoNotKeepAPageBusy(t *testing.T) {
	g := newProgress("frame", true)
	tell := func(method, params string) { g.observe(cdp.Event{Method: method, Params: []byte(params)}) }
	idle := func(what string, want bool) {
		t.Helper()
		yes, again := g.reached(contract.UntilIdle) // again: it is idle, and may become busy once more
		if got := yes || again > 0; got != want {
			t.Errorf("%s: becomes idle: %t, want %t", what, got, want)
		}
	}
	g.begin()
	tell("Network.requestWillBeSent", `{"requestId":"d","loaderId":"d","frameId":"frame","type":"Document","request":{"url":"http://a/"}}`)
	tell("Network.responseReceived", `{"requestId":"d","loaderId":"d","response":{"status":200}}`)
	tell("Page.frameNavigated", `{"frame":{"id":"frame","loaderId":"d","url":"http://a/"}}`)
	tell("Network.requestWillBeSent", `{"requestId":"w","loaderId":"","frameId":"","type":"Script","request":{"url":"http://a/w.js"}}`)
	tell("Page.loadEventFired", `{}`)
	tell("Page.frameStoppedLoading", `{"frameId":"frame"}`)
	idle("while the document arrives", false)
	tell("Network.loadingFinished", `{"requestId":"d"}`)
	idle("with a worker", true)
	tell("Network.requestWillBeSent", `{"requestId":"f","loaderId":"d","frameId":"frame","type":"Fetch","request":{"url":"http://a/f"}}`)
	idle("while it fetches", false)
	tell("Network.loadingFailed", `{"requestId":"f","errorText":"net::ERR_FAILED"}`)
	idle("afterwards", true)
}

// Frames of the document are known until they are gone, at most maxFrames, and none of the document before.
func TestFramesInADocument(t *testing.T) {
	g := newProgress("frame", true)
	send := func(method, params string) {
		g.observe(cdp.Event{Method: method, Params: []byte(params)})
	}
	attach := func(id, parent string) {
		send("Page.frameAttached", `{"frameId": "`+id+`", "parentFrameId": "`+parent+`"}`)
	}
	attach("a", "frame")
	attach("b", "frame")
	attach("inner", "a")
	send("Page.frameDetached", `{"frameId": "a", "reason": "remove"}`)
	if got := g.frames(); len(got) != 1 || got[0] != "b" {
		t.Errorf("the frames are %v", got)
	}
	for n := range maxFrames {
		attach(fmt.Sprint(n), "frame")
	}
	if got := g.frames(); len(got) != maxFrames {
		t.Errorf("%d frames are remembered", len(got))
	}
	if g.begin(); len(g.frames()) != 0 {
		t.Error("another document has the frames")
	}
}

// What a look below the fold starts is waited for, but not the polls of a page: script that fetches a URL for the third time.
func TestPollsAreNotWaitedFor(t *testing.T) {
	g, id := newProgress("frame", true), 0
	isPoll := func(method, kind, url string) bool {
		mark := g.mark()
		id++
		g.observe(cdp.Event{Method: "Network.requestWillBeSent", Params: fmt.Appendf(nil, `{"requestId":"%d","loaderId":"d","frameId":"frame","type":%q,"request":{"url":%q,"method":%q}}`, id, kind, url, method)})
		settled, again := g.settledSince(mark)
		if begun, awaited := g.begunSince(mark) > 0, !settled && again == 0; begun != awaited {
			t.Errorf("%s %s %s: it has begun: %t; it is waited for: %t", kind, method, url, begun, awaited)
		}
		return g.begunSince(mark) == 0
	}
	for n := range 4 {
		for _, r := range []struct {
			method, kind, url string
			poll              bool
		}{
			{"GET", "Fetch", "http://a/poll", n >= asksBefore},
			{"GET", "XHR", "http://a/other", n >= asksBefore},
			{"GET", "Fetch", fmt.Sprintf("http://a/?page=%d", n), false},
			{"POST", "Fetch", "http://a/graphql", false},
			{"GET", "Image", "http://a/picture", false},
		} {
			if isPoll(r.method, r.kind, r.url) != r.poll {
				t.Errorf("request %d, %s %s %s: a poll: %t, want %t", n+1, r.kind, r.method, r.url, !r.poll, r.poll)
			}
		}
	}
	g.begin()
	if isPoll("GET", "Fetch", "http://a/poll") {
		t.Error("a new document has polls of the one before")
	}
}
