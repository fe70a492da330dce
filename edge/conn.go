package edge

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

// newConns are the connections on which nothing was received yet. fasthttp counts one
// as a request under way until ReadTimeout, so that clients and load balancers that
// connect ahead of need would hold up every shutdown.
type newConns struct {
	mu     sync.Mutex
	open   map[*conn]bool
	closed bool

	lingering lingering // of all connections
}

// listener is a listener whose connections begin as new ones.
type listener struct {
	net.Listener
	server *Server
	gate   *gate       // nil for no limit
	tls    *tls.Config // nil for none
}

// Accept waits for a connection. It closes those that are too many.
func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		leave := func() {}
		if l.gate != nil {
			var ok bool
			if leave, ok = l.gate.enter(c.RemoteAddr()); !ok {
				_ = c.Close()
				continue
			}
		}
		if l.tls != nil {
			c = tls.Server(c, l.tls)
		}
		return l.server.fresh.add(c, leave), nil
	}
}

// add adds a connection; leave is called when it is closed.
func (n *newConns) add(c net.Conn, leave func()) *conn {
	added := &conn{Conn: c, fresh: n, lingering: &n.lingering, leave: leave}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		_ = c.Close()
		leave()
		return added
	}
	if n.open == nil {
		n.open = map[*conn]bool{}
	}
	n.open[added] = true
	return added
}

func (n *newConns) remove(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.open, c)
}

// close closes the new connections and those that come from now on.
func (n *newConns) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	for c := range n.open {
		_ = c.Conn.Close()
	}
}

// conn is a connection that leaves newConns with its first read.
type conn struct {
	net.Conn
	fresh     *newConns
	lingering *lingering
	leave     func()
	// Used by the goroutine that serves the connection.
	active bool
	inside bool // a request has begun and is not answered
	late   bool // the last read ran into its deadline
	linger bool // what the client still sends is read before the connection is closed
	// body is the memory of a body that the client was told to send; it may be nil.
	body atomic.Pointer[share]
}

// onState notes where requests begin and end.
func onState(c net.Conn, state fasthttp.ConnState) {
	if c, ok := c.(*conn); ok {
		c.inside = state == fasthttp.StateActive
	}
}

// Read reads. The connection is no longer new once the first read returns.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.late = errors.Is(err, os.ErrDeadlineExceeded)
	if c.inside && errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // fasthttp takes io.EOF for the end between two requests
	}
	if !c.active {
		c.active = true
		c.fresh.remove(c)
	}
	return n, err
}

// ReadFrom lets the kernel send files without copying them through this process.
func (c *conn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// Close closes. A client that was refused in the middle of its request is still
// sending: closing at once would reset the connection before the client could read why.
func (c *conn) Close() error {
	defer c.leave()
	c.fresh.remove(c)
	if body := c.body.Load(); body != nil {
		body.release()
	}
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger && half.CloseWrite() == nil {
		c.lingering.linger(c.Conn)
	}
	return c.Conn.Close()
}
