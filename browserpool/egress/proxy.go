package egress

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy is a SOCKS 5 proxy (RFC 1928) on a loopback port, without authentication. It carries
// bytes and does not read them: what a browser makes of a server's answer, however malformed, is
// what it would make of it without a proxy. A host that the policy refuses, a name that does not
// resolve and a server that cannot be reached get the same reply, the first two after the same
// time, so that a page does not learn which names there are inside.
type Proxy struct {
	*Gate
	meter    *meter
	listener net.Listener
	served   chan struct{}
	life     context.Context // of every tunnel; ends with Close
	end      context.CancelFunc

	working sync.WaitGroup // tunnels
	site    atomic.Pointer[site]
	mu      sync.Mutex // guards what follows
	closed  bool
	open    map[net.Conn]struct{} // both ends of every tunnel
	faults  map[string]error      // why a host:port could not be reached, by its last attempt
}

// Listen starts a proxy with a gate of its own.
func Listen(policy Policy, limits Limits, logger *slog.Logger) (*Proxy, error) {
	return NewGate(policy, limits, logger).Open(nil)
}

func newProxy(gate *Gate, listener net.Listener) *Proxy {
	p := &Proxy{
		Gate: gate, meter: newMeter(gate.limits.Total), listener: listener,
		served: make(chan struct{}), open: map[net.Conn]struct{}{}, faults: map[string]error{},
	}
	p.life, p.end = context.WithCancel(context.Background())
	go p.serve()
	return p
}

// serve accepts connections until the listener is closed.
func (p *Proxy) serve() {
	defer close(p.served)
	for {
		conn, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptors, perhaps; a browser that waits asks again
			pause(p.life, acceptPause)
			continue
		}
		if p.track(conn) {
			p.working.Go(func() { p.tunnel(conn) })
		}
	}
}

// acceptPause keeps a proxy that cannot accept from spinning.
const acceptPause = 10 * time.Millisecond

// Address is host:port of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// URL is the proxy as a browser is told of it.
func (p *Proxy) URL() string { return Scheme + p.Address() }

// Scheme begins the URL of a Proxy.
const Scheme = "socks5://"

// Carried is how many bytes have passed so far, both ways together.
func (p *Proxy) Carried() int64 { return p.meter.carried.Load() }

// Spent is a context that ends when the proxy would have to carry more than Limits.Total.
func (p *Proxy) Spent() context.Context { return p.meter.spent }

// Close ends every connection and returns when nothing of the proxy runs any more.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.end()
	<-p.served
	p.mu.Lock()
	p.closed = true
	for conn := range p.open {
		_ = conn.Close()
	}
	p.mu.Unlock()
	if s := p.site.Load(); s != nil {
		_ = s.server.Close()
	}
	p.working.Wait()
}

// track notes one end of a tunnel for Close. After Close it closes it itself and returns false.
func (p *Proxy) track(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = conn.Close()
		return false
	}
	p.open[conn] = struct{}{}
	return true
}

func (p *Proxy) untrack(conn net.Conn) {
	_ = conn.Close()
	p.mu.Lock()
	delete(p.open, conn)
	p.mu.Unlock()
}

// maxFaults bounds what a proxy remembers: a page may try any number of hosts.
const maxFaults = 1_000

func (p *Proxy) note(address string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		delete(p.faults, address)
	} else if len(p.faults) < maxFaults {
		p.faults[address] = err
	}
}

// Fault is why the last attempt to reach a port of a host failed: ErrBlocked, a *net.DNSError, or
// an error of the connection. It is nil if the attempt succeeded, or if there was none.
func (p *Proxy) Fault(host string, port uint16) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faults[target{host, port}.String()]
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
