package edge

import (
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/events/apikey"
	"platen.dev/projections"
)

const keyHeader = "X-API-Key"

// enter finds the account of the request's key and counts the request, or returns 401,
// 429 or, if the key cannot be looked up, 5xx. The response has the rate headers.
func (s *front) enter(ctx *fasthttp.RequestCtx) (projections.Caller, *problem) {
	var e entry
	if a := s.admission(ctx); a != nil && a.entry != nil {
		e = *a.entry
	} else {
		e = s.count(&ctx.Request.Header)
	}
	if e.rate.Limit > 0 {
		setRate(ctx, e.rate, e.now)
	}
	return e.caller, e.wrong
}

// enterWithBody is enter for an endpoint that reads a body.
func (s *front) enterWithBody(ctx *fasthttp.RequestCtx) (projections.Caller, *problem) {
	caller, wrong := s.enter(ctx)
	if wrong == nil {
		wrong = refuseEncoding(&ctx.Request.Header)
	}
	return caller, wrong
}

// count finds the account of a request's key and counts the request.
func (s *front) count(h *fasthttp.RequestHeader) (e entry) {
	if e.caller, e.wrong = s.authenticate(h); e.wrong != nil {
		return e
	}
	e.rate = s.cfg.Rate(e.caller.Account, e.caller.Plan)
	e.now = events.At(s.cfg.Now())
	s.noteUse(e.caller, e.now)
	if !e.rate.Allowed {
		e.wrong = rateLimited.after(e.now.SecondsUntil(e.rate.Reset))
	}
	return e
}

// authenticate finds the account of a request's one key: of two, a proxy may have checked the other.
func (s *front) authenticate(h *fasthttp.RequestHeader) (projections.Caller, *problem) {
	keys := h.PeekAll(keyHeader)
	if len(keys) != 1 {
		return projections.Caller{}, invalidKey
	}
	hash, ok := apikey.Hash(string(keys[0]))
	if !ok {
		return projections.Caller{}, invalidKey
	}
	caller, known, err := s.caller(hash)
	switch {
	case err != nil:
		return caller, s.unreadable("look up key", err)
	case !known:
		return caller, invalidKey
	}
	return caller, nil
}

// unreadable logs why something could not be read, unless the node is only behind. The client may ask again: another node may know, and this one
// ends or mends what it cannot read.
func (s *front) unreadable(what string, err error, attributes ...any) *problem {
	if !errors.Is(err, service.ErrBehind) {
		s.cfg.Logger.Error(what, append(attributes, "error", err)...)
	}
	return notRead
}

// caller finds the account of a key by its hash. An unknown key may have been issued at
// another node a moment ago: before it is refused, everything durable by now is read.
func (s *front) caller(hash [32]byte) (projections.Caller, bool, error) {
	c, known, err := s.cfg.Models.Caller(hash)
	now := events.At(s.cfg.Now())
	if known || err != nil || s.unknown.has(hash, now) {
		return c, known, err
	}
	if err := s.cfg.Fresh.All(); err != nil {
		return c, false, err
	}
	c, known, err = s.cfg.Models.Caller(hash)
	if !known && err == nil {
		s.unknown.add(hash, now)
	}
	return c, known, err
}

// noteAgain is how long to wait before the use of a key is recorded again if the read
// models do not show it yet.
const noteAgain = time.Minute

// usedKey identifies a key with its account: members may choose key ids, so an id alone is ambiguous.
type usedKey struct {
	account events.AccountID
	key     events.KeyID
}

// noteUse records that a key is in use, once per events.KeyUsePrecision.
func (s *front) noteUse(c projections.Caller, now events.Instant) {
	if c.LastUsed.Recent(events.KeyUsePrecision, now) {
		return
	}
	used := usedKey{c.Account, c.Key}
	if _, noted := s.noted.LoadOrStore(used, true); noted {
		return
	}
	time.AfterFunc(noteAgain, func() { s.noted.Delete(used) })
	s.cfg.Commands.Tell(c.Account, events.NoteKeyUse{Key: c.Key}, func(err error) {
		if err != nil {
			s.cfg.Logger.Warn("key use not noted", "key", string(c.Key), "error", err)
		}
	})
}
