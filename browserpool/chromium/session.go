package chromium

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// Session is a connection to one target of a browser. It ends when its target
// crashes or is detached; every waiting call then fails.
type Session struct {
	ID     proto.TargetSessionID
	Target proto.TargetTargetID

	browser *Browser
	onEvent func(cdp.Event) // called on the goroutine that reads the pipe
	ended   chan struct{}
	end     sync.Once
	cause   error // written once, before ended is closed
}

var _ proto.Client = (*Session)(nil)

// Attach opens a session to a target. onEvent receives the session's events in
// order, on the goroutine that reads the pipe: it must not block or call.
func (b *Browser) Attach(ctx context.Context, target proto.TargetTargetID, onEvent func(cdp.Event)) (*Session, error) {
	attached, err := proto.TargetAttachToTarget{TargetID: target, Flatten: true}.Call(b.With(ctx))
	if err != nil {
		return nil, err
	}
	s := &Session{ID: attached.SessionID, Target: target, browser: b, onEvent: onEvent, ended: make(chan struct{})}
	b.mu.Lock()
	b.sessions[s.ID] = s
	b.mu.Unlock()
	// Without this domain the session does not receive the event of a crash.
	if err := (proto.InspectorEnable{}).Call(s.With(ctx)); err != nil {
		s.Detach()
		return nil, err
	}
	return s, nil
}

// Detach ends the session on our side.
func (s *Session) Detach() { s.finish(ErrDetached) }

// Ended is closed when the session has ended.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Cause is ErrCrashed or ErrDetached; call it only once Ended is closed.
func (s *Session) Cause() error { return s.cause }

// With returns a client of the session whose calls end with ctx.
func (s *Session) With(ctx context.Context) proto.Client {
	return caller{ctx: ctx, client: s, session: s.ID}
}

// Call sends one method to the session's target and waits for its result. The session
// argument is there for rod's types, which pass this session's id.
func (s *Session) Call(ctx context.Context, _, method string, params any) ([]byte, error) {
	frame, err := s.exchange(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return result(method, frame)
}

// ReadStream reads the next part of a stream of bytes; eof means that it is the last. It
// decodes by hand, because decoding as JSON takes twenty times as long.
func (s *Session) ReadStream(ctx context.Context, read proto.IORead) (part []byte, eof bool, err error) {
	frame, err := s.exchange(ctx, read.ProtoReq(), read)
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
	frame, err := s.exchange(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return decodeData(method, frame, limit)
}

func (s *Session) exchange(ctx context.Context, method string, params any) ([]byte, error) {
	frame, err := s.browser.exchange(ctx, s.ended, string(s.ID), method, params)
	if errors.Is(err, ErrDetached) {
		return nil, s.cause
	}
	return frame, err
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
	s.end.Do(func() {
		s.cause = cause
		s.browser.mu.Lock()
		delete(s.browser.sessions, s.ID)
		s.browser.mu.Unlock()
		close(s.ended)
	})
}

// caller binds a client to a context and a session, in the form that rod's types require.
type caller struct {
	ctx     context.Context
	client  proto.Client
	session proto.TargetSessionID
}

func (c caller) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	return c.client.Call(ctx, session, method, params)
}
func (c caller) GetContext() context.Context         { return c.ctx }
func (c caller) GetSessionID() proto.TargetSessionID { return c.session }
