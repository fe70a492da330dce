// Package operator serves the pages of operators. It makes changes by the services of `platen admin`, so the trails attribute them to the operator.
package operator

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/actors/status"
	"platen.dev/edge/dashboard"
	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Path is where the pages are, on the operator's listener.
const Path = "/operator"

// cookie is the name of the session's cookie.
const cookie = "platen-operator"

// Config configures a console. Every field must be set.
type Config struct {
	Services *service.Services
	// Status reports on all nodes.
	Status func() status.Report
	// Address returns host:port at which a browser on this machine reaches the operator's listener; "" if there is none.
	Address func() string
	Logger  *slog.Logger
	Now     func() time.Time
}

// Pages serves the pages.
type Pages struct {
	cfg             Config
	links, sessions entries
}

// New makes a console.
func New(cfg Config) *Pages { return &Pages{cfg: cfg} }

var errNoListener = errors.New("this node has no listener for operators: set ops in platen.toml, such as ops = \"127.0.0.1:9090\", and restart it")

// Enter makes a link that signs in once, for a browser on this machine or at the other end of ssh -L. If that has to lead to
// another address than the link's, forward is its argument, such as 8081:10.0.0.11:8081.
func (c *Pages) Enter() (link, forward string, err error) {
	address := c.cfg.Address()
	if address == "" {
		return "", "", errNoListener
	}
	if _, port, err := net.SplitHostPort(address); err == nil && !contract.IsLoopback(address) {
		forward, address = port+":"+address, "127.0.0.1:"+port
	}
	return "http://" + address + Path + "/enter/" + c.links.add(c.cfg.Now(), linkTime), forward, nil
}

// Serve serves a request of a client on this machine. The caller must have checked that it is.
func (c *Pages) Serve(ctx *fasthttp.RequestCtx) {
	dashboard.SetHeaders(ctx)
	path := string(ctx.URI().PathOriginal())
	if asset, ok := strings.CutPrefix(path, dashboard.Path+"/assets/"); ok {
		dashboard.ServeAsset(ctx, asset)
		return
	}
	if !contract.IsLoopback(string(ctx.Host())) || !ctx.IsGet() && !ctx.IsHead() && (!ctx.IsPost() || !dashboard.SameOrigin(&ctx.Request.Header)) {
		c.outside(ctx, 403, page.OtherOrigin)
		return
	}
	if ctx.IsPost() && dashboard.BadForm(ctx) != nil {
		c.outside(ctx, 422, page.OtherOrigin)
		return
	}
	path = strings.TrimPrefix(path, Path)
	if secret, ok := strings.CutPrefix(path, "/enter/"); ok {
		c.enter(ctx, secret)
		return
	}
	session := string(ctx.Request.Header.Cookie(cookie))
	switch {
	case !c.sessions.good(session, c.cfg.Now()):
		c.outside(ctx, 401, page.NotEntered)
	case ctx.IsPost() && subtle.ConstantTimeCompare(ctx.PostArgs().Peek("token"), []byte(token(session))) != 1:
		c.outside(ctx, 403, page.OtherOrigin)
	default:
		c.page(ctx, visit{session: session}, path)
	}
}

// enter signs in by a link. Only GET uses it up, so that link previews with HEAD do not.
func (c *Pages) enter(ctx *fasthttp.RequestCtx, secret string) {
	if !ctx.IsGet() || !c.links.take(secret, c.cfg.Now()) {
		c.outside(ctx, 403, page.LinkUsed)
		return
	}
	c.cfg.Logger.Info("an operator signed in to the console")
	setCookie(ctx, c.sessions.add(c.cfg.Now(), sessionTime), sessionTime)
	redirect(ctx, Path)
}

func (c *Pages) signOut(ctx *fasthttp.RequestCtx, v visit) {
	c.sessions.take(v.session, c.cfg.Now())
	setCookie(ctx, "", 0)
	redirect(ctx, Path)
}

func setCookie(ctx *fasthttp.RequestCtx, value string, lasts time.Duration) {
	k := fasthttp.AcquireCookie()
	defer fasthttp.ReleaseCookie(k)
	k.SetKey(cookie)
	k.SetValue(value)
	k.SetPath(Path)
	k.SetHTTPOnly(true)
	k.SetSameSite(fasthttp.CookieSameSiteStrictMode)
	k.SetMaxAge(int(lasts / time.Second))
	if value == "" {
		k.SetExpire(fasthttp.CookieExpireDelete)
	}
	ctx.Response.Header.SetCookie(k)
}

