// Package edge is the HTTP face of Platen: it authenticates, validates and turns
// requests into commands, and answers from the read models. It decides nothing
// about accounts and jobs itself.
package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/apikey"
	"platen.dev/edge/openapi"
	"platen.dev/events"
	"platen.dev/projections"
)

// Commands sends a command and returns the reply of its account's shard. An
// error means that there is none, and that the command may be sent again.
type Commands interface {
	Do(account events.AccountID, body events.CommandBody) (events.Reply, error)
	// Tell sends a command that nobody answers; done hears once whether it is durable.
	Tell(account events.AccountID, body events.CommandBody, done func(error))
}

// ReadModels answers reads; projections.Replica is the one.
type ReadModels interface {
	Caller(hash [32]byte) (projections.Caller, bool, error)
	Job(account events.AccountID, id events.JobID) (projections.Job, bool, error)
	// Template reads a saved block template; an empty id means the account's default.
	Template(account events.AccountID, id events.TemplateID) (projections.SavedTemplate, bool, error)
	// CatchUp waits until the read models hold all that was durable when it was called.
	CatchUp(ctx context.Context, partition int32) error
}

// Documents prepares content for rendering.
type Documents struct {
	// Markdown makes a whole HTML document; its error is fit for the caller's eyes.
	Markdown func(source string) (string, error)
	// Sanitize makes a whole safe HTML document, "" when nothing visible is left.
	Sanitize func(html string) string
	// Template makes a safe header or footer template.
	Template func(html string) string
	// Invoice says why XML is no e-invoice of a profile, fit for the caller's eyes.
	Invoice func(xml []byte, profile string) error
	// Placeholders says which placeholders in a text of a block template nothing stands behind.
	Placeholders func(text string) error
}

// Config is what a server needs.
type Config struct {
	Commands   Commands
	Models     ReadModels
	Partitions int32
	Documents  Documents
	// Rate counts a request of an account on a plan.
	Rate func(events.AccountID, events.Plan) Rate
	// Resolve checks the addresses of a page's host: ErrBlocked when one is refused,
	// another error when there are none.
	Resolve func(ctx context.Context, host string) error
	// Seal encrypts a credential of a job; "" stays nothing.
	Seal func(job events.JobID, plain string) events.Sealed
	// Open opens a stored file and gives its size in bytes.
	Open func(ctx context.Context, name string) (io.ReadCloser, int64, error)
	// Ready is nil when the node can serve, otherwise why not.
	Ready func() error
	// Metrics answers /metrics.
	Metrics fasthttp.RequestHandler
	// Observe is told of every answered request; nil for none.
	Observe func(route string, status int, took time.Duration)
	// DocsURL is the page that error types point into, UpgradeURL where plans are changed.
	DocsURL, UpgradeURL string
	Logger              *slog.Logger
	Now                 func() time.Time
}

// Limits of a request (decisions.md, Submitting).
const (
	// MaxBody is the largest request body in bytes.
	MaxBody = 8 << 20
	// MaxContent is the most content in bytes, as it will be rendered.
	MaxContent = 240 << 10
	// MaxMarkdown is the longest Markdown in characters (api-spec.md, Limits).
	MaxMarkdown = 100_000
	// MaxXML is the largest e-invoice in bytes (decisions.md, Submitting).
	MaxXML = 1 << 20
)

// timeouts bound what a connection may take; tests shorten them.
type timeouts struct {
	read  time.Duration // for a whole request
	write time.Duration // for a response
	idle  time.Duration // between two requests
}

var defaultTimeouts = timeouts{
	read:  30 * time.Second,
	write: 10 * time.Minute, // a download of 150 MB at 2 Mbit/s
	idle:  2 * time.Minute,
}

const headerBytes = 16 << 10

// Server serves the API.
type Server struct {
	cfg    Config
	http   *fasthttp.Server
	silent silent
	docs   docs
	// strangers are keys that were looked for in vain.
	strangers strangers
	noted     sync.Map // events.KeyID to the events.Instant at which its use was noted
	draining  chan struct{}
}

