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
	"platen.dev/edge/transport"
	"platen.dev/edge/usage"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Server serves the API.
type Server struct {
	cfg   Config
	http  *fasthttp.Server
	ops   *fasthttp.Server
	gate  *transport.Gate
	docs  docs
	conns transport.Conns
	usage *usage.Service
	// dashboard is nil if there is none.
	dashboard *dashboard.Dashboard
	// unknown are the keys that no account has.
	unknown unknownKeys
	// noted maps a usedKey to the events.Instant at which its use was last told.
	noted   sync.Map
	waiting waiting
	// bodies is the memory for large bodies, admitted maps a *fasthttp.RequestHeader to the
	// *admission of the request that it belongs to at present.
	bodies   *transport.Bodies
	admitted sync.Map
	turns    *transport.Turns
	timeouts timeouts
	draining chan struct{}
}

// New makes a server.
func New(cfg Config) *Server { return newServer(cfg, defaultTimeouts) }

func newServer(cfg Config, t timeouts) *Server {
	s := &Server{cfg: cfg, timeouts: t, docs: newDocs(), usage: usage.New(cfg.Ledger, cfg.QuotaWindows, cfg.Now), gate: transport.NewGate(cfg.Connections), bodies: transport.NewBodies(cfg.BodyBytes), draining: make(chan struct{})}
	s.turns = transport.NewTurns(s.draining)
	s.http = &fasthttp.Server{
		Handler:              s.handle,
		ErrorHandler:         s.onMalformed,
		Name:                 "platen",
		MaxRequestBodySize:   contract.MaxBody,
		ReadBufferSize:       maxHeader,
		ReadTimeout:          t.read,
		WriteTimeout:         t.write,
		IdleTimeout:          t.idle,
		NoDefaultContentType: true,
		ReduceMemoryUsage:    true, // an idle connection would keep 24 KB of buffers
		HeaderReceived:       s.onHeader,
		ExpectHandler:        s.onExpect,
		ConnState:            transport.OnState,
		// A body is JSON whatever its type says; a form would be parsed before the key is checked.
		DisablePreParseMultipartForm: true,
		CloseOnShutdown:              true,
		SecureErrorLogMessage:        true,
		Logger:                       debugLog{cfg.Logger},
	}
	s.dashboard = s.newDashboard()
	s.ops = s.newOps()
	return s
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

// Shutdown stops accepting connections and waits, until ctx ends, for the requests under way.
func (s *Server) Shutdown(ctx context.Context) error {
	close(s.draining)
	if s.dashboard != nil {
		s.dashboard.Close()
	}
	s.conns.Close()
	return errors.Join(s.http.ShutdownWithContext(ctx), s.ops.ShutdownWithContext(ctx))
}

// BodyBytes is how many bytes are reserved for large request bodies.
func (s *Server) BodyBytes() int64 { return s.bodies.InUse() }

// handle serves one request. A panic becomes a 500 that reveals nothing internal.
func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	start := time.Now()
	route := noRoute
	defer s.leave(ctx)
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Logger.Error("request panicked", "route", route, "panic", fmt.Sprint(r))
			s.fail(ctx, internalError)
		}
		if ctx.Response.Header.Peek(limitHeader) == nil && route != dashboard.Path { // which has no key
			setNoRate(ctx, events.At(s.cfg.Now()))
		}
		if ctx.UserValue(waited{}) != nil { // it took as long as its job
			route += waitedRoute
		}
		if s.cfg.Observe != nil {
			s.cfg.Observe(route, ctx.Response.StatusCode(), time.Since(start))
		}
	}()
	if !speaksHTTP1(&ctx.Request.Header) {
		s.onMalformed(ctx, errVersion)
		return
	}
	s.begin(ctx)
	if a := s.admission(ctx); a != nil && a.body != nil {
		a.body.Shrink(a.copies * int64(cap(ctx.Request.Body())))
	}
	e := s.endpoint(string(ctx.URI().PathOriginal()))
	route = e.route
	if wrong := e.serve(ctx); wrong != nil {
		s.fail(ctx, wrong)
		runtime.Gosched() // a connection full of requests that are refused lets others go first
	}
}

// begin sets what every response has.
func (s *Server) begin(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.DisableNormalizing() // the API's header is X-RateLimit-Limit, not X-Ratelimit-Limit
	setRequestID(ctx)
	ctx.Response.Header.Set("X-Content-Type-Options", "nosniff")
	if s.cfg.TLS != nil {
		ctx.Response.Header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}
