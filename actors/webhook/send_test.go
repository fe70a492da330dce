package webhook

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/actors/outbound"
	"platen.dev/browserpool/egress"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// at is the clock of the tests.
var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func clientOn(loopback bool) *Client {
	policy := egress.Policy{}
	if loopback {
		policy.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	return NewClient(policy, DefaultPrefix, "Platen/test", func() time.Time { return at })
}

func message(url string) Message {
	return Message{ID: "msg_1", URL: url, Body: []byte(`{"type":"job.failed"}`), Secrets: []string{Secret([32]byte{1})}, Headers: []Header{{"authorization", "Bearer x"}}}
}

func receiver(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

// A receiver learns the job's place in a trace, if it has one, whatever headers the account has
// set.
func TestSendOfATracedJob(t *testing.T) {
	got := make(chan http.Header, 1)
	url := receiver(t, func(_ http.ResponseWriter, r *http.Request) { got <- r.Header })
	m := message(url)
	clientOn(true).Send(testkit.Context(t), m)
	if h := <-got; h.Values("Traceparent") != nil {
		t.Errorf("a job that is not traced: %v", h)
	}
	m.Trace = events.Trace{ID: events.TraceID{1}, Span: events.SpanID{2}}
	m.Headers = append(m.Headers, Header{"traceparent", "set before Platen did"})
	clientOn(true).Send(testkit.Context(t), m)
	if h := <-got; len(h.Values("Traceparent")) != 1 || h.Get("Traceparent") != m.Trace.Traceparent() {
		t.Errorf("a traced job: %v", h)
	}
}

// A receiver gets the body, the account's headers and signatures of this moment.
func TestSend(t *testing.T) {
	got := make(chan *http.Request, 1)
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		got <- r
		w.WriteHeader(201)
		fmt.Fprint(w, "thanks")
	})
	o := clientOn(true).Send(testkit.Context(t), message(url+"/hook?a=1"))
	if o.Status != 201 || o.Error != "" || o.Answer != "thanks" {
		t.Errorf("outcome %+v", o)
	}
	r := <-got
	b, _ := io.ReadAll(r.Body)
	if r.Method != "POST" || r.URL.String() != "/hook?a=1" || string(b) != `{"type":"job.failed"}` || r.ContentLength != int64(len(b)) {
		t.Errorf("%s %s %q", r.Method, r.URL, b)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer x", "Content-Type": "application/json", "User-Agent": "Platen/test", "Webhook-Id": "msg_1",
		"Webhook-Timestamp": fmt.Sprint(at.Unix()), "X-Platen-Timestamp": fmt.Sprint(at.Unix()),
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(r.Header.Get("Webhook-Signature"), "v1,") || r.Header.Get("X-Platen-Signature") == "" {
		t.Errorf("signatures: %v", r.Header)
	}
}

// A receiver's answer is kept, as far as it matters.
func TestAnswers(t *testing.T) {
	var followed atomic.Int64
	elsewhere := receiver(t, func(http.ResponseWriter, *http.Request) { followed.Add(1) })
	for name, c := range map[string]struct {
		answer     http.HandlerFunc
		status     int
		retryAfter int64
		length     int
	}{
		"nothing": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, 204, 0, 0},
		"gone":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, 410, 0, 0},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		}, 307, 0, 0},
		"busy for a minute":      {retryAfterHeader(503, "60"), 503, 60, 0},
		"busy until a time":      {retryAfterHeader(429, at.Add(90*time.Second).Format(http.TimeFormat)), 429, 90, 0},
		"busy until an old time": {retryAfterHeader(429, at.Add(-time.Hour).Format(http.TimeFormat)), 429, 0, 0},
		"busy, in bad words":     {retryAfterHeader(503, "soon"), 503, 0, 0},
		"busy, below zero":       {retryAfterHeader(503, "-5"), 503, 0, 0},
		"as much as is kept":     {text(outbound.MaxKept), 200, 0, outbound.MaxKept},
		"more than is kept":      {text(outbound.MaxKept + 1), 200, 0, outbound.MaxKept},
		"without end":            {func(w http.ResponseWriter, r *http.Request) { flood(w, r.Context()) }, 200, 0, outbound.MaxKept},
		"bytes that are no text": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{'a', 0xff, 'b'}) }, 200, 0, 2},
	} {
		o := clientOn(true).Send(testkit.Context(t), message(receiver(t, c.answer)))
		if o.Status != c.status || o.RetryAfter != c.retryAfter || len(o.Answer) != c.length || o.Error != "" {
			t.Errorf("%s: status %d, retry after %d, %d bytes, error %q", name, o.Status, o.RetryAfter, len(o.Answer), o.Error)
		}
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func retryAfterHeader(status int, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", value)
		w.WriteHeader(status)
	}
}