// New makes a server.
func New(cfg Config) *Server { return newServer(cfg, defaultTimeouts) }

func newServer(cfg Config, t timeouts) *Server {
	s := &Server{cfg: cfg, docs: newDocs(), silent: silent{conns: map[*conn]bool{}}, draining: make(chan struct{})}
	s.http = &fasthttp.Server{
		Handler:              s.handle,
		ErrorHandler:         s.onMalformed,
		Name:                 "platen",
		MaxRequestBodySize:   MaxBody,
		ReadBufferSize:       headerBytes,
		ReadTimeout:          t.read,
		WriteTimeout:         t.write,
		IdleTimeout:          t.idle,
		NoDefaultContentType: true,
		ReduceMemoryUsage:    true, // an idle connection would keep 24 KB of buffers
		HeaderReceived:       s.onHeader,
		ExpectHandler:        s.onExpect,
		// A body is JSON whatever its type says; a form would be parsed before the key is checked.
		DisablePreParseMultipartForm: true,
		CloseOnShutdown:              true,
		SecureErrorLogMessage:        true,
		Logger:                       quiet{cfg.Logger},
	}
	return s
}

// quiet passes fasthttp's complaints about connections on as debug messages.
type quiet struct{ log *slog.Logger }

func (q quiet) Printf(format string, args ...any) {
	q.log.Debug("http", "message", fmt.Sprintf(format, args...))
}

// Serve answers requests on l until Shutdown.
func (s *Server) Serve(l net.Listener) error { return s.http.Serve(listener{l, &s.silent}) }

// Shutdown stops accepting and waits, until ctx ends, for the requests under way.
func (s *Server) Shutdown(ctx context.Context) error {
	close(s.draining)
	s.silent.end()
	return s.http.ShutdownWithContext(ctx)
}

// handle routes one request. What a handler did not foresee becomes a 500 that
// tells nothing of the inside.
func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	start := time.Now()
	route := "none"
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Logger.Error("request panicked", "route", route, "panic", fmt.Sprint(r))
			s.fail(ctx, internalError)
		}
		if ctx.Response.Header.Peek(limitHeader) == nil {
			setNoRate(ctx, events.At(s.cfg.Now()))
		}
		if s.cfg.Observe != nil {
			s.cfg.Observe(route, ctx.Response.StatusCode(), time.Since(start))
		}
	}()
	if h := &ctx.Request.Header; !h.IsHTTP11() && string(h.Protocol()) != "HTTP/1.0" {
		s.onMalformed(ctx, errVersion)
		return
	}
	begin(ctx)
	route = s.route(ctx)
}

var errVersion = errors.New("no version of HTTP/1")

const (
	chunked = -1 // fasthttp's length of a body in chunks
	// strangersBody is how much of a body is read before the key is looked at.
	strangersBody = headerBytes
)

// onHeader decides what becomes of a body before it is read.
func (s *Server) onHeader(h *fasthttp.RequestHeader) (defaults fasthttp.RequestConfig) {
	length := h.ContentLength()
	if length == chunked && bytes.Contains(bytes.ToLower(h.RawHeaders()), []byte("content-length:")) {
		// A proxy may have seen the request's end elsewhere: what follows is another
		// client's request, or none (RFC 9112, section 6.1).
		h.SetConnectionClose()
	}
	if (length == chunked || length > strangersBody) && !s.knows(h) {
		// Memory for it would be had for the asking. Too large, it is refused unread.
		h.SetContentLength(MaxBody + 1)
	}
	return defaults
}

// knows tells whether a request carries a valid key.
func (s *Server) knows(h *fasthttp.RequestHeader) bool {
	hash, ok := apikey.Hash(string(h.Peek("X-API-Key")))
	if !ok {
		return false
	}
	_, known, err := s.caller(hash)
	return err == nil && known
}

// begin sets what every response has.
func begin(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.DisableNormalizing() // the contract writes X-RateLimit-Limit, not X-Ratelimit-Limit
	setRequestID(ctx)
}

