package egress

import (
	"bufio"
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

// through is a client of which every request goes through the proxy.
func through(t *testing.T, proxy *Proxy) *http.Client {
	t.Helper()
	address := &url.URL{Scheme: "http", Host: proxy.Address()}
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

// A request reaches its server without the headers that concern the hop, and so does the answer.
func TestForward(t *testing.T) {
	var got http.Header
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		w.Header().Set("X-Answer", "yes")
		w.Header().Set("Keep-Alive", "timeout=5")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.Copy(w, r.Body)
	})
	request, _ := http.NewRequest(http.MethodPost, server.URL+"/x?y", strings.NewReader("body"))
	for _, name := range []string{"Proxy-Authorization", "Proxy-Connection", "Te", "X-Named", "X-Kept"} {
		request.Header.Set(name, "v")
	}
	request.Header.Set("Connection", "X-Named")
	response, err := through(t, listen(t, Policy{Allow: loopback}, Limits{})).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusTeapot || string(body) != "body" || response.Header.Get("X-Answer") != "yes" {
		t.Errorf("answer %d %q %v", response.StatusCode, body, response.Header)
	}
	if response.Header.Get("Keep-Alive") != "" {
		t.Error("the answer keeps a hop header")
	}
	for _, name := range []string{"Proxy-Authorization", "Proxy-Connection", "Te", "X-Named", "X-Forwarded-For", "Via"} {
		if got.Get(name) != "" {
			t.Errorf("the server sees %s", name)
		}
	}
	if got.Get("X-Kept") != "v" {
		t.Error("the server misses X-Kept")
	}
}

// Refused addresses and ports are 403 in both forms, whatever the name, and so are names that do
// not resolve; unreachable addresses are 502.
func TestRefused(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a refused request arrived") })
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	proxy := listen(t, Policy{}, Limits{Refusal: time.Millisecond})
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"} {
		if status := ask(t, proxy, "GET http://"+host+":"+port+"/ HTTP/1.1", host); status != http.StatusForbidden {
			t.Errorf("GET %s: %d", host, status)
		}
		if status := ask(t, proxy, "CONNECT "+host+":"+port+" HTTP/1.1", host+":"+port); status != http.StatusForbidden {
			t.Errorf("CONNECT %s: %d", host, status)
		}
	}
	if got := proxy.Blocked(); got != 8 {
		t.Errorf("%d counted as blocked, want 8", got)
	}
	for _, line := range []string{"GET http://nothing.invalid/ HTTP/1.1", "CONNECT nothing.invalid:443 HTTP/1.1"} {
		if status := ask(t, proxy, line, "nothing.invalid"); status != http.StatusForbidden {
			t.Errorf("an unknown name: %d", status)
		}
	}
	trusting := listen(t, Policy{Allow: loopback}, Limits{Refusal: time.Millisecond})
	for _, port := range []string{"22", "6379", "0", "65536"} {
		if status := ask(t, trusting, "CONNECT 127.0.0.1:"+port+" HTTP/1.1", "127.0.0.1:"+port); status != http.StatusForbidden {
			t.Errorf("CONNECT to port %s: %d", port, status)
		}
	}
	if status := ask(t, trusting, "GET http://127.0.0.1:6379/ HTTP/1.1", "127.0.0.1:6379"); status != http.StatusForbidden {
		t.Errorf("GET from port 6379: %d", status)
	}
	server.Close()
	if status := ask(t, trusting, "CONNECT 127.0.0.1:"+port+" HTTP/1.1", "127.0.0.1:"+port); status != http.StatusBadGateway {
		t.Errorf("a port where nothing listens: %d", status)
	}
	if status := ask(t, proxy, "GET /path HTTP/1.1", "127.0.0.1:"+port); status != http.StatusForbidden {
		t.Errorf("a request that is not for a proxy: %d", status)
	}
}

