package edge

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"platen.dev/edge/gotenberg"
	"platen.dev/edge/transport"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// A Gotenberg request becomes a request of this API once its header has arrived, so that the same protections apply. A header of ours
// keeps its path, and the response is translated from the API's.
const (
	gotenbergRoute  = "X-Platen-Gotenberg-Route"
	gotenbergTrace  = "Gotenberg-Trace"
	gotenbergOutput = "Gotenberg-Output-Filename"
)

// newGotenberg makes the server of Gotenberg's routes.
func (s *Server) newGotenberg() *fasthttp.Server {
	h := s.newHTTP()
	h.HeaderReceived = s.onGotenbergHeader
	h.Handler = func(ctx *fasthttp.RequestCtx) {
		s.handleGotenberg(ctx)
		answerGotenberg(ctx)
	}
	h.ErrorHandler = func(ctx *fasthttp.RequestCtx, err error) {
		s.onMalformed(ctx, err)
		answerGotenberg(ctx)
	}
	h.ExpectHandler = func(ctx *fasthttp.RequestCtx) int {
		status := s.onExpect(ctx)
		if status != fasthttp.StatusContinue {
			answerGotenberg(ctx)
		}
		return status
	}
	return h
}

// ServeGotenberg serves Gotenberg's routes on l until Shutdown.
func (s *Server) ServeGotenberg(l net.Listener) error {
	return s.gotenberg.Serve(s.conns.Listen(l, s.gate, s.cfg.TLS))
}

// onGotenbergHeader turns the header of a request into one of this API.
func (s *Server) onGotenbergHeader(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	asked := pathOf(h)
	h.Del(gotenbergRoute)
	if operation, known := gotenberg.Operation(asked); known && string(h.Method()) == "POST" {
		h.SetRequestURI(operation)
		h.Set(gotenbergRoute, asked)
	}
	s.setGotenbergKey(h)
	return s.onHeader(h)
}

// setGotenbergKey takes the key from where Gotenberg's clients can put one: the password of Basic authentication, or a Bearer token.
func (s *Server) setGotenbergKey(h *fasthttp.RequestHeader) {
	if len(h.Peek(keyHeader)) > 0 {
		return
	}
	kind, value, _ := strings.Cut(string(h.Peek("Authorization")), " ")
	h.Del("Authorization")
	switch strings.ToLower(kind) {
	case "basic":
		pair, err := base64.StdEncoding.DecodeString(value)
		if _, password, ok := strings.Cut(string(pair), ":"); err == nil && ok {
			h.Set(keyHeader, password)
		}
	case "bearer":
		h.Set(keyHeader, value)
	case "":
		if key := s.cfg.GotenbergKey; key != "" {
			h.Set(keyHeader, key)
		}
	}
}

func (s *Server) handleGotenberg(ctx *fasthttp.RequestCtx) {
	asked := string(ctx.Request.Header.Peek(gotenbergRoute))
	if asked == "" {
		defer s.leave(ctx)
		s.serveAboutGotenberg(ctx)
		return
	}
	s.guarded(ctx, func(route *string) {
		a := s.known(ctx)
		if a.entry == nil || a.entry.wrong != nil { // the form is not read
			s.respond(ctx, route)
			return
		}
		*route = a.route
		s.begin(ctx)
		setRate(ctx, a.entry.rate, a.entry.now)
		w := s.submissions.turns.Begin(a.entry.caller.Account)
		defer func() { w.End(ctx.Response.StatusCode() >= 400) }()
		if wrong := s.translate(w, ctx, a, asked); wrong != nil {
			text(ctx, 400, wrong.Error())
			return
		}
		s.respond(ctx, route)
	})
}

// known returns the admission of a request. The request is counted once, here if not before.
func (s *Server) known(ctx *fasthttp.RequestCtx) *admission {
	h := &ctx.Request.Header
	a := s.admission(ctx)
	if a == nil {
		entered := s.count(h)
		a = &admission{route: s.match(pathOf(h)).route(), entry: &entered}
		s.admitted.Store(h, a)
	}
	return a
}

