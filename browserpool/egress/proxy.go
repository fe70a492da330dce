package egress

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Limits bound what one connection or response may take. Zero fields mean the defaults.
type Limits struct {
	// Header is how long a server may take until its response header is whole, default 30 s.
	Header time.Duration
	// Life is how long one response or tunnel may last, default 5 min.
	Life time.Duration
	// Bytes is the most that one response or one direction of a tunnel may carry, default 256 MiB.
	Bytes int64
}

func (l Limits) withDefaults() Limits {
	if l.Header == 0 {
		l.Header = 30 * time.Second
	}
	if l.Life == 0 {
		l.Life = 5 * time.Minute
	}
	if l.Bytes == 0 {
		l.Bytes = 256 << 20
	}
	return l
}

// maxHeader bounds the header of a request or response, in bytes.
const maxHeader = 64 << 10

// Proxy is a forward proxy on a loopback port: absolute-form requests for http,
// CONNECT for https and websockets. What the policy refuses is answered 403,
// what cannot be reached 502.
type Proxy struct {
	policy    Policy
	limits    Limits
	logger    *slog.Logger
	listener  net.Listener
	server    *http.Server
	transport *http.Transport
	served    chan struct{}
	blocked   atomic.Int64

	tunnels sync.WaitGroup
	mu      sync.Mutex
	open    map[net.Conn]struct{} // hijacked, unknown to the server; nil once closed
}

// Listen starts a proxy on a free loopback port.
func Listen(policy Policy, limits Limits, logger *slog.Logger) (*Proxy, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	limits = limits.withDefaults()
	p := &Proxy{
		policy: policy, limits: limits, logger: logger, listener: listener,
		served: make(chan struct{}), open: map[net.Conn]struct{}{},
		transport: &http.Transport{
			DialContext:            policy.Dial,
			DisableCompression:     true, // the browser unpacks
			ResponseHeaderTimeout:  limits.Header,
			MaxResponseHeaderBytes: maxHeader,
			IdleConnTimeout:        10 * time.Second,
			MaxIdleConnsPerHost:    8,
		},
	}
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: limits.Header, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(listener)
	}()
	return p, nil
}

// Address is host:port of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Blocked counts the requests refused by policy so far.
func (p *Proxy) Blocked() int64 { return p.blocked.Load() }

// Close ends every connection and returns when nothing of the proxy runs.
func (p *Proxy) Close() {
	_ = p.server.Close()
	<-p.served
	p.mu.Lock()
	for conn := range p.open {
		_ = conn.Close()
	}
	p.open = nil
	p.mu.Unlock()
	p.tunnels.Wait()
	p.transport.CloseIdleConnections()
}

// ServeHTTP answers one proxy request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		p.forward(w, r)
	default:
		http.Error(w, "this is a forward proxy", http.StatusForbidden)
	}
}

// refuse answers for an upstream that was not reached.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusBadGateway
	if errors.Is(err, ErrBlocked) {
		status = http.StatusForbidden
		p.blocked.Add(1)
	}
	p.logger.Debug("egress refused", "host", r.Host, "status", status, "error", err)
	http.Error(w, http.StatusText(status), status)
}

func (p *Proxy) forward(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), p.limits.Life)
	defer cancel()
	out := r.Clone(ctx)
	out.RequestURI = ""
	out.Close = false
	stripHop(out.Header)
	response, err := p.transport.RoundTrip(out)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	defer response.Body.Close()
	stripHop(response.Header)
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	_ = http.NewResponseController(w).Flush() // the body may be long in coming
	if copied, err := relay(w, response.Body, p.limits.Bytes); err != nil {
		p.logger.Debug("egress response cut", "host", r.Host, "bytes", copied, "error", err)
		panic(http.ErrAbortHandler) // a cut body must not look whole
	}
}

var errBytes = errors.New("byte limit reached")

// relay copies up to limit bytes and flushes as they come; more is an error.
func relay(w http.ResponseWriter, body io.Reader, limit int64) (int64, error) {
	copied, err := io.Copy(flusher{w, http.NewResponseController(w)}, io.LimitReader(body, limit))
	if err != nil || copied < limit {
		return copied, err
	}
	if n, _ := io.ReadFull(body, make([]byte, 1)); n > 0 {
		return copied, errBytes
	}
	return copied, nil
}

// flusher passes every write on at once: a page may stream.
type flusher struct {
	io.Writer
	controller *http.ResponseController
}

func (f flusher) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	if err == nil {
		err = f.controller.Flush()
	}
	return n, err
}
