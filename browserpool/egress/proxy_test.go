package egress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func listen(t *testing.T, policy Policy, limits Limits) *Proxy {
	t.Helper()
	proxy, err := Listen(policy, limits, testkit.Silent())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	return proxy
}

// through returns a client that sends all requests through the proxy.
func through(t *testing.T, proxy *Proxy) *http.Client {
	t.Helper()
	address := &url.URL{Scheme: "socks5", Host: proxy.Address()}
	transport := &http.Transport{Proxy: http.ProxyURL(address)}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// Bytes are carried unchanged in both directions, even those that no HTTP library would read.
func TestCarries(t *testing.T) {
	const request = "GET /100%.html?a=%zz HTTP/1.1\r\nHost: x\r\nProxy-Connection: y\r\n\r\n"
	const answer = "HTTP/1.1 200 OK\r\na line without a colon\r\n\r\nbody"
	server := rawServer(t, func(conn net.Conn) {
		got := make([]byte, len(request))
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != request {
			t.Errorf("the server reads %q, %v", got, err)
		}
		_, _ = io.WriteString(conn, answer)
	})
	conn, code := ask(t, listen(t, Policy{Allow: loopback}, Limits{}), server)
	if code != replySucceeded {
		t.Fatalf("reply %d", code)
	}
	_, _ = io.WriteString(conn, request)
	if got, err := io.ReadAll(conn); err != nil || string(got) != answer {
		t.Errorf("the client reads %q, %v", got, err)
	}
}

// A response that the server truncates must not look complete.
func TestBrokenAnswer(t *testing.T) {
	server := rawServer(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "half")
		_, _ = conn.Read(make([]byte, 1)) // until the client has it
		reset(conn)
	})
	conn, _ := ask(t, listen(t, Policy{Allow: loopback}, Limits{}), server)
	if _, err := io.ReadFull(conn, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	_, _ = conn.Write([]byte("x"))
	if _, err := io.ReadAll(conn); err == nil {
		t.Error("the client sees an ordinary end")
	}
}

// Refused addresses and ports, names that do not resolve, and servers that do not answer get the same refusal; the proxy knows the cause.
func TestRefused(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a refused request arrived") })
	port := uint16(server.Listener.Addr().(*net.TCPAddr).Port)
	proxy := listen(t, Policy{}, Limits{Refusal: time.Millisecond})
	for _, host := range []string{"127.0.0.1", "localhost", "::1", "::ffff:127.0.0.1"} {
		if _, code := ask(t, proxy, target{host, port}); code != replyFailed || !errors.Is(proxy.Fault(host, port), ErrBlocked) {
			t.Errorf("%s: reply %d, %v", host, code, proxy.Fault(host, port))
		}
	}
	if got := proxy.Blocked(); got != 4 {
		t.Errorf("%d counted as blocked, want 4", got)
	}
	var unknown *net.DNSError
	if _, code := ask(t, proxy, target{"nothing.invalid", 443}); code != replyFailed || !errors.As(proxy.Fault("nothing.invalid", 443), &unknown) {
		t.Errorf("an unknown name: reply %d, %v", code, proxy.Fault("nothing.invalid", 443))
	}
	trusting := listen(t, Policy{Allow: loopback}, Limits{Refusal: time.Millisecond})
	for _, port := range []uint16{22, 6379, 0} {
		if _, code := ask(t, trusting, target{"127.0.0.1", port}); code != replyFailed || !errors.Is(trusting.Fault("127.0.0.1", port), ErrBlocked) {
			t.Errorf("port %d: reply %d, %v", port, code, trusting.Fault("127.0.0.1", port))
		}
	}
	server.Close()
	if _, code := ask(t, trusting, target{"127.0.0.1", port}); code != replyFailed || !errors.Is(trusting.Fault("127.0.0.1", port), unix.ECONNREFUSED) {
		t.Errorf("a port where nothing listens: reply %d, %v", code, trusting.Fault("127.0.0.1", port))
	}
	if fault := trusting.Fault("127.0.0.1", 443); fault != nil {
		t.Errorf("what nobody asked for has the fault %v", fault)
	}
}

