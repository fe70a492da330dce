package edge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// Connections beyond the limit are closed, and ended ones free their place.
func TestConnectionLimit(t *testing.T) {
	b := startWith(t, patient, func(c *Config) { c.Connections.Most = 2 })
	first, second := b.dial(t), b.dial(t)
	for _, conn := range []net.Conn{first, second} {
		if err := roundTrip(conn, bufio.NewReader(conn)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := b.dial(t).Read(make([]byte, 1)); err == nil {
		t.Errorf("got %d bytes on a connection beyond the limit", n)
	}
	_ = first.Close()
	testkit.Eventually(t, "there is room again", func() bool { open, _ := b.ConnectionFigures(); return open == 1 })
	third := b.dial(t)
	if err := roundTrip(third, bufio.NewReader(third)); err != nil {
		t.Error(err)
	}
}

// Metrics are served to this machine only, or on the operator's listener if there is one.
func TestMetricsAreForOperators(t *testing.T) {
	b := start(t, patient)
	get := func(address, path string, headers ...string) (int, string) {
		t.Helper()
		request, err := http.NewRequest("GET", "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		request.Host = request.Header.Get("Host")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := response.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options is %q", path, got)
		}
		return response.StatusCode, string(body)
	}
	for _, host := range []string{"evil.test", "localhost.evil.test", "127.0.0.1.evil.test:8080"} { // a page whose name leads here (DNS rebinding)
		if status, body := get(b.address, "/metrics", "Host", host); status != 404 || strings.Contains(body, "metrics") {
			t.Errorf("/metrics of %s: %d %s", host, status, body)
		}
	}
	if status, _ := get(b.address, "/metrics"); status != 200 {
		t.Errorf("this machine got %d", status)
	}
	for _, header := range forwarding {
		if status, body := get(b.address, "/metrics", header, "203.0.113.9"); status != 404 || strings.Contains(body, "metrics") {
			t.Errorf("a proxy that sends %s got %d %s", header, status, body)
		}
		if _, body := get(b.address, "/readyz", header, "203.0.113.9"); body != "ready\n" {
			t.Errorf("a proxy that sends %s got %q", header, body)
		}
	}
	b = startWith(t, patient, func(c *Config) { c.Connections.Trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	if status, _ := get(b.address, "/metrics"); status != 404 {
		t.Errorf("a trusted proxy got %d", status)
	}
	b = startWith(t, patient, func(c *Config) { c.Ops = true })
	if status, _ := get(b.address, "/metrics"); status != 404 {
		t.Errorf("beside the operator's listener the API's port answered %d", status)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- b.ServeOps(l) }()
	for path, want := range map[string]int{"/metrics": 200, "/healthz": 200, "/readyz": 200, "/docs": 404, "/jobs/x": 404, "/html-to-pdf": 404} {
		if status, body := get(l.Addr().String(), path); status != want {
			t.Errorf("the operator's listener answered %s with %d %s", path, status, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := b.ops.Shutdown(); err != nil || <-served != nil {
		t.Error(err)
	}
}

// Every response forbids MIME sniffing, including responses to malformed requests.
func TestNoSniffing(t *testing.T) {
	b := start(t, patient)
	for _, sent := range []string{get("/healthz", ""), get("/nope", ""), "BAD\r\n\r\n", get("/docs", ""), "GET / HTTP/2.0\r\n\r\n", "POST /html-to-pdf HTTP/1.1\r\n" + host + "Content-Length: 9000000\r\n\r\n"} {
		conn := b.dial(t)
		if _, err := io.WriteString(conn, sent); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Values("X-Content-Type-Options"); fmt.Sprint(got) != "[nosniff]" || resp.Header.Get("Strict-Transport-Security") != "" {
			t.Errorf("%.20q: got %v", sent, resp.Header)
		}
	}
}
