// Package transport bounds the cost of connections and bodies, whoever sends them: connections per client, reading on after a refusal, memory
// for large bodies, and turns at large content. It knows no endpoints.
package transport

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// Conns are the connections of a server. They know those on which nothing was received yet: fasthttp counts one as a request under way
// until ReadTimeout, so clients and load balancers that connect ahead of need would hold up every shutdown. So would a client that does not send the rest
// of a request.
type Conns struct {
	mu     sync.Mutex
	open   map[*Conn]bool
	closed bool

	lingering lingering // of all connections
}

// listener is a listener whose connections begin as new ones.
type listener struct {
	net.Listener
	conns *Conns
	gate  *Gate
	tls   *tls.Config
}

// Listen returns a listener whose connections are Conns. A nil gate is no limit, a nil config no TLS.
func (n *Conns) Listen(l net.Listener, gate *Gate, encrypted *tls.Config) net.Listener {
	return listener{l, n, gate, encrypted}
}

// Accept waits for a connection. It closes those beyond the limit.
func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		leave := func() {}
		if l.gate != nil {
			var ok bool
			if leave, ok = l.gate.Enter(c.RemoteAddr()); !ok {
				_ = c.Close()
				continue
			}
		}
		if l.tls != nil {
			c = tls.Server(c, l.tls)
		}
		return l.conns.Add(c, leave), nil
	}
}

// Add adds a connection; leave is called when it is closed.
func (n *Conns) Add(c net.Conn, leave func()) *Conn {
	added := &Conn{Conn: c, of: n, lingering: &n.lingering, leave: leave}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		_ = c.Close()
		leave()
		return added
	}
	if n.open == nil {
		n.open = map[*Conn]bool{}
	}
	n.open[added] = true
	return added
}

func (n *Conns) remove(c *Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.open, c)
}

// Close closes the connections that are still new, and all later ones. What the others have begun to send has to arrive within rest.
func (n *Conns) Close(rest time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	for c := range n.open {
		if c.active.Load() {
			_ = c.SetReadDeadline(time.Now().Add(rest)) // of a request that is being answered, nothing is read
		} else {
			_ = c.Conn.Close()
		}
	}
}

// Conn is a connection that is no longer new with its first read.
type Conn struct {
	net.Conn
	of        *Conns
	lingering *lingering
	leave     func()
	active    atomic.Bool // it is no longer new
	// Used by the goroutine that serves the connection.
	inside bool // a request has begun and is not answered
	late   bool // the last read ran into its deadline
	linger bool // what the client still sends is read before the connection is closed
	// body is the memory of a body that the client was told to send; it may be nil.
	body atomic.Pointer[Share]
}

// OnState tracks where requests begin and end; it is a fasthttp.Server.ConnState.
func OnState(c net.Conn, state fasthttp.ConnState) {
	if c, ok := c.(*Conn); ok {
		c.inside = state == fasthttp.StateActive
	}
}

// Linger makes Close read what the client still sends, because it was refused in the middle of its request. It reports whether the
// last read ran into its deadline, which fasthttp's error hides between two chunks.
func (c *Conn) Linger() (late bool) {
	c.linger = true
	return c.late
}

// Hold releases memory when the connection is closed: fasthttp does not report a connection that breaks before its body is read.
func (c *Conn) Hold(s *Share) { c.body.Store(s) }

// Read reads, and ends the connection's time as a new one.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.late = errors.Is(err, os.ErrDeadlineExceeded)
	if c.inside && errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // fasthttp takes io.EOF for the end between two requests
	}
	if !c.active.Load() {
		c.active.Store(true)
	}
	return n, err
}

// ReadFrom lets the kernel send files without copying them through this process.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// Close closes. A client that was refused in the middle of its request is still
// sending: closing at once would reset the connection before the client could read why.
func (c *Conn) Close() error {
	defer c.leave()
	c.of.remove(c)
	if body := c.body.Load(); body != nil {
		body.Release()
	}
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger && half.CloseWrite() == nil {
		c.lingering.linger(c.Conn)
	}
	return c.Conn.Close()
}
