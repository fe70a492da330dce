package dashboard

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/events/team"
)

// A session is named by a cookie: account, session and secret. The account says which partition to look in; of the
// secret only the hash is kept.

// sessionTime is how long a session lasts.
const sessionTime = 14 * 24 * time.Hour

// secretSize is how many bytes the secrets of sessions and invitations have.
const secretSize = 32

// visitor is a member who is signed in.
type visitor struct {
	account events.AccountID
	member  team.Member
	session events.SessionID
	since   events.Instant // when it began
	secret  []byte
	address string
}

func (v visitor) is(roles []events.Role) bool { return slices.Contains(roles, v.member.Role) }

// author is who the visitor's commands are by.
func (v visitor) author() events.Author {
	return events.Author{Member: v.member.ID, Address: v.address}
}

// token is what the forms of a session prove by that a page of this session made them.
func (v visitor) token() string {
	mac := hmac.New(sha256.New, v.secret)
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (v visitor) tokenFits(token []byte) bool {
	return subtle.ConstantTimeCompare(token, []byte(v.token())) == 1
}

// visitor finds the member whose session a request belongs to.
func (d *Dashboard) visitor(ctx *fasthttp.RequestCtx) (v visitor, ok bool) {
	if v, ok = d.find(&ctx.Request.Header); ok {
		v.address, _ = d.cfg.ClientOf(ctx)
	}
	return v, ok
}

// find finds the member whose session a cookie names.
func (d *Dashboard) find(h *fasthttp.RequestHeader) (v visitor, ok bool) {
	v, ok = parseCookie(string(h.Cookie(d.cookieName())))
	if !ok {
		return v, false
	}
	found, ok := d.signedIn(v)
	if !ok && d.catchUp(v.account) { // another node may have signed in a moment ago
		found, ok = d.signedIn(v)
	}
	return found, ok
}

// Account is the account that a request's session belongs to, by what this node has read. It is false without a session.
func (d *Dashboard) Account(h *fasthttp.RequestHeader) (events.AccountID, bool) {
	v, ok := parseCookie(string(h.Cookie(d.cookieName())))
	if ok {
		_, ok = d.signedIn(v)
	}
	return v.account, ok
}

// signedIn adds the member of a session that goes on.
func (d *Dashboard) signedIn(v visitor) (visitor, bool) {
	t, err := d.cfg.Models.Team(v.account)
	if err != nil {
		d.cfg.Logger.Error("read members", "account", string(v.account), "error", err)
		return v, false
	}
	s, m, ok := t.Session(v.session, d.now())
	v.member, v.since = m, s.Opened
	hash := sha256.Sum256(v.secret)
	return v, ok && subtle.ConstantTimeCompare(hash[:], s.Hash[:]) == 1
}

// freshness is how long a page waits for the read models to catch up.
const freshness = 5 * time.Second

// catchUp waits until everything of an account that is durable by now is read. It is false if that takes too long.
// Concurrent callers share one wait, so that a crowd with made-up cookies costs no more than one; who has joined one waits
// for the next, too, because the one before may have begun before the caller's moment.
func (d *Dashboard) catchUp(account events.AccountID) bool {
	partition := d.partition(account)
	wait := func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), freshness)
		defer cancel()
		return nil, d.cfg.Models.CatchUp(ctx, partition)
	}
	_, err, shared := d.catchUps.Do(strconv.Itoa(int(partition)), wait)
	if err == nil && shared {
		_, err, _ = d.catchUps.Do(strconv.Itoa(int(partition)), wait)
	}
	return err == nil
}

func (d *Dashboard) partition(account events.AccountID) int32 {
	return events.Partition(account, d.cfg.Partitions)
}

func (d *Dashboard) now() events.Instant { return events.At(d.cfg.Now()) }

// newSecret returns a secret and its hash.
func newSecret() (secret []byte, hash [32]byte) {
	secret = make([]byte, secretSize)
	rand.Read(secret) // never fails: crypto/rand aborts the process instead
	return secret, sha256.Sum256(secret)
}

// cookieName is the name of the session's cookie. Its prefix has browsers refuse it without TLS, or for another path
// or host (RFC 6265bis, section 4.1.3.2).
func (d *Dashboard) cookieName() string {
	if d.encrypted() {
		return "__Host-platen"
	}
	return "platen"
}

// setCookie hands a session to the browser; an empty value takes it away.
func (d *Dashboard) setCookie(ctx *fasthttp.RequestCtx, value string, lasts time.Duration) {
	d.giveCookie(ctx, d.cookieName(), value, lasts)
}

// giveCookie hands the browser a cookie that only this node's pages get; an empty value takes it away.
func (d *Dashboard) giveCookie(ctx *fasthttp.RequestCtx, name, value string, lasts time.Duration) {
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

func cookieValue(account events.AccountID, session events.SessionID, secret []byte) string {
	return string(account) + "." + string(session) + "." + base64.RawURLEncoding.EncodeToString(secret)
}

// maxCookie is longer than any cookie of a session.
const maxCookie = 256

func parseCookie(value string) (v visitor, ok bool) {
	parts := strings.Split(value, ".")
	if len(value) > maxCookie || len(parts) != 3 || parts[0] == "" || parts[1] == "" {
		return v, false
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	return visitor{account: events.AccountID(parts[0]), session: events.SessionID(parts[1]), secret: secret}, err == nil && len(secret) == secretSize
}

// encrypted reports whether browsers reach the node by TLS: its own, or a proxy's.
func (d *Dashboard) encrypted() bool { return d.cfg.TLS || strings.HasPrefix(d.cfg.URL, "https://") }

// safe reports whether what is typed into a page gets here unread: by TLS, from a proxy that browsers reach by TLS, or from this
// machine.
func (d *Dashboard) safe(ctx *fasthttp.RequestCtx) bool {
	host, _, _ := strings.Cut(strings.TrimPrefix(d.cfg.URL, "https://"), "/")
	return d.cfg.TLS || d.local(ctx) || d.encrypted() && string(ctx.Host()) == host
}

// toSafety leads a browser to the address that is reached by TLS, if there is one.
func (d *Dashboard) toSafety(ctx *fasthttp.RequestCtx) {
	if !d.encrypted() || !ctx.IsGet() {
		d.message(ctx, 403, "notls")
		return
	}
	redirect(ctx, d.cfg.URL+Path)
}

// local reports whether a request comes from a browser on this machine that knows it as such. A page of another
// host whose name leads here is not (DNS rebinding).
func (d *Dashboard) local(ctx *fasthttp.RequestCtx) bool {
	host := string(ctx.Host())
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	_, local := d.cfg.ClientOf(ctx)
	return local && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// linkedFromElsewhere reports whether a page of another site has led the browser here.
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
