package chromium

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

var (
	// ErrGone answers every call to a browser that has exited or was closed.
	ErrGone = errors.New("browser is gone")
	// ErrCrashed answers every call to a session whose renderer crashed.
	ErrCrashed = errors.New("page crashed")
	// ErrDetached answers every call to a session that was closed.
	ErrDetached = errors.New("page is closed")
)

// Browser is a Process that answers calls. All methods may be called from any goroutine.
type Browser struct {
	*Process
	client // ends when the pipe does
	// Version is the product and version that the browser reports.
	Version string

	userAgent string // as the browser sends it
	driver    *rod.Browser

	mu       sync.Mutex // guards what follows
	nextID   int
	pending  map[int]chan<- []byte
	sessions map[proto.TargetSessionID]*Session
	children map[proto.TargetSessionID]*Child
}

// Start launches a browser and waits until it answers. When ctx ends first, it is killed.
func Start(ctx context.Context, o Options) (*Browser, error) {
	process, err := Launch(o)
	if err != nil {
		return nil, err
	}
	b := &Browser{
		Process:  process,
		pending:  map[int]chan<- []byte{},
		sessions: map[proto.TargetSessionID]*Session{},
		children: map[proto.TargetSessionID]*Child{},
	}
	b.client = newClient(b, context.Background())
	b.driver = b.drive()
	go b.receive()
	if err := b.handshake(ctx); err != nil {
		b.Kill()
		b.Close(ctx)
		return nil, fmt.Errorf("start browser: %w: %s", err, b.lastWords(errors.Is(err, ErrGone)))
	}
	return b, nil
}

// handshake waits until the browser answers, and closes the window that it opens on its own, which would cost a renderer.
func (b *Browser) handshake(ctx context.Context) error {
	version, err := b.With(ctx).Version()
	if err != nil {
		return err
	}
	b.Version, b.userAgent = version.Product, version.UserAgent
	targets, err := proto.TargetGetTargets{}.Call(b.With(ctx))
	if err != nil {
		return err
	}
	for _, target := range targets.TargetInfos {
		if _, err := (proto.TargetCloseTarget{TargetID: target.TargetID}).Call(b.With(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// Gone is closed when the browser no longer answers: it exited, was killed or was closed.
func (b *Browser) Gone() <-chan struct{} { return b.life.Done() }

// With returns the browser for calls that end with ctx; it hears of no events.
func (b *Browser) With(ctx context.Context) *rod.Browser { return b.driver.Context(ctx) }

// Ping returns nil if the browser answers before ctx ends.
func (b *Browser) Ping(ctx context.Context) error {
	_, err := b.With(ctx).Version()
	return err
}

func (b *Browser) expect(answer chan<- []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nextID++
	b.pending[b.nextID] = answer
	return b.nextID
}

// unexpected is the id of a request whose answer nobody waits for.
func (b *Browser) unexpected() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nextID++
	return b.nextID
}

func (b *Browser) forget(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pending, id)
}

// receive hands every answer to its caller and every event to its session, until the
// pipe ends.
func (b *Browser) receive() {
	defer b.end(ErrGone)
	for {
		frame, err := b.Pipe.Read()
		if err != nil {
			return
		}
		if id, ok := answerID(frame); ok {
			b.deliver(id, frame)
			continue
		}
		b.dispatch(frame)
	}
}

func (b *Browser) deliver(id int, frame []byte) {
	b.mu.Lock()
	answer := b.pending[id]
	b.mu.Unlock()
	if answer != nil {
		answer <- frame // has room: each id is answered once
	}
}

func (b *Browser) dispatch(frame []byte) {
	var event cdp.Event
	if json.Unmarshal(frame, &event) != nil {
		return
	}
	id := proto.TargetSessionID(event.SessionID)
	detached := event.Method == "Target.detachedFromTarget"
	if detached {
		id = detachedSession(event) // the event comes from the browser or a parent, not from the session
	}
	b.mu.Lock()
	session, child := b.sessions[id], b.children[id]
	if detached {
		delete(b.children, id)
	}
	b.mu.Unlock()
	switch {
	case session != nil:
		session.receive(event)
	case child != nil && !detached:
		child.onEvent(event)
	}
}

// detachedSession is the session that an event reports as ended.
func detachedSession(event cdp.Event) proto.TargetSessionID {
	var e proto.TargetDetachedFromTarget
	_ = json.Unmarshal(event.Params, &e) // the empty id belongs to no session
	return e.SessionID
}