// visit is a request of an operator who is signed in.
type visit struct {
	session string
	account events.AccountID // that the path names; "" for none
}

// principal is the operator, in the account that the path names.
func (v visit) principal() service.Principal { return service.Operator(v.account) }

type action func(c *Pages, ctx *fasthttp.RequestCtx, v visit)

// routes are the pages and actions, by method and path below Path.
var routes = map[string]action{
	"GET ":                  (*Pages).accounts,
	"GET /cluster":          (*Pages).cluster,
	"GET /queues":           (*Pages).queues,
	"GET /jobs":             (*Pages).recentJobs,
	"POST /accounts":        (*Pages).createAccount,
	"POST /cluster/drain":   (*Pages).drain,
	"POST /cluster/undrain": (*Pages).undrain,
	"POST /cluster/raise":   (*Pages).raise,
	"POST /sign-out":        (*Pages).signOut,
}

// accountRoutes are the routes below an account.
var accountRoutes = map[string]action{
	"GET ":              (*Pages).account,
	"POST /plan":        (*Pages).setPlan,
	"POST /blocks":      (*Pages).setBlocks,
	"POST /file-limit":  (*Pages).setFileLimit,
	"POST /suspend":     (*Pages).suspend,
	"POST /resume":      (*Pages).resume,
	"POST /keys":        (*Pages).makeKey,
	"POST /keys/revoke": (*Pages).revokeKey,
}

// accountInPath matches an account in a path, and the rest.
var accountInPath = regexp.MustCompile(`^/accounts/([A-Za-z0-9_-]{1,64})(/.*)?$`)

func (c *Pages) page(ctx *fasthttp.RequestCtx, v visit, path string) {
	method := "GET "
	if ctx.IsPost() {
		method = "POST "
	}
	serve, known := routes[method+strings.TrimSuffix(path, "/")]
	if found := accountInPath.FindStringSubmatch(path); !known && found != nil {
		v.account = events.AccountID(found[1])
		serve, known = accountRoutes[method+found[2]]
	}
	if !known {
		c.outside(ctx, 404, page.NoPage)
		return
	}
	serve(c, ctx, v)
}

// frame returns the common frame of all pages. A path that ends with ?done=NAME shows what the last action has done.
func (c *Pages) frame(ctx *fasthttp.RequestCtx, v visit) page.Operator {
	o := page.Operator{Token: token(v.session), Now: c.cfg.Now().UTC()}
	if text, ok := page.Done(page.Deed(ctx.QueryArgs().Peek("done"))); ok {
		o.Notice = &page.Notice{Text: text}
	}
	return o
}

func (c *Pages) show(ctx *fasthttp.RequestCtx, view any) {
	var b bytes.Buffer
	if err := page.Write(&b, view); err != nil {
		c.cfg.Logger.Error("write page", "error", err)
		ctx.Error("Something went wrong inside.", 500)
		return
	}
	ctx.SetContentType("text/html; charset=utf-8")
	ctx.SetBody(b.Bytes())
}

func (c *Pages) outside(ctx *fasthttp.RequestCtx, status int, why page.Reason) {
	ctx.SetStatusCode(status)
	c.show(ctx, page.Outside{Reason: why})
}

func (c *Pages) unavailable(ctx *fasthttp.RequestCtx, err error) {
	c.cfg.Logger.Error("console", "error", err)
	c.outside(ctx, 503, page.Unavailable)
}

// answer redirects to a page that confirms an action, or shows the action's page again with the reason why it was refused.
func (c *Pages) answer(ctx *fasthttp.RequestCtx, err error, to string, did page.Deed, again func(*page.Notice)) {
	if err != nil {
		ctx.SetStatusCode(409)
		again(noticeOf(err))
		return
	}
	redirect(ctx, to+"?done="+string(did))
}

// noticeOf says why an action was not done.
func noticeOf(err error) *page.Notice { return &page.Notice{Bad: true, Text: err.Error()} }

func redirect(ctx *fasthttp.RequestCtx, target string) {
	ctx.SetStatusCode(fasthttp.StatusSeeOther)
	ctx.Response.Header.Set("Location", target)
}