// translate turns the body of a request into one of this API. Its error is for the client.
func (s *Server) translate(w *transport.Work, ctx *fasthttp.RequestCtx, a *admission, asked string) error {
	h := &ctx.Request.Header
	for name := range h.All() {
		if strings.HasPrefix(strings.ToLower(string(name)), "gotenberg-webhook-") {
			return fmt.Errorf("%s is not supported here: send webhook_url to the API", name)
		}
	}
	body, err := s.translated(w, ctx, asked)
	if err != nil {
		return err
	}
	a.copies = 1
	if a.body != nil || cap(body) > smallBody {
		a.body, a.entry.wrong = s.grown(a.body, w.Account, int64(cap(body)))
	}
	if a.entry.wrong == nil {
		h.SetContentType(jsonType)
		ctx.Request.SetBodyRaw(body)
	}
	return nil
}

// translated returns the body of a request of this API for a form.
func (s *Server) translated(w *transport.Work, ctx *fasthttp.RequestCtx, asked string) ([]byte, error) {
	form := ctx.PostBody()
	bytes := len(form)
	if gotenberg.Expands(asked) {
		bytes = max(bytes, transport.FreeContent+1)
	}
	defer w.Take(bytes)()
	body, err := gotenberg.Translate(asked, string(ctx.Request.Header.ContentType()), form, contract.MaxBody, s.cfg.Documents.Fragment)
	if err == nil && len(body) > contract.MaxBody {
		err = errors.New("the files are too large: encoded in base64 they exceed 8 MiB")
	}
	return body, err
}

// serveAboutGotenberg serves requests about the service itself.
func (s *Server) serveAboutGotenberg(ctx *fasthttp.RequestCtx) {
	s.begin(ctx)
	switch asked := string(ctx.Path()); asked {
	case "/health":
		status, code := "up", 200
		if _, err := s.cfg.Ready(); err != nil {
			status, code = "down", 503
		}
		ctx.SetStatusCode(code)
		ctx.SetContentType(jsonType)
		fmt.Fprintf(ctx, `{"status":%q,"details":{"chromium":{"status":%q,"timestamp":%q}}}`, status, status, s.cfg.Now().UTC().Format(time.RFC3339))
	case "/version":
		text(ctx, 200, "Platen, with Gotenberg's Chromium routes")
	default:
		text(ctx, 404, fmt.Sprintf("%s %.100q is not supported here; docs/MIGRATE.md lists what is", ctx.Method(), asked))
	}
}

// traceOf is the trace of a request, which its response repeats.
func traceOf(h *fasthttp.RequestHeader) string {
	trace := string(h.Peek(gotenbergTrace))
	if trace == "" || len(trace) > 200 || strings.ContainsFunc(trace, contract.Hidden) {
		return uuid.NewString()
	}
	return trace
}

// answerGotenberg turns a response of this API into one of Gotenberg's. Every response has the request's trace.
func answerGotenberg(ctx *fasthttp.RequestCtx) {
	h := &ctx.Request.Header
	ctx.Response.Header.Set(gotenbergTrace, traceOf(h))
	if p, failed := ctx.UserValue(failedWith{}).(*problem); failed {
		answerProblem(ctx, p)
	} else if name := string(h.Peek(gotenbergOutput)); name != "" {
		renameFile(ctx, name)
	}
}

// renameFile gives a response's file the name that was asked for, with the extension that it has.
func renameFile(ctx *fasthttp.RequestCtx, name string) {
	h := &ctx.Response.Header
	if _, parameters, err := mime.ParseMediaType(string(h.Peek("Content-Disposition"))); err == nil {
		name = path.Base(name) + path.Ext(parameters["filename"])
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
}

// answerProblem writes a problem as a text with the status that Gotenberg has for it.
func answerProblem(ctx *fasthttp.RequestCtx, p *problem) {
	status := p.status
	switch {
	case p.code == string(events.PageRangeEmpty):
		status = 400
	case p.slug == "job-failed":
		status = 409
	case status == 422:
		status = 400
	case status == 401:
		ctx.Response.Header.Set("WWW-Authenticate", `Basic realm="Platen", charset="UTF-8"`) // RFC 9110, section 11.6.1
	}
	text(ctx, status, p.text())
}

// text returns the text of a problem, on one line.
func (p *problem) text() string {
	if p.violations == nil {
		return p.title + ": " + cmp.Or(p.reason, p.detail)
	}
	all := make([]string, 0, len(p.violations))
	for _, v := range p.violations {
		where := make([]string, 0, len(v.Loc))
		for _, step := range v.Loc {
			where = append(where, fmt.Sprint(step))
		}
		all = append(all, gotenberg.FieldOf(strings.TrimPrefix(strings.Join(where, "."), "body."))+": "+v.Msg)
	}
	return strings.Join(all, "; ")
}