// Anything but a SOCKS 5 connection request gets no connection.
func TestNotSOCKS(t *testing.T) {
	proxy := listen(t, Policy{Allow: loopback}, Limits{})
	for name, c := range map[string]struct{ sent, answer string }{
		"HTTP":                          {"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n" + strings.Repeat("x", 100), ""},
		"SOCKS 4":                       {"\x04\x01\x00\x50\x7f\x00\x00\x01\x00", ""},
		"a password only":               {"\x05\x01\x02", "\x05\xff"},
		"another version after that":    {"\x05\x01\x00\x04\x01\x00\x01", "\x05\x00"},
		"BIND":                          {"\x05\x01\x00\x05\x02\x00\x01", "\x05\x00\x05\x07\x00\x01\x00\x00\x00\x00\x00\x00"},
		"an unknown type of address":    {"\x05\x01\x00\x05\x01\x00\x02", "\x05\x00"},
		"a name without any characters": {"\x05\x01\x00\x05\x01\x00\x03\x00", "\x05\x00"},
	} {
		conn, err := net.Dial("tcp", proxy.Address())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, c.sent)
		got, _ := io.ReadAll(conn) // an unread rest resets the connection
		conn.Close()
		if string(got) != c.answer {
			t.Errorf("%s: %q, want %q", name, got, c.answer)
		}
	}
}

// Neither the reply nor its timing reveals whether a name resolves to refused addresses or not at all.
func TestRefusalsLookAlike(t *testing.T) {
	proxy := listen(t, Policy{}, Limits{Refusal: time.Hour})
	for _, host := range []string{"localhost", "127.0.0.1", "nothing.invalid"} {
		conn := request(t, proxy, target{host, 443})
		_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if n, err := conn.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %d bytes before the time, %v", host, n, err)
		}
	}
	proxy = listen(t, Policy{}, Limits{Refusal: time.Millisecond})
	answer := func(host string) string {
		all, err := io.ReadAll(request(t, proxy, target{host, 443}))
		return fmt.Sprint(all, err)
	}
	if refused, unknown := answer("localhost"), answer("nothing.invalid"); refused != unknown {
		t.Errorf("a name inside gets %s, and one that does not exist %s", refused, unknown)
	}
}

// request asks for a connection, as a browser does, and does not wait for the reply.
func request(t *testing.T, proxy *Proxy, to target) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", proxy.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	message := append([]byte{socksVersion, 1, noAuth, socksVersion, connect, 0}, addressOf(to)...)
	if _, err := conn.Write(binary.BigEndian.AppendUint16(message, to.port)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// addressOf encodes IP literals as addresses, and anything else as a name.
func addressOf(to target) []byte {
	addr, err := netip.ParseAddr(to.host)
	switch {
	case err != nil:
		return append([]byte{addressName, byte(len(to.host))}, to.host...)
	case addr.Is4():
		return append([]byte{addressIPv4}, addr.AsSlice()...)
	default:
		return append([]byte{addressIPv6}, addr.AsSlice()...)
	}
}

// ask asks for a connection and returns the reply's code.
func ask(t *testing.T, proxy *Proxy, to target) (net.Conn, byte) {
	t.Helper()
	conn := request(t, proxy, to)
	var answer [10]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		t.Fatal(err)
	}
	return conn, answer[1]
}

// rawServer handles each connection with serve.
func rawServer(t *testing.T, serve func(net.Conn)) target {
	return target{"127.0.0.1", pagetest.ServeConnections(t, serve).AddrPort().Port()}
}

// A tunnel carries TLS to the server that the client named.
func TestTunnel(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "secure") }))
	t.Cleanup(server.Close)
	client := through(t, listen(t, Policy{Allow: loopback}, Limits{}))
	client.Transport.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	response, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); string(body) != "secure" {
		t.Errorf("body %q", body)
	}
}

func TestRefuses(t *testing.T) {
	proxy := listen(t, Policy{Allow: prefixes("127.0.0.0/8")}, Limits{})
	for host, want := range map[string]bool{"127.0.0.1": false, "10.0.0.1": true, "::1": true, "1.1.1.1": false, "nobody.invalid": false, "": false} {
		if got := proxy.Refuses(t.Context(), host, 80); got != want {
			t.Errorf("%q: refused is %v, want %v", host, got, want)
		}
	}
}

