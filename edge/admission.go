package edge

import (
	"errors"
	"fmt"
	"sync"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/transport"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// front holds the checks every request passes before its handler: its key, the account's rate, and memory for its body. All endpoints
// have it.
type front struct {
	cfg *Config
	// match finds the endpoint of a path. form returns the account of whoever sends a dashboard form, and the form's size limit in bytes.
	match func(path string) match
	form  func(h *fasthttp.RequestHeader, path string) (account events.AccountID, limit int, ok bool)
	// unknown remembers keys that belong to no account.
	unknown unknownKeys
	// noted has each usedKey whose use was told within noteAgain.
	noted sync.Map
	// bodies is the memory for large bodies, admitted maps a *fasthttp.RequestHeader to the
	// *admission of the request that it belongs to at present.
	bodies   *transport.Bodies
	admitted sync.Map
}

// entry is the result of checking a request's key: an account, whose request was counted, or
// the reason for refusing it.
type entry struct {
	caller projections.Caller
	// rate is zero without an account.
	rate  events.Rate
	now   events.Instant
	wrong *problem
}

// admission is the decision on a request with a large body, made before the body was read.
type admission struct {
	route string
	// entry is nil if the request was refused before its key mattered.
	entry *entry
	// wrong is why the body is not read.
	wrong *problem
	// body is the memory reserved for copies times the body's size; nil if the body is not read.
	body   *transport.Share
	copies int64
}

// admit decides whether a body is read: nothing is read for a path that takes none, without a
// valid key, beyond the request rate, in an encoding, or beyond the memory for bodies. The request is
// counted here, and not again.
func (s *front) admit(h *fasthttp.RequestHeader) *admission {
	e := s.match(pathOf(h))
	a := &admission{route: e.route(), wrong: e.refuse(h), copies: 1}
	if a.wrong != nil {
		return a
	}
	if e.pages {
		s.admitForm(h, a)
		return a
	}
	entered := s.count(h)
	a.entry, a.wrong = &entered, entered.wrong
	if a.wrong == nil && e.body {
		a.wrong = refuseEncoding(h)
	}
	length := h.ContentLength()
	switch {
	case a.wrong != nil:
	case length > contract.MaxBody:
		a.wrong = bodyTooLarge
	case !e.body:
		a.wrong = noBodyWanted
	default:
		if len(h.Peek(gotenbergRoute)) > 0 {
			a.copies = formCopies
		}
		if length == chunked {
			length = contract.MaxBody
		}
		s.reserve(a, entered.caller.Account, length)
	}
	return a
}

const (
	// smallBody is the largest body that is read before anything is known about its request.
	// It is no larger than the header that came before it.
	smallBody = maxHeader
	// fullSeconds is when to retry after there was no memory for a body: memory is freed quickly.
	fullSeconds = 1
)

var (
	accountBodiesFull = rateLimited.with(fmt.Sprintf("rate-limit-exceeded: the account has large request bodies of %d MiB under way, which is the limit; "+
		"send fewer at a time. A body without Content-Length counts as 8 MiB until it has been read.", transport.MaxAccountBodies>>20)).after(fullSeconds)
	bodiesFull = unavailable.with("The service has no memory left for large request bodies. Nothing was accepted; try again.").after(fullSeconds)
)

// reserve reserves memory for a body of an account, or notes why there is none.
func (s *front) reserve(a *admission, account events.AccountID, length int) {
	a.body, a.wrong = s.grown(a.body, account, a.copies*int64(length))
}

// grown returns a share, nil for a new one, that holds bytes at least.
func (s *front) grown(share *transport.Share, account events.AccountID, bytes int64) (*transport.Share, *problem) {
	var err error
	if share == nil {
		share, err = s.bodies.Take(account, bytes)
	} else {
		err = share.Grow(bytes)
	}
	switch {
	case errors.Is(err, transport.ErrAccountFull):
		return share, accountBodiesFull
	case err != nil:
		return share, bodiesFull
	}
	return share, nil
}

// admitForm decides whether a large form is read: only if the sender is signed in and may send a form of that size to that path.
func (s *front) admitForm(h *fasthttp.RequestHeader, a *admission) {
	length := h.ContentLength()
	account, limit, ok := s.form(h, pathOf(h))
	switch {
	case !ok || limit <= smallBody:
		a.wrong = noBodyWanted
	case length == chunked || length > limit:
		a.wrong = formTooLarge
	default:
		a.copies = pageCopies
		s.reserve(a, account, length)
	}
}

const (
	// formCopies is how many copies of a form are in memory while it becomes a request of the API.
	formCopies = 3
	// pageCopies is that of a form of the dashboard, whose page shows again what was typed: read, unescaped, checked as the request that it
	// makes, escaped, written. TestPeakOfLargeRequests measures them.
	pageCopies = 10
)

// pathOf returns a request's path in the form in which endpoints are looked up.
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
func (s *front) admission(ctx *fasthttp.RequestCtx) *admission {
	if a, ok := s.admitted.Load(&ctx.Request.Header); ok {
		return a.(*admission)
	}
	return nil
}

// leave drops a request's body and its admission, and releases the memory.
func (s *front) leave(ctx *fasthttp.RequestCtx) {
	ctx.Request.ResetBody()
	if a, ok := s.admitted.LoadAndDelete(&ctx.Request.Header); ok && a.(*admission).body != nil {
		a.(*admission).body.Release()
	}
}
