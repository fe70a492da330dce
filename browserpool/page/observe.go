package page

import (
	"encoding/json"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// This file hands the events of a page to the parts of its progress.

// observe takes one event, and reports whether it begins or ends a request for a part of the page. It neither blocks nor calls the browser.
func (g *progress) observe(event cdp.Event) (exchanged bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch event.Method {
	case "Page.frameNavigated":
		g.onNavigated(event.Params)
	case "Page.domContentEventFired":
		g.navigation.parsed = true
	case "Page.loadEventFired":
		g.navigation.parsed, g.navigation.loaded = true, true
	case "Page.frameStoppedLoading", "Page.frameScheduledNavigation", "Page.frameClearedScheduledNavigation":
		g.onFrame(event)
	case "Network.requestWillBeSent":
		exchanged = g.onRequest(event.Params)
	case "Network.responseReceivedExtraInfo":
		g.parts.onHead(event.Params)
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

func (g *progress) onFrame(event cdp.Event) {
	var e struct {
		FrameID proto.PageFrameID `json:"frameId"`
		Delay   float64           `json:"delay"`
	}
	if json.Unmarshal(event.Params, &e) == nil && e.FrameID == g.frame {
		g.navigation.onFrame(event.Method, e.Delay)
	}
}

func (g *progress) onNavigated(params []byte) {
	var e struct{ Frame proto.PageFrame }
	if json.Unmarshal(params, &e) == nil && e.Frame.ID == g.frame {
		g.children.frames = nil
		g.navigation.onNavigated(e.Frame)
	}
}

// onAttached notes a frame that was made.
func (g *progress) onAttached(params []byte) {
	var e proto.PageFrameAttached
	isChild := json.Unmarshal(params, &e) == nil && e.ParentFrameID == g.frame
	g.children.attach(e.FrameID, isChild)
}

// onDetached forgets a frame.
func (g *progress) onDetached(params []byte) {
	var e proto.PageFrameDetached
	if json.Unmarshal(params, &e) == nil {
		g.children.detach(e.FrameID)
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
		g.traffic.used = true // regardless of the kind of request
		return false
	}
	if e.Type == "Document" && e.FrameID == g.frame {
		g.navigation.next = &response{request: e.RequestID, url: e.Request.URL}
	}
	r := g.traffic.onRequest(e)
	if r.part && !g.navigation.isNext(e.RequestID) {
		g.parts.onRequest(e)
	}
	return r.part
}

func (g *progress) onResponse(params []byte) {
	var e networkEvent
	if json.Unmarshal(params, &e) == nil {
		g.navigation.onResponse(e)
		g.traffic.onResponse(e)
		g.parts.onResponse(e)
	}
}

func (g *progress) onEnd(params []byte) (forPart bool) {
	var e networkEvent
	if json.Unmarshal(params, &e) != nil {
		return false
	}
	r := g.traffic.end(e.RequestID)
	g.parts.onEnd(e, r.kind)
	if e.ErrorText != "" {
		g.navigation.onFailure(e)
	}
	return r.part
}
