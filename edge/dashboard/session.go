package dashboard

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/events/team"
)

// A session cookie names account, session and secret. The account determines the partition to look in; only a hash of the secret is stored.

// visitor is a member who is signed in.
type visitor struct {
	service.Token
	member  team.Member
	session team.Session
	address string
}

func (v visitor) is(roles []events.Role) bool { return slices.Contains(roles, v.member.Role) }

// principal returns the author of the visitor's actions.
func (v visitor) principal() service.Principal {
	return service.Member(v.Account, v.member, v.session, v.address)
}

// formToken returns the token by which a form proves that it comes from a page of this session.
func (v visitor) formToken() string {
	mac := hmac.New(sha256.New, v.Secret)
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (v visitor) tokenFits(token []byte) bool {
	return subtle.ConstantTimeCompare(token, []byte(v.formToken())) == 1
}

// visitor finds the member whose session a request belongs to. An error means that this is not known now.
func (d *site) visitor(ctx *fasthttp.RequestCtx) (v visitor, ok bool, err error) {
	t, ok := parseCookie(string(ctx.Request.Header.Cookie(d.cookieName())))
	if !ok {
		return v, false, nil
	}
	v, ok, err = service.Lookup(d.cfg.Services.Fresh, t.Account, func() (visitor, bool, error) {
		v, ok := d.signedIn(t)
		return v, ok, nil
	})
	v.address, _ = d.cfg.Place.ClientOf(ctx)
	return v, ok, err
}

// signedIn returns the member of a session that has not ended.
func (d *site) signedIn(t service.Token) (visitor, bool) {
	s, m, ok := d.cfg.Services.Sessions.Find(t)
	return visitor{Token: t, member: m, session: s}, ok
}

// catchUp waits until everything of an account that is durable by now is read, or until that takes too long: then a page shows what was read.
func (d *site) catchUp(account events.AccountID) { _ = d.cfg.Services.Fresh.Account(account) }

func (d *site) now() events.Instant { return events.At(d.cfg.Now()) }

// cookieName is the name of the session's cookie. Its prefix has browsers refuse it without TLS, or for another path
// or host (RFC 6265bis, section 4.1.3.2).
func (d *site) cookieName() string {
	if d.encrypted() {
		return "__Host-platen"
	}
	return "platen"
}

// setCookie gives the browser a session; an empty value removes it.
func (d *site) setCookie(ctx *fasthttp.RequestCtx, value string, lasts time.Duration) {
	d.giveCookie(ctx, d.cookieName(), value, lasts)
}

// giveCookie gives the browser a cookie that only this node's pages receive; an empty value removes it.
func (d *site) giveCookie(ctx *fasthttp.RequestCtx, name, value string, lasts time.Duration) {
	c := fasthttp.AcquireCookie()
	defer fasthttp.ReleaseCookie(c)
	c.SetKey(name)
	c.SetValue(value)
	c.SetPath("/")
	c.SetHTTPOnly(true)
	c.SetSecure(d.encrypted())
	c.SetSameSite(fasthttp.CookieSameSiteLaxMode)
	c.SetMaxAge(int(lasts / time.Second))
	if value == "" {
		c.SetExpire(fasthttp.CookieExpireDelete)
	}
	ctx.Response.Header.SetCookie(c)
}

func cookieValue(t service.Token) string {
	return string(t.Account) + "." + string(t.Session) + "." + base64.RawURLEncoding.EncodeToString(t.Secret)
}

// maxCookie is longer than any cookie of a session.
const maxCookie = 256

func parseCookie(value string) (t service.Token, ok bool) {
	parts := strings.Split(value, ".")
	if len(value) > maxCookie || len(parts) != 3 {
		return t, false
	}
	secret, ok := service.ParseSecret(parts[2])
	t = service.Token{Account: events.AccountID(parts[0]), Session: events.SessionID(parts[1]), Secret: secret}
	return t, ok && t.Good()
}

// origin returns the origin at which browsers reach the node.
func (d *site) origin(ctx *fasthttp.RequestCtx) string {
	return cmp.Or(d.cfg.Place.URL, d.scheme()+string(ctx.Host()))
}

// scheme returns the URL scheme of the node itself.
func (d *site) scheme() string {
	if d.cfg.Place.TLS {
		return "https://"
	}
	return "http://"
}

// encrypted reports whether browsers reach the node by TLS: its own, or a proxy's.
func (d *site) encrypted() bool { return d.cfg.Place.TLS || d.publicHost() != "" }

// publicHost is the host of the node's https:// address as browsers write it: in lower case, and without the usual port; "" if there is no such address.
func (d *site) publicHost() string {
	u, err := url.Parse(d.cfg.Place.URL)
	if err != nil || u.Scheme != "https" {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Host), ":443")
}

// safe reports whether what is typed into a page gets here unread: by TLS, from a proxy that browsers reach by TLS, or from this
// machine.
func (d *site) safe(ctx *fasthttp.RequestCtx) bool {
	host := d.publicHost()
	return d.cfg.Place.TLS || d.local(ctx) || host != "" && strings.TrimSuffix(string(ctx.Host()), ":443") == host
}

// toSafety redirects a browser to the TLS address, if there is one.
func (d *site) toSafety(ctx *fasthttp.RequestCtx) {
	if !d.encrypted() || !ctx.IsGet() {
		d.message(ctx, 403, "notls")
		return
	}
	redirect(ctx, d.cfg.Place.URL+Path)
}

// local reports whether a request comes from a browser on this machine.
func (d *site) local(ctx *fasthttp.RequestCtx) bool {
	_, local := d.cfg.Place.ClientOf(ctx)
	return local
}

// linkedFromElsewhere reports whether the browser followed a link of another site.
func linkedFromElsewhere(h *fasthttp.RequestHeader) bool {
	site := string(h.Peek("Sec-Fetch-Site"))
	return site == "cross-site" || site == "same-site"
}

// SameOrigin reports whether a form was sent by a page of this host. Browsers say so themselves; older ones
// name the origin only.
func SameOrigin(h *fasthttp.RequestHeader) bool {
	if site := h.Peek("Sec-Fetch-Site"); site != nil {
		return bytes.Equal(site, []byte("same-origin"))
	}
	origin, err := url.Parse(string(h.Peek("Origin")))
	return err == nil && origin.Host != "" && origin.Host == string(h.Host())
}
