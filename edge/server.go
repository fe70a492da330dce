// Package edge is the HTTP face of Platen: it authenticates and validates requests, turns
// them into commands, and serves reads from the read models. It decides nothing about
// accounts and jobs itself.
package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard"
	"platen.dev/edge/openapi"
	"platen.dev/edge/transport"
	"platen.dev/edge/usage"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Server serves the API.
type Server struct {
	*front
	submissions *submissions
	jobs        *jobs
	invoices    *invoices
	usage       *usageAPI
	// dashboard is nil if there is none.
	dashboard *dashboard.Dashboard
	router    router
	// memberPages and files are the endpoints of paths that are not in the table.
	memberPages, files endpoint

	http, ops *fasthttp.Server
	gotenberg *fasthttp.Server // serves Gotenberg's clients
	gate      *transport.Gate
	conns     transport.Conns
	timeouts  timeouts
	draining  chan struct{}
}

// New makes a server.
func New(cfg Config) *Server { return newServer(cfg, defaultTimeouts) }

func newServer(cfg Config, t timeouts) *Server {
	s := &Server{timeouts: t, gate: transport.NewGate(cfg.Connections), draining: make(chan struct{})}
	s.front = &front{cfg: &cfg, match: s.match, bodies: transport.NewBodies(cfg.BodyBytes)}
	s.jobs = &jobs{s.front}
	s.submissions = &submissions{jobs: s.jobs, turns: transport.NewTurns(s.draining), limit: t.wait, draining: s.draining}
	s.invoices = &invoices{s.front, s.submissions.turns}
	s.usage = &usageAPI{s.front, usage.New(cfg.Ledger, cfg.QuotaWindows, cfg.Now)}
	if s.dashboard = s.newDashboard(); s.dashboard != nil {
		s.form = s.dashboard.Form
	}
	s.router = newRouter(s.endpoints())
	s.memberPages = endpoint{Operation: openapi.Operation{Path: dashboard.Path}, pages: true, handle: s.pages}
	s.files = endpoint{Operation: openapi.Operation{Method: "GET", Path: openapi.DocsPath}, handle: plain(serveDocs)}
	s.http, s.ops, s.gotenberg = s.newHTTP(), s.newOps(), s.newGotenberg()
	return s
}

// newHTTP makes the server of clients.
func (s *Server) newHTTP() *fasthttp.Server {
	return &fasthttp.Server{
		Handler:              s.handle,
		ErrorHandler:         s.onMalformed,
		Name:                 "platen",
		MaxRequestBodySize:   contract.MaxBody,
		ReadBufferSize:       maxHeader,
		ReadTimeout:          s.timeouts.read,
		WriteTimeout:         s.timeouts.write,
		IdleTimeout:          s.timeouts.idle,
		NoDefaultContentType: true,
		ReduceMemoryUsage:    true, // an idle connection would keep 24 KB of buffers
		HeaderReceived:       s.onHeader,
		ExpectHandler:        s.onExpect,
		ConnState:            transport.OnState,
		// A body is JSON whatever its type says; a form would be parsed before the key is checked.
		DisablePreParseMultipartForm: true,
		CloseOnShutdown:              true,
		SecureErrorLogMessage:        true,
		Logger:                       debugLog{s.cfg.Logger},
	}
}

// debugLog logs fasthttp's messages about connections at the level DEBUG.
type debugLog struct{ log *slog.Logger }

func (l debugLog) Printf(format string, args ...any) {
	l.log.Debug("http", "message", fmt.Sprintf(format, args...))
}

// Serve serves requests on l until Shutdown.
func (s *Server) Serve(l net.Listener) error {
	return s.http.Serve(s.conns.Listen(l, s.gate, s.cfg.TLS))
}

// ConnectionFigures are how many connections of clients are open, and how many were refused.
func (s *Server) ConnectionFigures() (open int, refused int64) { return s.gate.Figures() }

// Shutdown stops accepting connections and waits for the requests under way, until ctx ends. All listeners end at once: a request on one of them must not
// keep the others open, and use up their time. A request of which a part is missing is waited for a few seconds only.
func (s *Server) Shutdown(ctx context.Context) error {
	close(s.draining)
	if s.dashboard != nil {
		s.dashboard.Close()
	}
	s.conns.Close(s.timeouts.rest)
	servers := []*fasthttp.Server{s.http, s.gotenberg, s.ops}
	errs := make([]error, len(servers))
	var ending sync.WaitGroup
	for i, server := range servers {
		ending.Go(func() { errs[i] = server.ShutdownWithContext(ctx) })
	}
	ending.Wait()
	return errors.Join(errs...)
}

// BodyBytes is how many bytes are reserved for large request bodies.
func (s *Server) BodyBytes() int64 { return s.bodies.InUse() }

// handle serves one request.
func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	s.guarded(ctx, func(route *string) { s.respond(ctx, route) })
}

// guarded has one request served, and observed by its route. A panic becomes a 500 that reveals nothing internal.
func (s *Server) guarded(ctx *fasthttp.RequestCtx, serve func(route *string)) {
	start := time.Now()
	route := noRoute
	defer s.leave(ctx)
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Logger.Error("request panicked", "route", route, "panic", fmt.Sprint(r))
			s.fail(ctx, internalError)
		}
		if ctx.Response.Header.Peek(limitHeader) == nil && route != dashboard.Path { // pages have no key
			setNoRate(ctx, events.At(s.cfg.Now()))
		}
		if ctx.UserValue(waited{}) != nil { // it took as long as its job
			route += waitedRoute
		}
		if s.cfg.Observe != nil {
			s.cfg.Observe(route, ctx.Response.StatusCode(), time.Since(start))
		}
	}()
	serve(&route)
}

// respond serves a request by its endpoint, and says which one that is.
func (s *Server) respond(ctx *fasthttp.RequestCtx, route *string) {
	if !speaksHTTP1(&ctx.Request.Header) {
		s.onMalformed(ctx, errVersion)
		return
	}
	s.begin(ctx)
	if a := s.admission(ctx); a != nil && a.body != nil {
		a.body.Shrink(a.copies * int64(cap(ctx.Request.Body())))
	}
	e := s.match(string(ctx.URI().PathOriginal()))
	*route = e.route()
	if wrong := e.serve(ctx); wrong != nil {
		s.fail(ctx, wrong)
		runtime.Gosched() // a connection full of refused requests must not starve others
	}
}

// begin sets the headers of every response.
func (s *Server) begin(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.DisableNormalizing() // the API's header is X-RateLimit-Limit, not X-Ratelimit-Limit
	setRequestID(ctx)
	ctx.Response.Header.Set("X-Content-Type-Options", "nosniff")
	if s.cfg.TLS != nil {
		ctx.Response.Header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}
