package edge

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard"
	"platen.dev/events/limit"
)

// operator marks the requests on the operator's listener.
type operator struct{}

// forwarding are the headers by which a request shows that a proxy sent it.
var forwarding = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}

// private reports whether a request is an operator's: it came on the operator's listener, or
// from this machine and not through a proxy.
func (s *Server) private(ctx *fasthttp.RequestCtx) bool {
	if ctx.UserValue(operator{}) != nil {
		return true
	}
	_, local := s.clientOf(ctx)
	return local && !s.cfg.Ops
}

// forwarded reports whether a proxy sent a request.
func forwarded(h *fasthttp.RequestHeader) bool {
	return slices.ContainsFunc(forwarding, func(name string) bool { return h.Peek(name) != nil })
}

// metrics serves operators only. To others the path does not exist.
func (s *Server) metrics(ctx *fasthttp.RequestCtx) *problem {
	if !s.private(ctx) {
		return noSuchPath
	}
	s.cfg.Metrics(ctx)
	return nil
}

// opsPaths are the paths on the operator's listener.
var opsPaths = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// ConsolePath is where the pages of operators are, on their listener only.
const ConsolePath = "/operator"

// maxOpsBody bounds the bodies of requests to operators' pages, in bytes.
const maxOpsBody = 16 << 10

// newOps makes the server of the operator's listener.
func (s *Server) newOps() *fasthttp.Server {
	return &fasthttp.Server{
		Handler: s.handleOps, ErrorHandler: s.onMalformed, Name: "platen", MaxRequestBodySize: maxOpsBody, DisablePreParseMultipartForm: true, NoDefaultContentType: true,
		ReadBufferSize: maxHeader, ReadTimeout: s.timeouts.read, WriteTimeout: s.timeouts.write, IdleTimeout: s.timeouts.idle,
		ReduceMemoryUsage: true, CloseOnShutdown: true, Logger: debugLog{s.cfg.Logger},
	}
}

// ServeOps serves operators' requests on l until Shutdown: /metrics, /healthz and /readyz, and the console.
func (s *Server) ServeOps(l net.Listener) error { return s.ops.Serve(s.conns.Listen(l, nil, nil)) }

func (s *Server) handleOps(ctx *fasthttp.RequestCtx) {
	ctx.SetUserValue(operator{}, true)
	path := string(ctx.URI().PathOriginal())
	if opsPaths[path] {
		s.handle(ctx)
		return
	}
	s.begin(ctx)
	if !s.hasConsole(ctx, path) {
		s.fail(ctx, noSuchPath)
		return
	}
	s.console(ctx)
}

// hasConsole reports whether a path belongs to the console. To clients on other machines, or behind a proxy, it does not exist.
func (s *Server) hasConsole(ctx *fasthttp.RequestCtx, path string) bool {
	known := path == ConsolePath || strings.HasPrefix(path, ConsolePath+"/") || strings.HasPrefix(path, dashboard.Path+"/assets/")
	return known && sameMachine(ctx.RemoteAddr(), ctx.LocalAddr()) && !forwarded(&ctx.Request.Header) && s.cfg.Console != nil
}

// sameMachine reports whether both ends of a connection are on this machine: the other end has a loopback address, or the
// address of this one, from which the system takes nothing that comes from outside. So ssh -L reaches a listener that
// is on an address of the private network.
func sameMachine(remote, local net.Addr) bool {
	far, farOK := limit.AddressOf(remote)
	near, nearOK := limit.AddressOf(local)
	return farOK && nearOK && (far.IsLoopback() || far == near)
}

func (s *Server) console(ctx *fasthttp.RequestCtx) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Logger.Error("request panicked", "route", ConsolePath, "panic", fmt.Sprint(r))
			s.fail(ctx, internalError)
		}
	}()
	s.cfg.Console(ctx)
}