// Neither the answer nor its time tells whether a name resolves to refused addresses or not at
// all.
func TestRefusalsLookAlike(t *testing.T) {
	proxy := listen(t, Policy{}, Limits{Refusal: time.Hour})
	for _, host := range []string{"localhost", "127.0.0.1", "nothing.invalid"} {
		for _, request := range []string{"GET http://" + host + "/ HTTP/1.1", "CONNECT " + host + ":443 HTTP/1.1"} {
			conn, err := net.Dial("tcp", proxy.Address())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "%s\r\nHost: %s\r\n\r\n", request, host)
			_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			if n, err := conn.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: %d bytes before the time, %v", request, n, err)
			}
		}
	}
	proxy = listen(t, Policy{}, Limits{Refusal: time.Millisecond})
	answer := func(host string) string {
		response, err := through(t, proxy).Get("http://" + host + "/")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		response.Header.Del("Date")
		return fmt.Sprint(response.Status, response.Header, string(body))
	}
	if refused, unknown := answer("localhost"), answer("nothing.invalid"); refused != unknown {
		t.Errorf("a name inside gets %s, and one that does not exist %s", refused, unknown)
	}
}

// ask sends one raw request and returns the status.
func ask(t *testing.T, proxy *Proxy, line, host string) int {
	t.Helper()
	conn, err := net.Dial("tcp", proxy.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s\r\nHost: %s\r\nConnection: close\r\n\r\n", line, host)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
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

// An answer above the limit is cut and does not look whole.
func TestByteLimit(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, 1000)) })
	for limit, whole := range map[int64]bool{999: false, 1000: true} {
		response, err := through(t, listen(t, Policy{Allow: loopback}, Limits{Bytes: limit})).Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(response.Body)
		response.Body.Close()
		if (err == nil) != whole {
			t.Errorf("limit %d: reading ends with %v", limit, err)
		}
	}
}

// What a proxy carries is counted over all its answers and what is sent to get
// them; the first byte too many is not carried, and nothing after it.
func TestTotal(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(make([]byte, 400))
	})
	proxy := listen(t, Policy{Allow: loopback}, Limits{Total: 1000})
	client := through(t, proxy)
	post := func(size int) error {
		response, err := client.Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("x", size)))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.ReadAll(response.Body)
		return err
	}
	for _, size := range []int{100, 100} {
		if err := post(size); err != nil {
			t.Fatal(err)
		}
	}
	if got := proxy.Carried(); got != 1000 || proxy.Spent().Err() != nil {
		t.Errorf("%d bytes carried, spent is %v", got, proxy.Spent().Err())
	}
	if err := post(0); err == nil {
		t.Error("an answer beyond the limit looks whole")
	}
	if proxy.Spent().Err() == nil {
		t.Error("the proxy does not report that its limit is reached")
	}
}

// A tunnel counts too.
func TestTotalOfTunnel(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 100_000)) }))
	t.Cleanup(server.Close)
	for total, whole := range map[int64]bool{50_000: false, 200_000: true} {
		proxy := listen(t, Policy{Allow: loopback}, Limits{Total: total})
		client := through(t, proxy)
		client.Transport.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
		response, err := client.Get(server.URL)
		if err == nil {
			_, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if (err == nil) != whole || (proxy.Spent().Err() == nil) != whole {
			t.Errorf("total %d: the request ends with %v, spent is %v", total, err, proxy.Spent().Err())
		}
	}
}

// A proxy ends with whom it was opened for.
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

// A server that does not answer, or never stops, ends by itself.
func TestTimeLimits(t *testing.T) {
	hang := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			w.(http.Flusher).Flush()
		}
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(hang) })
	client := through(t, listen(t, Policy{Allow: loopback}, Limits{Header: 50 * time.Millisecond, Life: 200 * time.Millisecond}))
	response, err := client.Get(server.URL + "/silent")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusBadGateway {
		t.Errorf("a silent server: %d", response.StatusCode)
	}
	response, err = client.Get(server.URL + "/endless")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); err == nil {
		t.Error("an endless answer looks whole")
	}
}

// Closing ends open tunnels.
func TestClose(t *testing.T) {
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	proxy := listen(t, Policy{Allow: loopback}, Limits{})
	conn, err := net.Dial("tcp", proxy.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", server.Addr())
	reader := bufio.NewReader(conn)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%q, %v", line, err)
	}
	proxy.Close()
	if _, err := io.ReadAll(reader); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the tunnel ends with %v", err)
	}
}