// route answers a request and names the route that did.
func (s *Server) route(ctx *fasthttp.RequestCtx) string {
	// As it was sent: who keeps /metrics from the public must not be passed by with /%6detrics.
	path, get := string(ctx.URI().PathOriginal()), ctx.IsGet() || ctx.IsHead()
	switch path {
	case "/healthz":
		s.only(ctx, get, "GET, HEAD", func() { text(ctx, 200, "ok\n") })
	case "/readyz":
		s.only(ctx, get, "GET, HEAD", func() { s.readyz(ctx) })
	case "/metrics":
		s.only(ctx, get, "GET, HEAD", func() { s.cfg.Metrics(ctx) })
	default:
		if op, ok := byPath[path]; ok {
			s.only(ctx, ctx.IsPost(), "POST", func() { s.submit(ctx, op) })
			return path
		}
		if asset, ok := s.docs.find(path); ok {
			s.only(ctx, get, "GET, HEAD", func() { sendAsset(ctx, asset) })
			return openapi.DocsPath
		}
		return s.routeJob(ctx, path, get)
	}
	return path
}

func (s *Server) routeJob(ctx *fasthttp.RequestCtx, path string, get bool) string {
	rest, ok := strings.CutPrefix(path, "/jobs/")
	id, download := strings.CutSuffix(rest, "/download")
	switch {
	case !ok || id == "" || strings.Contains(id, "/"):
		s.fail(ctx, noSuchPath)
		return "none"
	case download:
		s.only(ctx, get, "GET, HEAD", func() { s.download(ctx, id) })
		return "/jobs/{job_id}/download"
	}
	s.only(ctx, get, "GET, HEAD", func() { s.status(ctx, id) })
	return "/jobs/{job_id}"
}

func (s *Server) only(ctx *fasthttp.RequestCtx, allowed bool, methods string, handle func()) {
	if !allowed {
		ctx.Response.Header.Set("Allow", methods)
		s.fail(ctx, methodNotAllowed)
		return
	}
	handle()
}

// onExpect refuses a body before it is sent where its length says that it is too large.
func (s *Server) onExpect(ctx *fasthttp.RequestCtx) int {
	if ctx.Request.Header.ContentLength() <= MaxBody {
		return fasthttp.StatusContinue
	}
	s.onMalformed(ctx, fasthttp.ErrBodyTooLarge)
	return ctx.Response.StatusCode()
}

// onMalformed answers what is not a request that fasthttp could read whole.
func (s *Server) onMalformed(ctx *fasthttp.RequestCtx, err error) {
	begin(ctx)
	setNoRate(ctx, events.At(s.cfg.Now()))
	late := false // err hides it when the client is slow between two chunks
	if c, ok := ctx.Conn().(*conn); ok {
		c.linger, late = true, c.late
	}
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		// The key comes first, as for any request. That of a body in chunks was looked at
		// before, and fasthttp has forgotten the headers.
		if len(ctx.Request.Header.RawHeaders()) == 0 {
			s.fail(ctx, bodyTooLarge)
		} else if _, ok := s.enter(ctx); ok {
			s.fail(ctx, bodyTooLarge)
		}
	case errors.As(err, &small):
		s.fail(ctx, headersTooLarge)
	case late:
		s.fail(ctx, requestTimeout)
	default:
		s.fail(ctx, malformed)
	}
	ctx.SetConnectionClose()
}

func (s *Server) readyz(ctx *fasthttp.RequestCtx) {
	select {
	case <-s.draining:
		text(ctx, 503, "shutting down\n")
		return
	default:
	}
	if err := s.cfg.Ready(); err != nil {
		text(ctx, 503, err.Error()+"\n")
		return
	}
	text(ctx, 200, "ready\n")
}

func text(ctx *fasthttp.RequestCtx, status int, body string) {
	ctx.SetStatusCode(status)
	ctx.SetContentType("text/plain; charset=utf-8")
	ctx.SetBodyString(body)
}
