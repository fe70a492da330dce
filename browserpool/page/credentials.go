package page

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// credentialsGuard lets every request of a page pass, and adds the credentials to those
// that documents of the target's origin send there. The browser asks it again for every redirect,
// because it does not carry over what was added to the request before.
type credentialsGuard struct {
	header string // fixed
	frames *frames
}

func newCredentialsGuard(header string, main proto.PageFrameID) *credentialsGuard {
	return &credentialsGuard{header: header, frames: newFrames(main)}
}

// observe notes a paused request, in the order of events. It returns how to let it continue.
func (g *credentialsGuard) observe(paused *proto.FetchRequestPaused) (resume func(context.Context, proto.Client)) {
	own := g.frames.request(paused)
	return func(ctx context.Context, client proto.Client) {
		next := proto.FetchContinueRequest{RequestID: paused.RequestID}
		if own && !hasAuthorization(paused.Request.Headers) && g.frames.isOwn(ctx, paused) {
			for name, value := range paused.Request.Headers {
				next.Headers = append(next.Headers, &proto.FetchHeaderEntry{Name: name, Value: value.Str()})
			}
			next.Headers = append(next.Headers, &proto.FetchHeaderEntry{Name: "Authorization", Value: g.header})
		}
		_ = next.Call(client) // it fails only if the page has given the request up
	}
}

// attach notes a new frame.
func (g *credentialsGuard) attach(params []byte) {
	var attached proto.PageFrameAttached
	if json.Unmarshal(params, &attached) == nil {
		g.frames.attach(attached.FrameID, attached.ParentFrameID)
	}
}

// hasAuthorization reports whether the page sends credentials of its own.
func hasAuthorization(headers proto.NetworkHeaders) bool {
	for name := range headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// origin is scheme, host and port of an http or https URL as the browser writes it, which
// leaves out the default port. It is empty for other schemes.
func origin(text string) string {
	u, _ := contract.ParsePageURL(text)
	if u == nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// reactions are calls that answer events. Events arrive on the goroutine that reads the
// pipe, which must not wait, so each call has a goroutine of its own.
type reactions struct {
	ctx    context.Context // of every call; ends with end
	cancel context.CancelFunc

	mu      sync.Mutex // guards what follows
	closed  bool
	running sync.WaitGroup // Go only while mu is held and closed is false
}

func newReactions() *reactions {
	r := &reactions{}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

func (r *reactions) start(call func(context.Context)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.running.Go(func() { call(r.ctx) })
	}
}

// end cancels the calls that are running and waits for them; none starts afterwards.
func (r *reactions) end() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.running.Wait()
}
