// Package edge is the HTTP face of Platen: it authenticates, validates and turns
// requests into commands, and answers from the read models. It decides nothing
// about accounts and jobs itself.
package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/projections"
)

// Commands sends a command and returns the reply of its account's shard. An
// error means that there is none, and that the command may be sent again.
type Commands interface {
	Do(account events.AccountID, body events.CommandBody) (events.Reply, error)
}

// ReadModels answers reads; projections.Replica is the one.
type ReadModels interface {
	Key(hash [32]byte) (projections.KeyRef, bool, error)
	Job(account events.AccountID, id events.JobID) (projections.Job, bool, error)
	// CatchUp waits until the read models hold all that was durable when it was called.
	CatchUp(ctx context.Context, partition int32) error
}

// Documents prepares content for rendering.
type Documents struct {
	// Markdown makes a whole HTML document; its error is fit for the caller's eyes.
	Markdown func(source string) (string, error)
	// Sanitize makes a whole safe HTML document, "" when nothing visible is left.
	Sanitize func(html string) string
}

// Config is what a server needs.
type Config struct {
	Commands   Commands
	Models     ReadModels
	Partitions int32
	Documents  Documents
	// Open opens a stored file and gives its size in bytes.
	Open func(ctx context.Context, name string) (io.ReadCloser, int64, error)
	// Ready is nil when the node can serve, otherwise why not.
	Ready func() error
	// Metrics answers /metrics.
	Metrics fasthttp.RequestHandler
	// Observe is told of every answered request; nil for none.
	Observe func(route string, status int, took time.Duration)
	// DocsURL is the page that error types point into.
	DocsURL string
	Logger  *slog.Logger
}

// Limits of a request (decisions.md, Submitting).
const (
	// MaxBody is the largest request body in bytes.
	MaxBody = 8 << 20
	// MaxContent is the most content in bytes, as it will be rendered.
	MaxContent = 240 << 10
	// MaxMarkdown is the longest Markdown in characters (api-spec.md, Limits).
	MaxMarkdown = 100_000
)

const (
	readTimeout  = 30 * time.Second
	writeTimeout = 10 * time.Minute // a download of 150 MB at 2 Mbit/s
	idleTimeout  = 2 * time.Minute
	headerBytes  = 16 << 10
)

// Server serves the API.
type Server struct {
	cfg      Config
	http     *fasthttp.Server
	silent   silent
	draining chan struct{}
}

// New makes a server.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, silent: silent{conns: map[*conn]bool{}}, draining: make(chan struct{})}
	s.http = &fasthttp.Server{
		Handler:               s.handle,
		ErrorHandler:          s.onMalformed,
		Name:                  "platen",
		MaxRequestBodySize:    MaxBody,
		ReadBufferSize:        headerBytes,
		ReadTimeout:           readTimeout,
		WriteTimeout:          writeTimeout,
		IdleTimeout:           idleTimeout,
		NoDefaultContentType:  true,
		CloseOnShutdown:       true,
		SecureErrorLogMessage: true,
		Logger:                quiet{cfg.Logger},
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
		if s.cfg.Observe != nil {
			s.cfg.Observe(route, ctx.Response.StatusCode(), time.Since(start))
		}
	}()
	setRequestID(ctx)
	route = s.route(ctx)
}

// route answers a request and names the route that did.
func (s *Server) route(ctx *fasthttp.RequestCtx) string {
	path, get := string(ctx.Path()), ctx.IsGet() || ctx.IsHead()
	switch path {
	case "/healthz":
		s.only(ctx, get, "GET, HEAD", func() { text(ctx, 200, "ok\n") })
	case "/readyz":
		s.only(ctx, get, "GET, HEAD", func() { s.readyz(ctx) })
	case "/metrics":
		s.only(ctx, get, "GET, HEAD", func() { s.cfg.Metrics(ctx) })
	case "/html-to-pdf":
		s.only(ctx, ctx.IsPost(), "POST", func() { s.submit(ctx, htmlToPDF) })
	case "/markdown-to-pdf":
		s.only(ctx, ctx.IsPost(), "POST", func() { s.submit(ctx, markdownToPDF) })
	default:
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

// onMalformed answers what is not a request that fasthttp could read whole.
func (s *Server) onMalformed(ctx *fasthttp.RequestCtx, err error) {
	setRequestID(ctx)
	if c, ok := ctx.Conn().(*conn); ok {
		c.linger = true
	}
	var small *fasthttp.ErrSmallBuffer
	var netErr net.Error
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		if _, ok := s.authenticate(ctx); ok { // the key comes first, as for any request
			s.fail(ctx, bodyTooLarge)
		}
	case errors.As(err, &small):
		s.fail(ctx, headersTooLarge)
	case errors.As(err, &netErr) && netErr.Timeout():
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
