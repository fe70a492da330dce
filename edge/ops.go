package edge

import (
	"net"
	"slices"

	"github.com/valyala/fasthttp"
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

// metrics are for operators. To others there is no such path.
func (s *Server) metrics(ctx *fasthttp.RequestCtx) *problem {
	if !s.private(ctx) {
		return noSuchPath
	}
	s.cfg.Metrics(ctx)
	return nil
}

// opsPaths are the paths on the operator's listener.
var opsPaths = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// newOps makes the server of the operator's listener.
func (s *Server) newOps() *fasthttp.Server {
	return &fasthttp.Server{
		Handler: s.handleOps, ErrorHandler: s.onMalformed, Name: "platen", GetOnly: true, NoDefaultContentType: true,
		ReadBufferSize: maxHeader, ReadTimeout: s.timeouts.read, WriteTimeout: s.timeouts.write, IdleTimeout: s.timeouts.idle,
		ReduceMemoryUsage: true, CloseOnShutdown: true, Logger: debugLog{s.cfg.Logger},
	}
}

// ServeOps serves operators' requests on l until Shutdown: /metrics, /healthz and /readyz.
func (s *Server) ServeOps(l net.Listener) error { return s.ops.Serve(listener{Listener: l, server: s}) }

func (s *Server) handleOps(ctx *fasthttp.RequestCtx) {
	ctx.SetUserValue(operator{}, true)
	if !opsPaths[string(ctx.URI().PathOriginal())] {
		s.begin(ctx)
		s.fail(ctx, noSuchPath)
		return
	}
	s.handle(ctx)
}
