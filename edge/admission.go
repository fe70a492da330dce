package edge

import (
	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// entry is what the key of a request came to: an account, whose request was counted, or why
// there is none.
type entry struct {
	caller projections.Caller
	// rate is zero without an account.
	rate  events.Rate
	now   events.Instant
	wrong *problem
}

// admission is what was decided about a request with a large body before that was read.
type admission struct {
	route string
	// entry is nil if the request was refused before its key mattered.
	entry *entry
	// wrong is why the body is not read.
	wrong *problem
	// body is the memory that the body may use; nil if it is not read.
	body *share
}

// admit decides whether a body is read: nothing is read for a path that takes none, without a
// valid key, beyond the request rate, or beyond the memory for bodies. The request is counted
// here, and not again.
func (s *Server) admit(h *fasthttp.RequestHeader) *admission {
	e := s.endpoint(pathOf(h))
	a := &admission{route: e.route, wrong: e.refuse(h)}
	if a.wrong != nil {
		return a
	}
	if e.pages {
		a.body, a.wrong = s.admitForm(h)
		return a
	}
	entered := s.count(h)
	a.entry, a.wrong = &entered, entered.wrong
	length := h.ContentLength()
	switch {
	case a.wrong != nil:
	case length > contract.MaxBody:
		a.wrong = bodyTooLarge
	case !e.body:
		a.wrong = noBodyWanted
	default:
		if length == chunked {
			length = contract.MaxBody
		}
		a.body, a.wrong = s.bodies.take(entered.caller.Account, int64(length))
	}
	return a
}

// admitForm decides whether a large form of a page is read: there is a member to send it, and memory.
func (s *Server) admitForm(h *fasthttp.RequestHeader) (*share, *problem) {
	account, ok := s.dashboard.Member(h)
	length := h.ContentLength()
	switch {
	case !ok || !h.IsPost():
		return nil, noBodyWanted
	case length > dashboard.MaxForm:
		return nil, bodyTooLarge
	case length == chunked: // browsers know how long a form is
		return nil, noBodyWanted
	}
	return s.bodies.take(account, int64(length))
}

// pathOf is the path of a request, as endpoints are found by it.
func pathOf(h *fasthttp.RequestHeader) string {
	uri := fasthttp.AcquireURI()
	defer fasthttp.ReleaseURI(uri)
	if uri.Parse(h.Host(), h.RequestURI()) != nil {
		return ""
	}
	return string(uri.PathOriginal())
}

// admission returns what was decided about a request before its body was read; nil if that
// is small.
func (s *Server) admission(ctx *fasthttp.RequestCtx) *admission {
	if a, ok := s.admitted.Load(&ctx.Request.Header); ok {
		return a.(*admission)
	}
	return nil
}

// leave forgets the body and the admission of a request that needs them no more, and gives the
// memory back.
func (s *Server) leave(ctx *fasthttp.RequestCtx) {
	ctx.Request.ResetBody()
	if a, ok := s.admitted.LoadAndDelete(&ctx.Request.Header); ok && a.(*admission).body != nil {
		a.(*admission).body.release()
	}
}
