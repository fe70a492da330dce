package edge

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// silent knows the connections on which nothing has come yet. fasthttp takes one
// for a request under way until ReadTimeout; clients and load balancers that
// connect ahead of need would so hold up every shutdown.
type silent struct {
	mu    sync.Mutex
	conns map[*conn]bool
	ended bool
}

// listener is a listener whose connections begin as silent ones.
type listener struct {
	net.Listener
	silent *silent
}

// Accept waits for a connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.silent.add(c), nil
}

func (s *silent) add(c net.Conn) *conn {
	added := &conn{Conn: c, silent: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		_ = c.Close()
		return added
	}
	s.conns[added] = true
	return added
}

func (s *silent) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// end closes the silent connections and those that come from now on.
func (s *silent) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for c := range s.conns {
		_ = c.Conn.Close()
	}
}

// conn is a connection that tells when it is no longer silent.
type conn struct {
	net.Conn
	silent *silent
	// Used by the goroutine that serves the connection.
	spoke  bool
	late   bool // the client did not send in time what was waited for
	linger bool // what the client still sends is read before the connection ends
}

// Read reads; the first return of it ends the silence.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.late = errors.Is(err, os.ErrDeadlineExceeded)
	if !c.spoke {
		c.spoke = true
		c.silent.remove(c)
	}
	return n, err
}

// ReadFrom lets files go out without passing through this process.
func (c *conn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

const (
	lingerBytes = 32 << 20
	lingerTime  = 2 * time.Second
)

// Close closes. A client that was refused in the middle of its request is still
// sending; closing at once would reset the connection, and it would not get to
// read why.
func (c *conn) Close() error {
	c.silent.remove(c)
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger && half.CloseWrite() == nil {
		_ = c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	return c.Conn.Close()
}