// Data beyond the limit is cut off, and the response does not look complete.
func TestByteLimit(t *testing.T) {
	server := rawServer(t, func(conn net.Conn) { _, _ = conn.Write(make([]byte, 1000)) })
	for limit, whole := range map[int64]bool{999: false, 1000: true} {
		conn, _ := ask(t, listen(t, Policy{Allow: loopback}, Limits{Bytes: limit}), server)
		if _, err := io.ReadAll(conn); (err == nil) != whole {
			t.Errorf("limit %d: reading ends with %v", limit, err)
		}
	}
}

// The limit of a proxy applies to all its tunnels together, in both directions; the first excess byte and everything after it are not carried.
func TestTotal(t *testing.T) {
	server := rawServer(t, func(conn net.Conn) {
		_, _ = io.ReadFull(conn, make([]byte, 100))
		_, _ = conn.Write(make([]byte, 400))
	})
	proxy := listen(t, Policy{Allow: loopback}, Limits{Total: 1000})
	exchange := func(size int) error {
		conn, _ := ask(t, proxy, server)
		_, _ = conn.Write(make([]byte, size))
		_, err := io.ReadAll(conn)
		return err
	}
	for range 2 {
		if err := exchange(100); err != nil {
			t.Fatal(err)
		}
	}
	if got := proxy.Carried(); got != 1000 || proxy.Spent().Err() != nil {
		t.Errorf("%d bytes carried, spent is %v", got, proxy.Spent().Err())
	}
	if err := exchange(100); err == nil {
		t.Error("an answer beyond the limit looks whole")
	}
	if proxy.Spent().Err() == nil {
		t.Error("the proxy does not report that its limit is reached")
	}
}

// A proxy ends with the context of its owner.
func TestGone(t *testing.T) {
	gate := NewGate(Policy{}, Limits{}, testkit.Silent())
	gone := make(chan struct{})
	proxy, err := gate.Open(gone)
	if err != nil {
		t.Fatal(err)
	}
	close(gone)
	gate.Wait()
	if conn, err := net.Dial("tcp", proxy.Address()); err == nil {
		conn.Close()
		t.Error("the proxy still listens")
	}
}

// A tunnel ends at its time limit, and does not look complete.
func TestTimeLimits(t *testing.T) {
	hang := make(chan struct{})
	server := rawServer(t, func(net.Conn) { <-hang })
	t.Cleanup(func() { close(hang) })
	conn, _ := ask(t, listen(t, Policy{Allow: loopback}, Limits{Life: 50 * time.Millisecond}), server)
	if _, err := io.ReadAll(conn); err == nil {
		t.Error("a tunnel that has lasted too long looks whole")
	}
}

// Closing ends open tunnels, and connections that have not asked for one.
func TestClose(t *testing.T) {
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	proxy := listen(t, Policy{Allow: loopback}, Limits{})
	silent, err := net.Dial("tcp", proxy.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	tunnel, _ := ask(t, proxy, target{"127.0.0.1", uint16(server.Addr().(*net.TCPAddr).Port)})
	proxy.Close()
	for _, conn := range []net.Conn{silent, tunnel} {
		if _, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("a connection ends with %v", err)
		}
	}
}

// A suspended proxy has closed its tunnels and carries nothing. Once renewed, it is like a new one.
func TestSuspend(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", 600)) })
	proxy := listen(t, Policy{Allow: loopback}, Limits{Total: 1_000})
	get := func() error {
		answer, err := through(t, proxy).Get(server.URL)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	spent := proxy.Spent()
	tunnel, _ := ask(t, proxy, addressIn(t, server.URL))
	proxy.Suspend()
	if _, err := io.ReadAll(tunnel); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("a tunnel ends with %v", err)
	}
	if get() == nil {
		t.Error("a suspended proxy carries a request")
	}
	proxy.Renew()
	if carried := proxy.Carried(); carried != 0 || spent.Err() != nil {
		t.Errorf("a renewed proxy has carried %d bytes", carried)
	}
	if err := get(); err != nil {
		t.Errorf("a renewed proxy carries no request: %v", err)
	}
	if get() == nil {
		t.Error("a renewed proxy carries more than its limit")
	}
}

// addressIn returns the address in the URL of a test server.
func addressIn(t *testing.T, at string) target {
	t.Helper()
	address, err := netip.ParseAddrPort(strings.TrimPrefix(at, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return target{address.Addr().String(), address.Port()}
}
