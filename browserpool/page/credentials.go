package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

// credentialsGuard lets every request of a page pass, and adds headers to those that documents of
// the target's origin send there. The browser asks it again for every redirect, because it does not
// carry over what was added to the request before.
type credentialsGuard struct {
	added  []contract.Header // fixed
	frames *frames
}

func newCredentialsGuard(added []contract.Header, main proto.PageFrameID) *credentialsGuard {
	return &credentialsGuard{added: added, frames: newFrames(main)}
}

// observe notes a paused request, in the order of events. It returns how to let it continue.
func (g *credentialsGuard) observe(paused *proto.FetchRequestPaused) (resume func(context.Context, proto.Client)) {
	own := g.frames.request(paused)
	return func(ctx context.Context, client proto.Client) {
		next := proto.FetchContinueRequest{RequestID: paused.RequestID}
		if own && g.frames.isOwn(ctx, paused) {
			next.Headers = withHeaders(paused.Request.Headers, g.added)
		}
		_ = next.Call(client) // it fails only if the page has given the request up
	}
}

// withHeaders returns the headers of a request, with those of the same name replaced by the added ones. The request's own Authorization stays.
func withHeaders(own proto.NetworkHeaders, added []contract.Header) (all []*proto.FetchHeaderEntry) {
	all = make([]*proto.FetchHeaderEntry, 0, len(own)+len(added))
	keeps := map[string]bool{} // by lower-case name
	for _, h := range added {
		name := strings.ToLower(h.Name)
		keeps[name] = keeps[name] || hasAuthorization(own) && name == authorization
		if !keeps[name] {
			all = append(all, &proto.FetchHeaderEntry{Name: h.Name, Value: h.Value})
		}
	}
	for name, value := range own {
		if keep, other := keeps[strings.ToLower(name)]; keep || !other {
			all = append(all, &proto.FetchHeaderEntry{Name: name, Value: value.Str()})
		}
	}
	return all
}

const authorization = "authorization"

// hasAuthorization reports whether the page sends credentials of its own.
func hasAuthorization(headers proto.NetworkHeaders) bool {
	for name := range headers {
		if strings.EqualFold(name, authorization) {
			return true
		}
	}
	return false
}

// attach notes a new frame.
func (g *credentialsGuard) attach(params []byte) {
	var attached proto.PageFrameAttached
	if json.Unmarshal(params, &attached) == nil {
		g.frames.attach(attached.FrameID, attached.ParentFrameID)
	}
}

// setCookies gives a page its job's cookies. Those without a domain are of the URL's host alone.
func setCookies(client proto.Client, d document) error {
	u, err := contract.ParsePageURL(d.url)
	if err != nil {
		return fmt.Errorf("%w: URL %w", ErrOptions, err)
	}
	all := proto.NetworkSetCookies{}
	for _, c := range d.access.Cookies {
		cookie := &proto.NetworkCookieParam{
			Name: c.Name, Value: c.Value, Domain: c.Domain, Path: cmp.Or(c.Path, "/"), Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: sameSites[c.SameSite],
		}
		if c.Domain == "" {
			at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}
			if c.Secure {
				at.Scheme = "https"
			}
			cookie.URL = at.String()
		}
		all.Cookies = append(all.Cookies, cookie)
	}
	err = all.Call(client)
	if message := browserMessage(err); message != "" {
		return Because(fmt.Errorf("%w: %s", ErrOptions, message), "The browser refuses one of the cookies: %s.", strings.TrimSuffix(message, "."))
	}
	return err
}

var sameSites = map[string]proto.NetworkCookieSameSite{
	"strict": proto.NetworkCookieSameSiteStrict, "lax": proto.NetworkCookieSameSiteLax, "none": proto.NetworkCookieSameSiteNone,
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
