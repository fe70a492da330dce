package edge

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events/apikey"
	"platen.dev/events/contract"
)

// Every URL parser finds the same host in an accepted address.
func FuzzPageHost(f *testing.F) {
	for _, s := range []string{
		"https://example.com/", "http://user:pass@example.com", "http://127.1", "http://0x7f.1/", "http://2130706433", "http://[::1]:80/", "http://[fe80::1%25eth0]/",
		"http://exämple.test", "http://example.com.", "http://a\tb", `http://a\@b`, "http:/a", "http:///a", "http://a:99999", "HTTP://EXAMPLE.COM", "http://%65xample.com", "//a", "ftp://a", "http://１２７.0.0.1", "http://a。b", "http://xn--a", "http://a/100%", "http://a?100%",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		host, wrong := pageHost(address)
		if (host == "") == (wrong == "") {
			t.Fatalf("%q: host %q, wrong %q", address, host, wrong)
		}
		if wrong != "" {
			if len(wrong) > 1_000 {
				t.Errorf("%q is refused in %d bytes", address, len(wrong))
			}
			return
		}
		scheme, rest, _ := strings.Cut(address, "://")
		authority := rest[:strings.IndexAny(rest+"/", "/?#")] // what follows may have a stray percent sign, as in browsers
		u, err := url.Parse(scheme + "://" + authority)
		if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("%q is accepted: %v", address, err)
		}
		if _, err := netip.ParseAddr(host); err == nil {
			return
		}
		if strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`/\@:?#[]%<>^|"`, r) }) {
			t.Errorf("%q has the host %q", address, host)
		}
		if again, wrong := pageHost("http://" + host + "/"); again != host || wrong != "" {
			t.Errorf("the host %q of %q becomes %q (%s) alone", host, address, again, wrong)
		}
	})
}

// Header values are understood or refused, and never passed on unchecked.
func FuzzHeaderValues(f *testing.F) {
	secret, _ := apikey.New(apikey.Live, 1)
	for _, s := range []string{"", "a", "a b", "order-4711", strings.Repeat("a", 255), strings.Repeat("a", 256), "\r\nX: y", "é", secret, secret + "x", `"etag"`, `W/"etag"`, "*", `"a", "etag"`, "Thu, 01 Jan 1970 00:00:00 GMT"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if len(schema.Check(request.IdempotencyKey, value, "header")) == 0 && (value == "" || len(value) > contract.MaxIdempotencyKey || strings.Trim(value, idCharacters) != "") {
			t.Errorf("Idempotency-Key %q is accepted", value)
		}
		if _, ok := apikey.Hash(value); ok && (len(value) != len(secret) || strings.Trim(value, idCharacters) != "") {
			t.Errorf("X-API-Key %q is accepted", value)
		}
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.Set(requestIDHeader, value)
		setRequestID(&ctx)
		if id := string(ctx.Response.Header.Peek(requestIDHeader)); !wellFormedID(id) || wellFormedID(value) && id != value {
			t.Errorf("X-Request-Id %q becomes %q", value, id)
		}
		checkPreconditions(t, value)
	})
}

// checkPreconditions tries a value in each conditional header (RFC 9110, section 13).
func checkPreconditions(t *testing.T, value string) {
	t.Helper()
	for name, answer := range map[string]int{"If-Match": 412, "If-Unmodified-Since": 412, "If-None-Match": 304, "If-Modified-Since": 304} {
		var h fasthttp.RequestHeader
		h.Set(name, value)
		if got := precondition(&h, `"etag"`, time.Unix(1_700_000_000, 0)); got != 0 && got != answer {
			t.Errorf("%s %q got %d", name, value, got)
		}
		h.Set("If-None-Match", `"etag"`) // the client has the file, whatever the other headers say
		if got := precondition(&h, `"etag"`, time.Unix(1_700_000_000, 0)); got != 304 && got != answer {
			t.Errorf("%s %q with the right If-None-Match got %d", name, value, got)
		}
	}
}
