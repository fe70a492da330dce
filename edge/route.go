package edge

import (
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard"
	"platen.dev/edge/openapi"
	"platen.dev/edge/request"
)

// endpoint is a row of the table of endpoints: its description and its handler.
type endpoint struct {
	// Operation describes it. One without an id is not in the API's description; the path may have one parameter.
	openapi.Operation
	// body is whether it reads a body; others ignore a small one and refuse a large one.
	body bool
	// pages is set if the endpoint itself decides which methods it takes.
	pages  bool
	handle func(ctx *fasthttp.RequestCtx, parameter string) *problem
}

// plain is a handler of a path without a parameter.
func plain(handle func(*fasthttp.RequestCtx) *problem) func(*fasthttp.RequestCtx, string) *problem {
	return func(ctx *fasthttp.RequestCtx, _ string) *problem { return handle(ctx) }
}

// endpoints is the table of endpoints, but for the pages of members and the files of the description.
func (s *Server) endpoints() (all []endpoint) {
	for _, op := range request.Operations() {
		all = append(all, endpoint{Operation: describeOperation(op), body: true, handle: plain(func(ctx *fasthttp.RequestCtx) *problem { return s.submissions.submit(ctx, op) })})
	}
	return append(
		all,
		endpoint{Operation: describeJobs(), handle: plain(s.jobs.list)},
		endpoint{Operation: describeStatus(), handle: s.jobs.status},
		endpoint{Operation: describeDownload(), handle: s.jobs.download},
		endpoint{Operation: describeCancel(), handle: s.jobs.cancel},
		endpoint{Operation: describeWebhooks(), handle: s.jobs.webhooks},
		endpoint{Operation: describeRedelivery(), handle: s.jobs.redeliver},
		endpoint{Operation: describeEvidence(), handle: s.jobs.evidence},
		endpoint{Operation: describeValidate(), body: true, handle: plain(s.invoices.validate)},
		endpoint{Operation: describeExtract(), body: true, handle: plain(s.invoices.extract)},
		endpoint{Operation: describeUsage(), handle: plain(s.usage.report)},
		endpoint{Operation: describeEntries(), handle: plain(s.usage.entries)},
		endpoint{Operation: describeWindows(), handle: plain(s.usage.windows)},
		endpoint{Operation: describeWindow(), handle: s.usage.window},
		endpoint{Operation: describeDocument(), handle: plain(serveDocs)},
		endpoint{Operation: describePage(), handle: plain(serveDocs)},
		endpoint{Operation: describeEvidenceKeys(), handle: plain(s.jobs.evidenceKeys)},
		endpoint{Operation: openapi.Operation{Method: "GET", Path: "/healthz", Summary: "Whether the process answers"}, handle: plain(s.healthz)},
		endpoint{Operation: openapi.Operation{Method: "GET", Path: "/readyz", Summary: "Whether the node should be sent requests"}, handle: plain(s.readyz)},
		endpoint{Operation: openapi.Operation{Method: "GET", Path: "/metrics", Summary: "Metrics, for operators only"}, handle: plain(s.metrics)},
	)
}

// DescribeAPI is the OpenAPI document of the service.
func DescribeAPI() []byte {
	var described []openapi.Operation
	for _, e := range new(Server).endpoints() {
		if e.ID != "" {
			described = append(described, e.Operation)
		}
	}
	return openapi.Build(apiInfo, described)
}

// Endpoints describes the endpoints of the service for docs/API.md, also those that DescribeAPI leaves out.
func Endpoints() (all []openapi.Operation) {
	for _, e := range new(Server).endpoints() {
		all = append(all, e.Operation)
	}
	return append(
		all,
		openapi.Operation{Method: "GET", Path: asyncAPIPath, Summary: "Description of the public events"},
		openapi.Operation{Method: "GET", Path: schemaPrefix + "{type}.json", Summary: "Schema of a type of event"},
	)
}

// Problem is a condition on which requests are refused.
type Problem struct {
	Status     int
	Slug, Code string
}

// Problems returns the conditions of docs/ERRORS.md that have a code of their own, by status.
func Problems() (all []Problem) {
	for _, p := range problems {
		all = append(all, Problem{p.status, p.slug, p.code})
	}
	return all
}

// router finds the endpoint of a path.
type router struct {
	exact map[string]*endpoint
	// parametric are the endpoints whose paths have a parameter.
	parametric []parametric
}

// parametric is an endpoint with what its path has before and after the parameter.
type parametric struct {
	before, after string
	*endpoint
}

func newRouter(all []endpoint) router {
	r := router{exact: map[string]*endpoint{}}
	for i := range all {
		before, rest, found := strings.Cut(all[i].Path, "{")
		if _, after, _ := strings.Cut(rest, "}"); found {
			r.parametric = append(r.parametric, parametric{before, after, &all[i]})
			continue
		}
		r.exact[all[i].Path] = &all[i]
	}
	return r
}

// match is an endpoint with the parameter from a request's path. The zero value stands for an unknown path.
type match struct {
	*endpoint
	parameter string
}

// find finds the endpoint of a path. The path is compared as sent, so that a proxy's rule against /metrics cannot be bypassed with /%6detrics.
func (r router) find(path string) match {
	if e, ok := r.exact[path]; ok {
		return match{e, ""}
	}
	for _, p := range r.parametric {
		value, begins := strings.CutPrefix(path, p.before)
		value, ends := strings.CutSuffix(value, p.after)
		if begins && ends && value != "" && !strings.Contains(value, "/") {
			return match{p.endpoint, value}
		}
	}
	return match{}
}

// match finds the endpoint of a path: one of the table, the pages of members, or a file of the description.
func (s *Server) match(path string) match {
	if m := s.router.find(path); m.endpoint != nil {
		return m
	}
	if s.dashboard != nil && dashboard.Serves(path) {
		return match{&s.memberPages, ""}
	}
	if _, ok := publishedDocs().find(path); ok {
		return match{&s.files, ""}
	}
	return match{}
}

// noRoute is the route of unknown paths.
const noRoute = "none"

// route returns the endpoint's name in metrics and logs.
func (m match) route() string {
	if m.endpoint == nil {
		return noRoute
	}
	return m.Path
}

// serve handles a request, or returns why not.
func (m match) serve(ctx *fasthttp.RequestCtx) *problem {
	if wrong := m.refuse(&ctx.Request.Header); wrong != nil {
		return wrong
	}
	return m.handle(ctx, m.parameter)
}

// refuse returns the problem of a request without a handler, judging by path and method.
func (m match) refuse(h *fasthttp.RequestHeader) *problem {
	switch {
	case m.endpoint == nil:
		return noSuchPath
	case m.pages:
		return nil
	case m.Method == "POST" && !h.IsPost():
		return methodNotAllowed.allowing("POST")
	case m.Method == "GET" && !h.IsGet() && !h.IsHead():
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
