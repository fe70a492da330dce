package edge

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A listener with a request under way, such as a long download, keeps none of the others open: they end at once, and use the whole time themselves.
func TestListenersShutDownTogether(t *testing.T) {
	cfg, _ := fakeConfig(testkit.Silent())
	begun, end := make(chan struct{}), make(chan struct{})
	cfg.Metrics = func(*fasthttp.RequestCtx) { close(begun); <-end }
	s := newServer(cfg, patient)
	dial := func(serve func(net.Listener) error) net.Conn {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- serve(l) }()
		t.Cleanup(func() { _ = testkit.Receive(t, served, "a listener has ended") })
		return (&liveServer{address: l.Addr().String()}).dial(t)
	}
	busy, gotenberg, ops := dial(s.Serve), dial(s.ServeGotenberg), dial(s.ServeOps)
	if _, err := io.WriteString(busy, get("/metrics", "")); err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, begun, "a request is under way")
	for _, idle := range []net.Conn{gotenberg, ops} {
		if err := roundTrip(idle, bufio.NewReader(idle)); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	for name, idle := range map[string]net.Conn{"gotenberg": gotenberg, "ops": ops} {
		if _, err := idle.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the idle connection of %s: %v", name, err)
		}
	}
	close(end)
	if err := testkit.Receive(t, ended, "everything has ended"); err != nil {
		t.Error(err)
	}
}

// A client that does not send the rest of its request does not hold up the end of the server, and learns why it is refused.
func TestShutdownDuringHalfARequest(t *testing.T) {
	cfg, d := fakeConfig(testkit.Silent())
	begun := make(chan struct{}, 2)
	cfg.Rate = func(events.AccountID, events.Plan) events.Rate { begun <- struct{}{}; return d.rate }
	s := newServer(cfg, patient)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	half := (&liveServer{address: l.Addr().String()}).dial(t)
	if _, err := io.WriteString(half, "POST /html-to-pdf HTTP/1.1\r\n"+host+"X-API-Key: "+d.secret+"\r\nContent-Length: 100000\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, begun, "the request has begun")
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	got, err := http.ReadResponse(bufio.NewReader(half), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(got.Body); err != nil || got.StatusCode != 503 || !strings.Contains(string(body), "shutting down") {
		t.Errorf("%d %s, %v", got.StatusCode, body, err)
	}
	_ = half.Close()
	if err := errors.Join(testkit.Receive(t, ended, "everything has ended"), <-served); err != nil {
		t.Error(err)
	}
}
