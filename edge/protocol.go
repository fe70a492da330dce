package edge

import (
	"bytes"
	"errors"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/apikey"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// What happens before a request is read whole.

const (
	chunked = -1 // fasthttp's length of a body in chunks
	// anonymousBody is how many bytes of a body are read before the key is checked.
	anonymousBody = maxHeader
)

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
	if (length == chunked || length > anonymousBody) && !s.hasValidKey(h) {
		// Without a key nobody may make the server allocate memory. A body that counts as
		// too large is refused unread.
		h.SetContentLength(contract.MaxBody + 1)
	}
	return defaults
}

func (s *Server) hasValidKey(h *fasthttp.RequestHeader) bool {
	hash, ok := apikey.Hash(string(h.Peek(keyHeader)))
	if !ok {
		return false
	}
	_, known, err := s.caller(hash)
	return err == nil && known
}

// onExpect refuses a body before it is sent if its length is too large.
func (s *Server) onExpect(ctx *fasthttp.RequestCtx) int {
	if ctx.Request.Header.ContentLength() <= contract.MaxBody {
		return fasthttp.StatusContinue
	}
	s.onMalformed(ctx, fasthttp.ErrBodyTooLarge)
	return ctx.Response.StatusCode()
}

// onMalformed writes the response to a request that fasthttp could not read whole, and
// ends the connection.
func (s *Server) onMalformed(ctx *fasthttp.RequestCtx, err error) {
	begin(ctx)
	setNoRate(ctx, events.At(s.cfg.Now()))
	late := false // err hides a client that is slow between two chunks
	if c, ok := ctx.Conn().(*conn); ok {
		c.linger, late = true, c.late
	}
	s.fail(ctx, s.unreadable(ctx, err, late))
	ctx.SetConnectionClose()
}

func (s *Server) unreadable(ctx *fasthttp.RequestCtx, err error, late bool) *problem {
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return s.tooLarge(ctx)
	case errors.As(err, &small):
		return headersTooLarge
	case late:
		return requestTimeout
	}
	return malformed
}

// tooLarge refuses a body by its size. The key comes first, as for any request; that of
// a chunked body was checked before, and fasthttp has forgotten the headers since.
func (s *Server) tooLarge(ctx *fasthttp.RequestCtx) *problem {
	if len(ctx.Request.Header.RawHeaders()) == 0 {
		return bodyTooLarge
	}
	if _, wrong := s.enter(ctx); wrong != nil {
		return wrong
	}
	return bodyTooLarge
}
