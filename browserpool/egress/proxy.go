package egress

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxHeader bounds the header of a request or response, in bytes.
const maxHeader = 64 << 10

// Proxy is a forward proxy on a loopback port: absolute-form requests for http, CONNECT
// for https and websockets. A host that the policy refuses and a name that does not resolve
// are answered 403 alike, so that a page does not learn which names there are inside; what
// cannot be reached is 502.
type Proxy struct {
	*Gate
	meter     *meter
	listener  net.Listener
	server    *http.Server
	transport *http.Transport
	served    chan struct{}
	life      context.Context // of every request; ends with Close
	end       context.CancelFunc

	working sync.WaitGroup // requests and tunnels
	mu      sync.Mutex     // guards what follows
	closed  bool
	open    map[net.Conn]struct{} // ends of tunnels, which the server no longer knows
}

// Listen starts a proxy with a gate of its own.
func Listen(policy Policy, limits Limits, logger *slog.Logger) (*Proxy, error) {
	return NewGate(policy, limits, logger).Open(nil)
}

func newProxy(gate *Gate, listener net.Listener) *Proxy {
	p := &Proxy{
		Gate: gate, meter: newMeter(gate.limits.Total), listener: listener,
		served: make(chan struct{}), open: map[net.Conn]struct{}{},
		transport: &http.Transport{
			DialContext:            gate.policy.Dial,
			DisableCompression:     true, // the browser decompresses
			ResponseHeaderTimeout:  gate.limits.Header,
			MaxResponseHeaderBytes: maxHeader,
			IdleConnTimeout:        10 * time.Second,
			MaxIdleConnsPerHost:    8,
		},
	}
	p.life, p.end = context.WithCancel(context.Background())
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: gate.limits.Header, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return p.life },
		ErrorLog:    slog.NewLogLogger(gate.logger.Handler(), slog.LevelDebug),
	}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(listener)
	}()
	return p
}

// Address is host:port of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Carried is how many bytes of bodies and tunnels have passed so far, both ways together.
func (p *Proxy) Carried() int64 { return p.meter.carried.Load() }

// Spent is a context that ends when the proxy would have to carry more than Limits.Total.
func (p *Proxy) Spent() context.Context { return p.meter.spent }

// Close ends every connection and returns when nothing of the proxy runs any more.
func (p *Proxy) Close() {
	_ = p.server.Close()
	<-p.served
	p.mu.Lock()
	p.closed = true
	for conn := range p.open {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.end()
	p.working.Wait()
	p.transport.CloseIdleConnections()
}

// enter counts a request, and reports whether the proxy is still open for it.
func (p *Proxy) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.working.Add(1)
	}
	return !p.closed
}

// ServeHTTP answers one proxy request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.enter() {
		panic(http.ErrAbortHandler)
	}
	defer p.working.Done()
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		p.forward(w, r)
	default:
		http.Error(w, "this is a forward proxy", http.StatusForbidden)
	}
}

// refuse answers a request, which came at a time, whose server was refused or could not be
// reached.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, came time.Time, err error) {
	var unknown *net.DNSError
	status := http.StatusBadGateway
	blocked := errors.Is(err, ErrBlocked)
	if blocked {
		p.blocked.Add(1)
	}
	if blocked || errors.As(err, &unknown) {
		status = http.StatusForbidden
		pause(r.Context(), time.Until(came.Add(p.limits.Refusal)))
	}
	p.logger.Debug("egress refused", "host", r.Host, "status", status, "error", err)
	http.Error(w, http.StatusText(status), status)
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (p *Proxy) forward(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), p.limits.Life)
	defer cancel()
	out := r.Clone(ctx)
	out.RequestURI = ""
	out.Close = false
	if r.Body != http.NoBody {
		out.Body = io.NopCloser(p.meter.count(r.Body))
	}
	stripHop(out.Header)
	response, err := p.transport.RoundTrip(out)
	if err != nil {
		p.refuse(w, r, came, err)
		return
	}
	defer response.Body.Close()
	stripHop(response.Header)
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	_ = http.NewResponseController(w).Flush() // the body may take long to arrive
	if copied, err := relay(w, p.meter.count(response.Body), p.limits.Bytes); err != nil {
		p.logger.Debug("egress response cut", "host", r.Host, "bytes", copied, "error", err)
		panic(http.ErrAbortHandler) // a cut body must not look whole
	}
}

// relay copies up to limit bytes and flushes them as they arrive; more is an error.
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