func text(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", n)) }
}

func flood(w io.Writer, ctx context.Context) {
	for ctx.Err() == nil {
		if _, err := io.WriteString(w, strings.Repeat("x", 64<<10)); err != nil {
			return
		}
	}
}

// An attempt without a response says why, but never the URL, which may be secret.
func TestNoResponse(t *testing.T) {
	closed := listening(t, nil)
	_ = closed.Close()
	reset := listening(t, func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); _ = c.Close() })
	garbage := listening(t, func(c net.Conn) { fmt.Fprint(c, "SSH-2.0-none\r\n"); _ = c.Close() })
	switching := listening(t, func(c net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(c)) // an answer before the request is another failure
		fmt.Fprint(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
	}) // and stays open
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	untrusted.TLS.MinVersion = tls.VersionTLS12
	t.Cleanup(untrusted.Close)
	for name, c := range map[string]struct{ url, want string }{
		"refused":               {"http://" + closed.Addr().String(), "the connection failed: "},
		"reset":                 {"http://" + reset.Addr().String(), "the connection failed: "},
		"another protocol":      {"http://" + switching.Addr().String(), "no response: the server switches to another protocol (status 101)"},
		"not HTTP":              {"http://" + garbage.Addr().String(), "no response: "},
		"a bad certificate":     {untrusted.URL, "the certificate is not valid: "},
		"a name without a host": {"http://platen.invalid", "the host cannot be resolved to an address and port that are allowed"},
		"a damaged URL":         {"http://a b", "no response: the URL is damaged"},
	} {
		o := clientOn(true).Send(testkit.Context(t), message(c.url+"/?token=Kr0kodil"))
		if o.Status != 0 || !strings.HasPrefix(o.Error, c.want) || strings.Contains(o.Error, "Kr0kodil") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if o := clientOn(false).Send(testkit.Context(t), message(receiver(t, text(1)))); o.Error != "the host cannot be resolved to an address and port that are allowed" {
		t.Errorf("a private address: %+v", o)
	}
}

func listening(t *testing.T, serve func(net.Conn)) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for serve != nil {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serve(c)
		}
	}()
	return l
}

// A receiver that drips is abandoned at the attempt's limit: with a status if it has arrived,
// otherwise without.
func TestDrip(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		status int
	}{"in the header": {"HTTP/1.1 200 OK\r\nX-A: ", 0}, "in the body": {"HTTP/1.1 200 OK\r\n\r\n", 200}} {
		dripping := listening(t, func(conn net.Conn) {
			defer conn.Close()
			_, err := conn.Read(make([]byte, 1)) // a client may take what comes before its request for another response
			if err == nil {
				_, err = fmt.Fprint(conn, c.before)
			}
			for range time.Tick(10 * time.Millisecond) {
				if err != nil {
					return
				}
				_, err = fmt.Fprint(conn, "x")
			}
		})
		client := clientOn(true)
		client.timeout = time.Second
		o := client.Send(testkit.Context(t), message("http://"+dripping.Addr().String()))
		if o.Status != c.status || (o.Error == "") != (c.status == 200) || (o.Answer != "") != (c.status == 200) || o.Millis < 1000 {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// A receiver that does not answer ends the attempt at its limit.
func TestSilence(t *testing.T) {
	ctx, cancel := context.WithDeadline(testkit.Context(t), time.Now())
	defer cancel()
	o := clientOn(true).Send(ctx, message(receiver(t, text(1))))
	if o.Status != 0 || !strings.HasPrefix(o.Error, "no response within 15s") {
		t.Errorf("got %+v", o)
	}
}
