package edge

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// The tests in hostile_*_test.go treat the server as the network does: they send what
// is not HTTP, or too much of it, or too slowly, or over too many connections.

// prompt is the longest that a well-behaved client waits for a response, on a busy machine.
const prompt = 5 * time.Second

// liveServer is a server on a socket, over fakes, that fails its test with every panic.
type liveServer struct {
	*Server
	fixture *fixture
	address string
}

// failOnError is a log handler that fails a test with every error; panics are errors.
type failOnError struct {
	slog.Handler
	t testing.TB
}

func (c failOnError) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

func (c failOnError) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		c.t.Errorf("the server logged an error: %s: %s", r.Message, a)
		return true
	})
	return nil
}

// start starts a server on a socket.
func start(t *testing.T, limits timeouts) *liveServer {
	t.Helper()
	return startWith(t, limits, func(*Config) {})
}

// startWith starts a server after changing its configuration.
func startWith(t *testing.T, limits timeouts, change func(*Config)) *liveServer {
	t.Helper()
	cfg, d := fakeConfig(slog.New(failOnError{slog.DiscardHandler, t}))
	change(&cfg)
	b := &liveServer{Server: newServer(cfg, limits), fixture: d}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.address = l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- b.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
		defer cancel()
		err := b.Shutdown(ctx)
		_ = l.Close() // a server that has not begun to serve does not know of it
		if err := errors.Join(err, <-served); err != nil {
			t.Error(err)
		}
	})
	return b
}

// dial opens a connection that is closed with the test and on which no wait lasts forever.
func (b *liveServer) dial(t testing.TB) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", b.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(testkit.Patience)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// reply is one response as it came over the wire.
type reply struct {
	*http.Response
	body string
}

// replies reads responses until the server closes the connection. whole is false if the
// last one is incomplete.
func replies(c io.Reader) (all []reply, whole bool) {
	br := bufio.NewReader(c)
	for {
		if _, err := br.Peek(1); err != nil {
			return all, errors.Is(err, io.EOF)
		}
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			return all, false
		}
		body, err := io.ReadAll(resp.Body)
		all = append(all, reply{resp, string(body)})
		if err != nil {
			return all, false
		}
	}
}

func statuses(all []reply) []int {
	codes := make([]int, len(all))
	for i, r := range all {
		codes[i] = r.StatusCode
	}
	return codes
}

// probe is another client, which sends requests continuously and expects prompt responses.
type probe struct {
	answers atomic.Int64
	cancel  context.CancelFunc
	ended   chan error
}

// probeInterval keeps the probe from being a load of its own.
const probeInterval = 10 * time.Millisecond

// probe starts a probe and waits for its first response.
func (b *liveServer) probe(t *testing.T) *probe {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &probe{cancel: cancel, ended: make(chan error, 1)}
	conn, first := b.dial(t), make(chan struct{})
	go func() { w.ended <- w.ask(ctx, conn, first) }()
	select {
	case <-first:
	case err := <-w.ended:
		t.Fatalf("the probe got no first response: %v", err)
	}
	return w
}

func (w *probe) ask(ctx context.Context, conn net.Conn, first chan struct{}) error {
	ticker := time.NewTicker(probeInterval)
	defer ticker.Stop()
	br := bufio.NewReader(conn)
	for {
		last := ctx.Err() != nil // checked before the request, so that the last one comes after the end
		if err := roundTrip(conn, br); err != nil || last {
			return err
		}
		if w.answers.Add(1) == 1 {
			close(first)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// roundTrip sends a request and expects a prompt response.
func roundTrip(conn net.Conn, br *bufio.Reader) error {
	if err := conn.SetDeadline(time.Now().Add(prompt)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// stop sends a last request and stops the probe, which must have been served all the time.
func (w *probe) stop(t *testing.T) {
	t.Helper()
	w.cancel()
	if err := <-w.ended; err != nil {
		t.Errorf("another client was not served promptly: %v", err)
	}
}

// served expects many responses since a count was taken, a second or more ago.
func (w *probe) served(t *testing.T, since int64) {
	t.Helper()
	const many = 10
	if n := w.answers.Load() - since; n < many {
		t.Errorf("another client got %d responses meanwhile", n)
	}
}
