package edge

import (
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/events/contract"
)

const limitHeader = "X-RateLimit-Limit"

// windowSeconds is the window of the request rate as the headers tell it.
var windowSeconds = strconv.Itoa(int(contract.RateWindow / time.Second))

// setRate writes the API's rate headers, and the IETF's fields beside them.
func setRate(ctx *fasthttp.RequestCtx, r events.Rate, now events.Instant) {
	var buffer [64]byte
	h, b := &ctx.Response.Header, buffer[:0]
	h.SetBytesV(limitHeader, strconv.AppendInt(b, r.Limit, 10))
	h.SetBytesV("X-RateLimit-Remaining", strconv.AppendInt(b, r.Remaining, 10))
	h.SetBytesV("X-RateLimit-Reset", strconv.AppendInt(b, seconds(r.Reset), 10))
	h.SetBytesV("RateLimit-Policy", append(strconv.AppendInt(append(b, `"requests";q=`...), r.Limit, 10), ";w="+windowSeconds...))
	left := max(0, seconds(r.Reset-now))
	h.SetBytesV("RateLimit", strconv.AppendInt(append(strconv.AppendInt(append(b, `"requests";r=`...), r.Remaining, 10), ";t="...), left, 10))
}

// seconds rounds up.
func seconds(i events.Instant) int64 { return (int64(i) + 999) / 1000 }

// setNoRate is for responses that belong to no account: without a key nothing is allowed.
func setNoRate(ctx *fasthttp.RequestCtx, now events.Instant) {
	setRate(ctx, events.Rate{Reset: now}, now)
}
