package edge

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/apikey"
	"platen.dev/events"
	"platen.dev/projections"
)

// The tests of this package's hostile_*_test.go treat the server as the network
// does: with what is not HTTP, too much of it, too slowly or from too many sides.

const (
	// patience bounds every wait of these tests; it is spent only when something is wrong.
	patience = 30 * time.Second
	// prompt is what a well-behaved client waits for an answer at most, on a busy machine.
	prompt = 5 * time.Second
)

// liveServer is a server over fakes that complains to the test about every panic.
type liveServer struct {
	*Server
	fixture *fixture
	address string
}

// fakeConfig is a server's configuration over fakes that never fail, and a key.
func fakeConfig(log *slog.Logger) (Config, *fixture) {
	secret, key := apikey.New(apikey.Live, 1)
	d := &fixture{
		secret: secret, hash: key.Hash, reply: events.Reply{Code: events.Accepted}, plan: events.PlanBusiness,
		rate: events.Rate{Allowed: true, Limit: 2000, Remaining: 1999, Reset: events.At(time.Now().Add(time.Minute))},
		jobs: map[events.JobID]projections.Job{}, fresh: map[events.JobID]projections.Job{},
	}
	return Config{
		Commands: d, Models: d, Partitions: 4, DocsURL: "https://example.test/errors", UpgradeURL: "https://example.test/pricing",
		Documents: Documents{
			Placeholders: func(string) error { return nil },
			Markdown:     func(source string) (string, error) { return "<p>" + source, nil },
			Sanitize:     func(html string) string { return html },
			Template:     func(html string) string { return html },
			Invoice:      func([]byte, string) error { return nil },
		},
		Rate:    func(events.AccountID, events.Plan) events.Rate { return d.rate },
		Resolve: resolve, Seal: sealed, Now: time.Now, Logger: log,
		Open: func(context.Context, string) (io.ReadCloser, int64, error) {
			return io.NopCloser(strings.NewReader("content")), int64(len("content")), nil
		},
		Ready:   func() error { return nil },
		Metrics: func(ctx *fasthttp.RequestCtx) { text(ctx, 200, "metrics") },
	}, d
}

// failOnError fails a test for whatever is logged as an error: a panic is.
type failOnError struct {
	slog.Handler
	t testing.TB
}

func (c failOnError) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

func (c failOnError) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		c.t.Errorf("the server complains: %s: %s", r.Message, a)
		return true
	})
	return nil
}

// start starts a server on a socket.
func start(t *testing.T, limits timeouts) *liveServer {
	t.Helper()
	cfg, d := fakeConfig(slog.New(failOnError{slog.DiscardHandler, t}))
	b := &liveServer{Server: newServer(cfg, limits), fixture: d}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.address = l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- b.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := errors.Join(b.Shutdown(ctx), <-served); err != nil {
			t.Error(err)
		}
	})
	return b
}

// dial opens a connection that ends with the test, and with which no wait lasts forever.
func (b *liveServer) dial(t testing.TB) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", b.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// reply is one response as it came over the wire.
type reply struct {
	*http.Response
	body string
}

// replies reads responses until the server closes the connection. whole is false
// when what came last is no whole response.
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

// probe is a client that asks all the time and wants each answer promptly.
type probe struct {
	answers atomic.Int64
	cancel  context.CancelFunc
	ended   chan error
}

// askPace keeps the probe from being a load of its own.
const askPace = 10 * time.Millisecond

// watch starts a probe, which has its first answer when watch returns.
func (b *liveServer) watch(t *testing.T) *probe {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &probe{cancel: cancel, ended: make(chan error, 1)}
	conn, first := b.dial(t), make(chan struct{})
	go func() { w.ended <- w.ask(ctx, conn, first) }()
	select {
	case <-first:
	case err := <-w.ended:
		t.Fatalf("the probe has no first answer: %v", err)
	}
	return w
}

func (w *probe) ask(ctx context.Context, conn net.Conn, first chan struct{}) error {
	ticker := time.NewTicker(askPace)
	defer ticker.Stop()
	br := bufio.NewReader(conn)
	for {
		last := ctx.Err() != nil // looked at before the question: the last one comes after the end
		if err := question(conn, br); err != nil || last {
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

// question asks and wants a prompt answer.
func question(conn net.Conn, br *bufio.Reader) error {
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

// end asks once more and stops the probe, which must have been served all the time.
func (w *probe) end(t *testing.T) {
	t.Helper()
	w.cancel()
	if err := <-w.ended; err != nil {
		t.Errorf("another client was not served promptly: %v", err)
	}
}

// served wants many answers in a second or more that passed since there were so many.
func (w *probe) served(t *testing.T, since int64) {
	t.Helper()
	const many = 10
	if n := w.answers.Load() - since; n < many {
		t.Errorf("another client had %d answers meanwhile", n)
	}
}
