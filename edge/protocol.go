package edge

import (
	"bytes"
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/transport"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Checks before a request has been read completely.

const chunked = -1 // fasthttp's length of a body in chunks

var errVersion = errors.New("not a version of HTTP/1")

func speaksHTTP1(h *fasthttp.RequestHeader) bool {
	return h.IsHTTP11() || string(h.Protocol()) == "HTTP/1.0"
}

// onHeader decides about a body before it is read.
func (s *Server) onHeader(h *fasthttp.RequestHeader) (defaults fasthttp.RequestConfig) {
	length := h.ContentLength()
	if length == chunked && bytes.Contains(bytes.ToLower(h.RawHeaders()), []byte("content-length:")) {
		// A proxy may have seen the request's end elsewhere: what follows may be another
		// client's request, or none (RFC 9112, section 6.1).
		h.SetConnectionClose()
	}
	if length != chunked && length <= smallBody {
		return defaults
	}
	a := s.admit(h)
	s.admitted.Store(h, a)
	if a.wrong != nil {
		h.SetContentLength(contract.MaxBody + 1) // what counts as too large is refused unread
	}
	return defaults
}

// onExpect refuses a body before it is sent, if it is not to be read.
func (s *Server) onExpect(ctx *fasthttp.RequestCtx) int {
	if ctx.Request.Header.ContentLength() <= contract.MaxBody {
		if a := s.admission(ctx); a != nil {
			if c, ok := ctx.Conn().(*transport.Conn); ok {
				c.Hold(a.body)
			}
		}
		return fasthttp.StatusContinue
	}
	s.onMalformed(ctx, fasthttp.ErrBodyTooLarge)
	return ctx.Response.StatusCode()
}

// onMalformed writes the response to a request that fasthttp could not read whole, and
// ends the connection.
func (s *Server) onMalformed(ctx *fasthttp.RequestCtx, err error) {
	start := time.Now()
	a := s.admission(ctx)
	defer s.leave(ctx)
	s.begin(ctx)
	setNoRate(ctx, events.At(s.cfg.Now()))
	late := false
	if c, ok := ctx.Conn().(*transport.Conn); ok {
		late = c.Linger()
	}
	wrong := s.unread(err, late)
	if a != nil {
		if a.entry != nil && a.entry.rate.Limit > 0 {
			setRate(ctx, a.entry.rate, a.entry.now)
		}
		if a.wrong != nil {
			wrong = a.wrong
		}
	}
	s.fail(ctx, wrong)
	ctx.SetConnectionClose()
	if a != nil && s.cfg.Observe != nil {
		s.cfg.Observe(a.route, wrong.status, time.Since(start))
	}
}

// unread returns the problem of a request that could not be read completely, perhaps because the server ends.
func (s *Server) unread(err error, late bool) *problem {
	select {
	case <-s.draining:
		if late {
			return endsUnread
		}
	default:
	}
	return unreadable(err, late)
}

// unreadable returns the problem of a request that could not be read completely.
func unreadable(err error, late bool) *problem {
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return bodyTooLarge
	case errors.As(err, &small):
		return headersTooLarge
	case late:
		return requestTimeout
	}
	return malformed
}
