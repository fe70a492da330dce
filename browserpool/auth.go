package browserpool

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"
)

// Auth is what a page asks to see before it shows itself. It is sent to the
// origin of the job's URL — scheme, host and port — and to no other, wherever
// redirects lead and whatever the page embeds.
type Auth struct {
	// Type is basic or bearer; empty means that nothing is sent.
	Type string
	// Value is name:password for basic, the token for bearer.
	Value string
}

func (a Auth) validate() error {
	switch {
	case a.Type != "" && a.Type != "basic" && a.Type != "bearer":
		return fmt.Errorf("%w: auth type %q", ErrOptions, a.Type)
	case a.Type == "basic" && !strings.Contains(a.Value, ":"):
		return fmt.Errorf("%w: auth value is not name:password", ErrOptions)
	case a.Type == "bearer" && !isToken(a.Value):
		return fmt.Errorf("%w: auth value is not a token", ErrOptions)
	}
	return nil
}

// isToken tells whether a text may stand in a header as it is.
func isToken(text string) bool {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	return text != "" && strings.IndexFunc(text, odd) < 0
}

// header is the value of Authorization.
func (a Auth) header() string {
	if a.Type == "basic" {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.Value))
	}
	return "Bearer " + a.Value
}

// guard lets every request of a page pass, those to the target's origin with the
// credentials. It is asked again for every redirect, as what it adds to one
// request the browser does not carry over to the next.
type guard struct {
	header string
	frame  proto.PageFrameID

	mu     sync.Mutex
	target string // the origin, as the browser writes it; empty before the first request
}

// watch makes the browser ask for every request.
func (g *guard) watch(client proto.Client) error {
	return proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{{URLPattern: "*"}}}.Call(client)
}

// answer lets a request that was held go on.
func (g *guard) answer(client proto.Client, params []byte) {
	var paused proto.FetchRequestPaused
	if json.Unmarshal(params, &paused) != nil || paused.Request == nil {
		return // it stays held: the job runs into its budget rather than past its guard
	}
	next := proto.FetchContinueRequest{RequestID: paused.RequestID}
	if g.covers(&paused) && !hasAuthorization(paused.Request.Headers) {
		for name, value := range paused.Request.Headers {
			next.Headers = append(next.Headers, &proto.FetchHeaderEntry{Name: name, Value: value.Str()})
		}
		next.Headers = append(next.Headers, &proto.FetchHeaderEntry{Name: "Authorization", Value: g.header})
	}
	_ = next.Call(client) // a request that was given up meanwhile is no loss
}

// covers tells whether a request goes to the target. The first request for the
// main document is for the job's URL as the browser writes it; it says what the target is.
func (g *guard) covers(paused *proto.FetchRequestPaused) bool {
	asked := origin(paused.Request.URL)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.target == "" && paused.ResourceType == proto.NetworkResourceTypeDocument && paused.FrameID == g.frame {
		g.target = asked
	}
	return asked != "" && asked == g.target
}

// hasAuthorization tells whether the page sends credentials of its own.
func hasAuthorization(headers proto.NetworkHeaders) bool {
	for name := range headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// origin is scheme, host and port of a URL as the browser writes it, which leaves
// out the usual port. Other schemes have none.
func origin(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// reactions are the calls that events ask for. Events arrive on the goroutine
// that reads the pipe, which must not wait, so each call has a goroutine; all
// of them end with ctx.
type reactions struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
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

// end waits for the calls under way, after cancelling them.
func (r *reactions) end() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.running.Wait()
}
