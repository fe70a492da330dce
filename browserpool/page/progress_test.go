package page

import (
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
