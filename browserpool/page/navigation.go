package page

import (
	"github.com/go-rod/rod/lib/proto"
)

// navigation is how far the documents of the main frame have come.
type navigation struct {
	// committed, parsed and loaded are the progress of the current document.
	committed, parsed, loaded bool
	// stopped means that the frame became idle after its load event: only then is it
	// known whether a refresh is scheduled, which leaving means.
	stopped, leaving bool
	// shown is the response of the current document; next is the response that is about to replace it, or nil.
	shown response
	next  *response
}

// response is a main document as the network delivered it.
type response struct {
	request string
	url     string // after redirects
	status  int    // of HTTP; 0 until it is known
	failure string // why the document is missing, as net::ERR_…
	charset string // that the server declares; empty for none
	media   string // its media type
}

// aborted is the error of a navigation that was ended by a download, an empty response or another navigation.
const aborted = "net::ERR_ABORTED"

// immediateRefresh is the delay, in seconds, up to which a refresh belongs to loading.
const immediateRefresh = 1

// isLeaving reports whether another document is about to replace the current one.
func (n *navigation) isLeaving() bool { return n.next != nil || n.leaving }

// isNext reports whether a request is for the document that is about to replace the current one.
func (n *navigation) isNext(request string) bool { return n.next != nil && n.next.request == request }

// onFrame takes an event of the main frame.
func (n *navigation) onFrame(method string, delay float64) {
	switch method {
	case "Page.frameStoppedLoading":
		n.stopped = n.loaded
	case "Page.frameScheduledNavigation":
		n.leaving = delay <= immediateRefresh
	default:
		n.leaving = false
	}
}

func (n *navigation) onResponse(e networkEvent) {
	if n.isNext(e.RequestID) {
		n.next.status, n.next.charset, n.next.media = e.Response.Status, e.Response.Charset, e.Response.MimeType
	}
}

// onFailure notes that a document did not arrive, or only in part.
func (n *navigation) onFailure(e networkEvent) {
	switch {
	case n.isNext(e.RequestID):
		n.next.failure = e.ErrorText
		n.abandonNext()
	case n.shown.request == e.RequestID && e.ErrorText != aborted: // an aborted one was stopped by its page or by us
		n.shown.failure = e.ErrorText
	}
}

// abandonNext drops the next document. An aborted navigation leaves the current document in place, if there is one;
// after any other failure the browser is about to show an error page.
func (n *navigation) abandonNext() {
	if !n.committed || n.next.failure != aborted {
		n.shown = *n.next
	}
	n.next = nil
}

// onNavigated takes the main frame as it is with its new document.
func (n *navigation) onNavigated(frame proto.PageFrame) {
	switch {
	case n.isNext(string(frame.LoaderID)):
		n.shown, n.next = *n.next, nil
	case !n.committed: // the initial empty document
		return
	case frame.UnreachableURL == "":
		n.shown = response{request: string(frame.LoaderID), url: frame.URL}
	}
	n.committed, n.parsed, n.loaded, n.stopped, n.leaving = true, false, false, false, false
}
