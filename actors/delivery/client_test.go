package delivery

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"platen.dev/browserpool/egress"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// storage is a server of the caller's, and a client that trusts its certificate.
func storage(t *testing.T, f http.HandlerFunc) (*Client, string) {
	t.Helper()
	s := httptest.NewTLSServer(f)
	t.Cleanup(s.Close)
	c := NewClient(loopback, "Platen/test")
	c.transport.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig
	return c, s.URL
}

var loopback = egress.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// The storage gets the file by one PUT, to exactly the URL.
func TestPut(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "small": "%PDF-small", "large": strings.Repeat("x", 3<<20)} {
		for _, target := range []string{"/", "/b/k?X-Amz-Signature=a%2Fb&x=~", "/a%2fb/ü/%7e?q=%2f&r=a|b", "//two?", "/a;b/(c)'!*?a=b?c=d", "/%C3%BC+x%20y?x-id=Put%20Object"} {
			var got *http.Request
			var raw, body string
			c, url := storage(t, func(_ http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				got, raw, body = r, r.RequestURI, string(b)
			})
			o, err := c.put(testkit.Context(t), url+target, events.Trace{}, strings.NewReader(content), int64(len(content)))
			if err != nil || o.Status != 200 || o.Error != "" {
				t.Fatalf("%s %s: %+v %v", name, target, o, err)
			}
			if got.Method != "PUT" || raw != target || body != content || got.ContentLength != int64(len(content)) || "https://"+got.Host != url {
				t.Errorf("%s: %s %q with %d of %d bytes, want %q", name, got.Method, raw, got.ContentLength, len(body), target)
			}
			for header := range got.Header {
				if !slices.Contains([]string{"User-Agent", "Expect", "Content-Length", "Connection"}, header) {
					t.Errorf("%s: header %s: %s", name, header, got.Header.Get(header))
				}
			}
		}
	}
}

// The upload of a traced job tells the storage so, in one header and nowhere else.
func TestPutOfATracedJob(t *testing.T) {
	var got *http.Request
	c, url := storage(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got = r
	})
	trace := events.Trace{ID: events.TraceID{1}, Span: events.SpanID{2}, Sampled: true}
	if o, err := c.put(testkit.Context(t), url+"/k?X-Amz-Signature=a", trace, strings.NewReader("x"), 1); err != nil || o.Status != 200 {
		t.Fatalf("%+v %v", o, err)
	}
	if h := got.Header.Values("Traceparent"); len(h) != 1 || h[0] != trace.Traceparent() || got.RequestURI != "/k?X-Amz-Signature=a" {
		t.Errorf("%s %v", got.RequestURI, got.Header)
	}
}

// The host omits the default https port, which no signer includes.
func TestHostOfRequest(t *testing.T) {
	for url, host := range map[string]string{
		"https://storage.example/x": "storage.example", "https://storage.example:443/x": "storage.example", "https://[2001:db8::1]:443?a": "[2001:db8::1]",
	} {
		r, err := request(t.Context(), url, 0)
		if err != nil || r.Host != host {
			t.Errorf("%s: %v, want %s", url, r, host)
		}
	}
	for _, url := range []string{"", "http://storage.example/", "https://", "https://a b/", "https://u:p@storage.example/"} {
		if _, err := request(t.Context(), url, 0); !errors.Is(err, errURL) {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// The status decides, and redirects are not followed. A storage that refuses a large file need not
// read it.
func TestStatuses(t *testing.T) {
	var followed, read atomic.Int64
	for _, status := range []int{201, 204, 307, 400, 403, 408, 429, 500, 503} {
		c, url := storage(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/followed" {
				followed.Add(1)
			}
			if status < 300 {
				n, _ := io.Copy(io.Discard, r.Body)
				read.Add(n)
			}
			w.Header().Set("Location", "/followed")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<Error>https://storage.example/?X-Amz-Signature=Kr0kodil</Error>")
		})
		const size = 32 << 20
		o, err := c.put(testkit.Context(t), url, events.Trace{}, io.LimitReader(zeros{}, size), size)
		if err != nil || o.Status != status || o.Error != "" || strings.Contains(fmt.Sprint(o), "Kr0kodil") {
			t.Errorf("%d: %+v %v", status, o, err)
		}
	}
	if followed.Load() > 0 || read.Load() != 2*(32<<20) {
		t.Errorf("%d redirects were followed, %d bytes were read", followed.Load(), read.Load())
	}
}

// A storage that answers with success before it can have the file does not have it.
func TestSuccessTooEarly(t *testing.T) {
	const size = 32 << 20
	for _, reads := range []int64{0, 100_000, size} {
		c, url := storage(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.CopyN(io.Discard, r.Body, reads)
			w.Header().Set("Connection", "close")
			w.WriteHeader(200)
		})
		o, err := c.put(testkit.Context(t), url, events.Trace{}, io.LimitReader(zeros{}, size), size)
		whole := reads == size
		if err != nil || (o.Status == 200) != whole || (o.Error == "") != whole {
			t.Errorf("%d of %d bytes were read: %+v %v", reads, size, o, err)
		}
		if !whole && o.Error != "HTTP status 200 came before the whole file was sent" && !strings.HasPrefix(o.Error, "the connection failed") {
			t.Errorf("%d of %d bytes were read: %s", reads, size, o.Error)
		}
	}
}

// A storage that knows no Expect gets the file without it.
func TestExpectationFailed(t *testing.T) {
	var asked, got atomic.Int64
	c, url := storage(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1); r.Header.Get("Expect") != "" {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		n, _ := io.Copy(io.Discard, r.Body)
		got.Add(n)
	})
	const size = 3 << 20
	o, err := c.put(testkit.Context(t), url, events.Trace{}, io.LimitReader(zeros{}, size), size)
	if err != nil || o.Status != 200 || asked.Load() != 2 || got.Load() != size {
		t.Errorf("%+v %v, asked %d times, got %d bytes", o, err, asked.Load(), got.Load())
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// An attempt without a response says why, but never the URL.
func TestNoAnswer(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	untrusted.TLS.MinVersion = tls.VersionTLS12
	t.Cleanup(untrusted.Close)
	c := NewClient(loopback, "Platen/test")
	for name, tc := range map[string]struct{ url, want string }{
		"refused":           {"https://" + closed.Addr().String(), "the connection failed: "},
		"a bad certificate": {untrusted.URL, "the certificate is not valid: "},
		"no such name":      {"https://platen.invalid", "the host cannot be resolved to an address and port that are allowed"},
		"a damaged URL":     {"https://a b", "the URL is damaged"},
	} {
		o, err := c.put(testkit.Context(t), tc.url+"/?token=Kr0kodil", events.Trace{}, strings.NewReader("x"), 1)
		if err != nil || o.Status != 0 || !strings.HasPrefix(o.Error, tc.want) || strings.Contains(o.Error, "Kr0kodil") || o.refused {
			t.Errorf("%s: %+v %v", name, o, err)
		}
	}
	o, err := NewClient(egress.Policy{}, "").put(testkit.Context(t), untrusted.URL, events.Trace{}, strings.NewReader("x"), 1)
	if err != nil || !o.refused || o.Error != "the host cannot be resolved to an address and port that are allowed" {
		t.Errorf("a private address: %+v %v", o, err)
	}
}

// Failing to read a file is not the storage's fault.
func TestContentThatFails(t *testing.T) {
	c, url := storage(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	broken := errors.New("the disk is broken")
	content := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	if o, err := c.put(testkit.Context(t), url, events.Trace{}, content, 8); !errors.Is(err, broken) {
		t.Errorf("got %+v %v", o, err)
	}
}
