package edge

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/apikey"
	"platen.dev/events"
	"platen.dev/projections"
)

// Rate is what the request rate allows an account at a moment.
type Rate struct {
	Allowed bool
	// Limit is per minute; Remaining is what is left of it in the window.
	Limit, Remaining int64
	// Reset is when the oldest request leaves the window.
	Reset events.Instant
}

const limitHeader = "X-RateLimit-Limit"

// rateWindow is the window of the request rate in seconds, as the headers tell it.
const rateWindow = "60"

// enter finds the account of the request's key and counts the request, or answers
// 401 or 429. Either way the response tells the rate.
func (s *Server) enter(ctx *fasthttp.RequestCtx) (projections.Caller, bool) {
	caller, ok := s.authenticate(ctx)
	if !ok {
		return caller, false
	}
	rate := s.cfg.Rate(caller.Account, caller.Plan)
	now := events.At(s.cfg.Now())
	setRate(ctx, rate, now)
	s.noteUse(caller, now)
	if !rate.Allowed {
		s.fail(ctx, rateLimited.after(now.Until(rate.Reset)))
	}
	return caller, rate.Allowed
}

// authenticate finds the account of the request's key, or answers 401.
func (s *Server) authenticate(ctx *fasthttp.RequestCtx) (projections.Caller, bool) {
	hash, ok := apikey.Hash(string(ctx.Request.Header.Peek("X-API-Key")))
	if !ok {
		s.fail(ctx, invalidKey)
		return projections.Caller{}, false
	}
	caller, known, err := s.caller(hash)
	if errors.Is(err, context.DeadlineExceeded) {
		s.fail(ctx, unavailable)
		return caller, false
	}
	if err != nil {
		s.cfg.Logger.Error("look up key", "error", err)
		s.fail(ctx, internalError)
		return caller, false
	}
	if !known {
		s.fail(ctx, invalidKey)
	}
	return caller, known
}

// setRate writes the rate headers of the contract and, beside them, the IETF's fields.
func setRate(ctx *fasthttp.RequestCtx, r Rate, now events.Instant) {
	var buffer [64]byte
	h, b := &ctx.Response.Header, buffer[:0]
	h.SetBytesV(limitHeader, strconv.AppendInt(b, r.Limit, 10))
	h.SetBytesV("X-RateLimit-Remaining", strconv.AppendInt(b, r.Remaining, 10))
	h.SetBytesV("X-RateLimit-Reset", strconv.AppendInt(b, (int64(r.Reset)+999)/1000, 10))
	h.SetBytesV("RateLimit-Policy", append(strconv.AppendInt(append(b, `"requests";q=`...), r.Limit, 10), ";w="+rateWindow...))
	left := max(0, (int64(r.Reset-now)+999)/1000)
	h.SetBytesV("RateLimit", strconv.AppendInt(append(strconv.AppendInt(append(b, `"requests";r=`...), r.Remaining, 10), ";t="...), left, 10))
}

// setNoRate is for responses that are no account's: nobody may ask anything without a key.
func setNoRate(ctx *fasthttp.RequestCtx, now events.Instant) { setRate(ctx, Rate{Reset: now}, now) }

const (
	// noteEvery is how exactly the last use of a key is known.
	noteEvery = time.Hour
	// noteAgain is after how long a note that has not come to the read models is made again.
	noteAgain = time.Minute
)

// noteUse tells the account, now and then, that a key is in use.
func (s *Server) noteUse(c projections.Caller, now events.Instant) {
	if now < c.LastUsed.Add(noteEvery) {
		return
	}
	if noted, ok := s.noted.Load(c.Key); ok && now < noted.(events.Instant).Add(noteAgain) {
		return
	}
	s.noted.Store(c.Key, now)
	s.cfg.Commands.Tell(c.Account, events.NoteKeyUse{Key: c.Key}, func(err error) {
		if err != nil {
			s.cfg.Logger.Warn("key use not noted", "key", string(c.Key), "error", err)
		}
	})
}
