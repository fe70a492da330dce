package chromium

import (
	"context"
	"errors"
	"maps"
	"math"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// Session is a rod.Page and the events of it. It ends when its renderer crashes, its browser
// is gone, or it is detached; every waiting call then fails.
type Session struct {
	client
	page    *rod.Page
	onEvent func(cdp.Event) // called on the goroutine that reads the pipe
}

// Attach opens a session to a page. onEvent receives the session's events in order, on the
// goroutine that reads the pipe: it must not block or call. A rod.Browser keeps the latest
// parameters of every method for as long as it lives, so each page has one of its own.
func (b *Browser) Attach(ctx context.Context, target proto.TargetTargetID, onEvent func(cdp.Event)) (_ *Session, err error) {
	s := &Session{client: newClient(b, b.life), onEvent: onEvent}
	if s.page, err = s.drive().Context(ctx).PageFromTarget(target); err != nil {
		s.end(err)
		return nil, err
	}
	b.mu.Lock()
	b.sessions[s.page.SessionID] = s
	b.mu.Unlock()
	// Without this domain the session gets no event when the renderer crashes.
	if err := (proto.InspectorEnable{}).Call(s.With(ctx)); err != nil {
		s.Detach()
		return nil, err
	}
	return s, nil
}

// Detach ends the session on our side.
func (s *Session) Detach() { s.finish(ErrDetached) }

// Ended is closed when the session has ended.
func (s *Session) Ended() <-chan struct{} { return s.life.Done() }

// Cause is ErrCrashed, ErrDetached or ErrGone; nil before the session has ended.
func (s *Session) Cause() error { return context.Cause(s.life) }

// With returns the page for calls that end with ctx. Its methods that wait for events return
// at once.
func (s *Session) With(ctx context.Context) *rod.Page { return s.page.Context(ctx) }

// Send calls a method of the page and waits for its result. Use it for content, which rod's page would retain.
func (s *Session) Send(ctx context.Context, method string, params any) ([]byte, error) {
	return s.Call(ctx, string(s.page.SessionID), method, params)
}

// ReadStream reads the next part of a stream of bytes; eof means that it is the last. It
// decodes by hand, because decoding as JSON takes twenty times as long.
func (s *Session) ReadStream(ctx context.Context, read proto.IORead) (part []byte, eof bool, err error) {
	frame, err := s.exchange(ctx, string(s.page.SessionID), read.ProtoReq(), read)
	if err != nil {
		return nil, false, err
	}
	part, err = decodeData(read.ProtoReq(), frame, math.MaxInt64)
	return part, endOfStream(frame), err
}

// ErrOversized refuses an answer larger than the caller takes.
var ErrOversized = errors.New("answer is too large")

// CallBytes sends one method and returns the base64 field "data" of its result, decoded
// by hand as in ReadStream. More than limit bytes are ErrOversized.
func (s *Session) CallBytes(ctx context.Context, method string, params any, limit int64) ([]byte, error) {
	frame, err := s.exchange(ctx, string(s.page.SessionID), method, params)
	if err != nil {
		return nil, err
	}
	return decodeData(method, frame, limit)
}

func (s *Session) receive(event cdp.Event) {
	switch event.Method {
	case "Inspector.targetCrashed":
		s.finish(ErrCrashed)
	case "Inspector.detached", "Target.detachedFromTarget":
		s.finish(ErrDetached)
	default:
		s.onEvent(event)
	}
}

func (s *Session) finish(cause error) {
	s.end(cause)
	s.browser.mu.Lock()
	defer s.browser.mu.Unlock()
	delete(s.browser.sessions, s.page.SessionID)
	maps.DeleteFunc(s.browser.children, func(_ proto.TargetSessionID, c *Child) bool { return c.page == s })
}
