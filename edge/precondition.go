package edge

import (
	"bytes"
	"time"

	"github.com/valyala/fasthttp"
)

// precondition evaluates a conditional request (RFC 9110, section 13.2.2): 304 or 412
// when nothing is to be sent, otherwise 0.
func precondition(h *fasthttp.RequestHeader, etag string, modified time.Time) int {
	seconds := modified.Truncate(time.Second)
	if match := h.PeekAll("If-Match"); len(match) > 0 {
		if !lists(match, etag, "") {
			return fasthttp.StatusPreconditionFailed
		}
	} else if since, err := fasthttp.ParseHTTPDate(h.Peek("If-Unmodified-Since")); err == nil && seconds.After(since) {
		return fasthttp.StatusPreconditionFailed
	}
	if match := h.PeekAll("If-None-Match"); len(match) > 0 {
		if lists(match, etag, weak) {
			return fasthttp.StatusNotModified
		}
	} else if since, err := fasthttp.ParseHTTPDate(h.Peek("If-Modified-Since")); err == nil && !seconds.After(since) {
		return fasthttp.StatusNotModified
	}
	return 0
}

// weak is the prefix of weak entity tags, which If-None-Match ignores.
const weak = "W/"

// lists reports whether a list of entity tags has the tag, or is *. A tag in the list may begin with a prefix. The list may be
// spread over several lines of the header.
func lists(lines [][]byte, etag, prefix string) bool {
	for item := range bytes.SplitSeq(bytes.Join(lines, []byte(",")), []byte(",")) {
		item = bytes.TrimPrefix(bytes.TrimSpace(item), []byte(prefix))
		if string(item) == "*" || string(item) == etag {
			return true
		}
	}
	return false
}
