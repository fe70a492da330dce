package egress

import (
	"io"
	"log"
	"net"
	"net/http"
)

// site is a host that a proxy serves itself.
type site struct {
	host   string
	server *http.Server
	conns  chan net.Conn
	closed chan struct{}
}

// Serve answers requests to a host, at port 80, with a handler instead of the network, until the proxy is suspended. Call it
// at most once while the proxy is new. Only clients of this proxy reach the host.
func (p *Proxy) Serve(host string, handler http.Handler) {
	s := &site{
		host: host, conns: make(chan net.Conn), closed: make(chan struct{}),
		server: &http.Server{
			Handler: handler, ReadHeaderTimeout: requestTimeout, MaxHeaderBytes: 64 << 10, ErrorLog: log.New(io.Discard, "", 0),
		},
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusing {
		return
	}
	p.site.Store(s)
	p.working.Go(func() { _ = s.server.Serve(s) })
}

// dial returns a connection to the site.
func (s *site) dial() (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case s.conns <- there:
		return here, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Accept implements net.Listener.
func (s *site) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. The server calls it once.
func (s *site) Close() error {
	close(s.closed)
	return nil
}

// Addr implements net.Listener.
func (s *site) Addr() net.Addr { return &net.UnixAddr{Name: s.host} }

// sitePort is the only port of a site.
const sitePort = 80

// siteOf returns the site that a target is, nil for none.
func (p *Proxy) siteOf(to target) *site {
	if s := p.site.Load(); s != nil && to == (target{s.host, sitePort}) {
		return s
	}
	return nil
}
