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
// bytes and does not read them: a browser treats a server's answer, however malformed, as it would
// without a proxy. A host that the policy refuses, a name that does not resolve and a server that
// cannot be reached get the same reply, the first two after the same time, so that a page does not
// learn which names there are inside.
type Proxy struct {
	*Gate
	listener net.Listener
	served   chan struct{}

	working sync.WaitGroup // tunnels; Go only while mu is held and refusing is false
	site    atomic.Pointer[site]
	mu      sync.Mutex // guards what follows
	// Replaced while no tunnel runs, so that tunnels and the holder read them without mu.
	meter *meter
	life  context.Context // of every tunnel; ends with Suspend and Close
	end   context.CancelFunc

	refusing bool                  // suspended or closed
	open     map[net.Conn]struct{} // both ends of every tunnel
	faults   map[string]error      // why a host:port could not be reached, by its last attempt
}

// Listen starts a proxy with a gate of its own.
func Listen(policy Policy, limits Limits, logger *slog.Logger) (*Proxy, error) {
	return NewGate(policy, limits, logger).Open(nil)
}

func newProxy(gate *Gate, listener net.Listener) *Proxy {
	p := &Proxy{Gate: gate, listener: listener, served: make(chan struct{}), open: map[net.Conn]struct{}{}}
	p.Renew()
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
			time.Sleep(acceptPause)
			continue
		}
		p.admit(conn)
	}
}

// acceptPause keeps a proxy that cannot accept from spinning.
const acceptPause = 10 * time.Millisecond

// Address is host:port of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// URL returns the proxy's URL for a browser.
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
	<-p.served
	p.Suspend()
}

// Suspend ends every connection, refuses new ones, and returns when no tunnel runs any more.
func (p *Proxy) Suspend() {
	p.mu.Lock()
	p.refusing = true
	p.end()
	for conn := range p.open {
		_ = conn.Close()
	}
	p.mu.Unlock()
	if s := p.site.Swap(nil); s != nil {
		_ = s.server.Close()
	}
	p.working.Wait()
}

// Renew makes a suspended proxy like new: its traffic is zero, and it serves no host itself.
func (p *Proxy) Renew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.meter, p.faults, p.refusing = newMeter(p.limits.Total), map[string]error{}, false
	p.life, p.end = context.WithCancel(context.Background())
}

// admit serves a client's connection, unless the proxy is suspended or closed.
func (p *Proxy) admit(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hold(conn) {
		p.working.Go(func() { p.tunnel(conn) })
	}
}

// track records the server's end of a tunnel. If the proxy is suspended or closed, it closes the connection and returns false.
func (p *Proxy) track(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hold(conn)
}

// hold notes one end of a tunnel, or closes it and returns false. Its caller holds mu.
func (p *Proxy) hold(conn net.Conn) bool {
	if p.refusing {
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
		return
	}
	if _, known := p.faults[address]; known || len(p.faults) < maxFaults {
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

// pause waits until d has passed or ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
