package edge

import (
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard"
	"platen.dev/edge/openapi"
	"platen.dev/edge/request"
)

// endpoint handles the requests for one path.
type endpoint struct {
	// route names the endpoint in metrics and logs.
	route string
	// post endpoints take POST, the others GET and HEAD; pages decide by themselves.
	post, pages bool
	// body is whether it reads a body; others ignore a small one and refuse a large one.
	body   bool
	handle func(*fasthttp.RequestCtx) *problem
}

// noRoute is the route of paths that do not exist.
const noRoute = "none"

// endpoint finds the endpoint of a path. The path is compared as it was sent: a proxy
// that keeps /metrics from the public must not be bypassed with /%6detrics.
func (s *Server) endpoint(path string) endpoint {
	switch path {
	case "/healthz":
		return endpoint{route: path, handle: s.healthz}
	case "/readyz":
		return endpoint{route: path, handle: s.readyz}
	case "/metrics":
		return endpoint{route: path, handle: s.metrics}
	case jobsPath:
		return endpoint{route: path, handle: s.jobs}
	}
	if s.dashboard != nil && dashboard.Serves(path) {
		return endpoint{route: dashboard.Path, pages: true, handle: s.pages}
	}
	if op, ok := request.ByPath(path); ok {
		return endpoint{route: path, post: true, body: true, handle: func(ctx *fasthttp.RequestCtx) *problem { return s.submit(ctx, op) }}
	}
	if e, ok := s.usageEndpoint(path); ok {
		return e
	}
	if asset, ok := s.docs.find(path); ok {
		return endpoint{route: openapi.DocsPath, handle: func(ctx *fasthttp.RequestCtx) *problem { return sendAsset(ctx, asset) }}
	}
	return s.jobEndpoint(path)
}

// jobEndpoints are the endpoints below a job, by the rest of the path.
var jobEndpoints = map[string]struct {
	post   bool
	handle func(s *Server, ctx *fasthttp.RequestCtx, id string) *problem
}{
	"":                    {false, (*Server).status},
	"/download":           {false, (*Server).download},
	"/cancel":             {true, (*Server).cancel},
	"/webhooks":           {false, (*Server).webhooks},
	"/webhooks/redeliver": {true, (*Server).redeliver},
}

func (s *Server) jobEndpoint(path string) endpoint {
	rest, ok := strings.CutPrefix(path, "/jobs/")
	id, below, slash := strings.Cut(rest, "/")
	if slash {
		below = "/" + below
	}
	e, known := jobEndpoints[below]
	if !ok || id == "" || !known {
		return endpoint{route: noRoute}
	}
	return endpoint{route: "/jobs/{job_id}" + below, post: e.post, handle: func(ctx *fasthttp.RequestCtx) *problem { return e.handle(s, ctx, id) }}
}

// serve handles a request, or returns why not.
func (e endpoint) serve(ctx *fasthttp.RequestCtx) *problem {
	if wrong := e.refuse(&ctx.Request.Header); wrong != nil {
		return wrong
	}
	return e.handle(ctx)
}

// refuse returns why there is nothing to handle a request, by its path and method.
func (e endpoint) refuse(h *fasthttp.RequestHeader) *problem {
	switch {
	case e.handle == nil:
		return noSuchPath
	case e.pages:
		return nil
	case e.post && !h.IsPost():
		return methodNotAllowed.allowing("POST")
	case !e.post && !h.IsGet() && !h.IsHead():
		return methodNotAllowed.allowing("GET, HEAD")
	}
	return nil
}

func (s *Server) healthz(ctx *fasthttp.RequestCtx) *problem {
	text(ctx, 200, "ok\n")
	return nil
}

func (s *Server) readyz(ctx *fasthttp.RequestCtx) *problem {
	select {
	case <-s.draining:
		text(ctx, 503, "shutting down\n")
		return nil
	default:
	}
	report, err := s.cfg.Ready()
	if err != nil {
		if !s.private(ctx) {
			text(ctx, 503, "not ready\n")
			return nil
		}
		text(ctx, 503, err.Error()+"\n")
		return nil
	}
	if !s.private(ctx) {
		report = ""
	}
	text(ctx, 200, "ready\n"+report)
	return nil
}

func text(ctx *fasthttp.RequestCtx, status int, body string) {
	ctx.SetStatusCode(status)
	ctx.SetContentType("text/plain; charset=utf-8")
	ctx.SetBodyString(body)
}
