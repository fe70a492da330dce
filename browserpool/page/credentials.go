package page

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"
)

// credentialsGuard lets every request of a page pass, and adds the credentials to those
// that go to the target's origin. The browser asks it again for every redirect, because it
// does not carry over what was added to the request before.
type credentialsGuard struct {
	header string            // fixed
	frame  proto.PageFrameID // fixed: the main frame

	mu     sync.Mutex
	target string // guarded by mu: the origin as the browser writes it; empty before the first request
}

// enable makes the browser pause every request until resume is called for it.
func (g *credentialsGuard) enable(client proto.Client) error {
	return proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{{URLPattern: "*"}}}.Call(client)
}

// resume lets a paused request continue.
func (g *credentialsGuard) resume(client proto.Client, params []byte) {
	var paused proto.FetchRequestPaused
	if json.Unmarshal(params, &paused) != nil || paused.Request == nil {
		return // it stays paused: better that the job runs out of time than past its guard
	}
	next := proto.FetchContinueRequest{RequestID: paused.RequestID}
	if g.covers(&paused) && !hasAuthorization(paused.Request.Headers) {
		for name, value := range paused.Request.Headers {
			next.Headers = append(next.Headers, &proto.FetchHeaderEntry{Name: name, Value: value.Str()})
		}
		next.Headers = append(next.Headers, &proto.FetchHeaderEntry{Name: "Authorization", Value: g.header})
	}
	_ = next.Call(client) // it fails only if the page has given the request up
}

// covers reports whether a request goes to the target's origin. The first request for
// the main document is for the job's URL as the browser writes it, and so defines the target.
func (g *credentialsGuard) covers(paused *proto.FetchRequestPaused) bool {
	requested := origin(paused.Request.URL)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.target == "" && paused.ResourceType == proto.NetworkResourceTypeDocument && paused.FrameID == g.frame {
		g.target = requested
	}
	return requested != "" && requested == g.target
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
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
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
