package page

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// raw sends these bytes as the response and closes the connection.
func raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, answer)
	}
}

// brokenAnswers are truncated responses with a document.
var brokenAnswers = map[string]string{
	"/length": "Content-Length: 9999\r\n\r\n<p>HALF",
	"/chunk":  "Transfer-Encoding: chunked\r\n\r\n7\r\n<p>HALF\r\n",
	"/size":   "Transfer-Encoding: chunked\r\n\r\n7\r\n<p>HALF\r\nno size\r\n",
	"/gzip":   "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n<p>HALF",
}

// A truncated main document fails the job at once, whatever it waits for, even if its own scripts are still loading.
func TestMainDocumentBreaksOff(t *testing.T) {
	pages := pagetest.Pages{"/stuck": pagetest.NoAnswer}
	for path, answer := range brokenAnswers {
		pages[path] = raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + answer)
	}
	web := pagetest.NewWeb(t, pages)
	slot := openSlot(t)
	for path := range brokenAnswers {
		for _, until := range []string{"", contract.UntilIdle, contract.UntilDOM} {
			load := contract.Load{WaitUntil: until, Timeout: contract.MaxLoadTimeout.Milliseconds()} // longer than the test may take
			if _, err := slot.Print(t.Context(), Print{URL: web.URL + path, Load: load}); !errors.Is(err, ErrNavigation) {
				t.Errorf("print %s until %q: %v, want ErrNavigation", path, until, err)
			}
		}
		if _, err := slot.Capture(t.Context(), Capture{URL: web.URL + path}); !errors.Is(err, ErrNavigation) {
			t.Errorf("capture %s: %v, want ErrNavigation", path, err)
		}
	}
}

// Truncated resources of the page are only missing.
func TestPartBreaksOff(t *testing.T) {
	pages := pagetest.Pages{"/": `<p>TEXT<img src="/length"><script src="/chunk"></script><iframe src="/gzip"></iframe>`}
	for path, answer := range brokenAnswers {
		pages[path] = raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + answer)
	}
	web := pagetest.NewWeb(t, pages)
	testkit.Contains(t, printed(t, openSlot(t), Print{URL: web.URL}), "TEXT")
}

// Servers see an ordinary browser with a language, from the page and from its workers.
func TestBrowserIsOrdinary(t *testing.T) {
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": `<script>document.write("SAYS " + navigator.userAgent + " IN " + navigator.languages)</script>
			<script>new Worker("/worker").onmessage = () => document.body.id = "done"</script>`,
		"/worker": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `fetch("/asked").then(() => postMessage(1))`)
		}),
		"/asked": "x", "/picture": http.HandlerFunc(anyOrigin),
	})
	slot := openSlot(t)
	text := printed(t, slot, Print{URL: web.URL, Load: contract.Load{WaitFor: "#done"}})
	testkit.Contains(t, text, "IN en-US,en")
	mustPrint(t, slot, Print{HTML: `<img src="` + web.URL + `/picture">`})
	for _, path := range []string{"/", "/worker", "/asked", "/picture"} {
		for _, header := range web.Headers(path) {
			agent, all := header.Get("User-Agent"), fmt.Sprint(header)
			if !strings.HasPrefix(agent, "Mozilla/5.0 (X11; Linux x86_64) ") || strings.Contains(all+text, "Headless") {
				t.Errorf("%s: asked for with %v", path, header)
			}
			if header.Get("Accept-Language") != "en-US,en" {
				t.Errorf("%s: Accept-Language %q", path, header.Get("Accept-Language"))
			}
		}
	}
}

// Whatever a browser loads without a proxy also loads through it: even addresses and responses that Go's HTTP library
// refuses, plain and encrypted alike.
func TestProxyIsNoStricterThanBrowsers(t *testing.T) {
	address := oddServer(t, "HTTP/1.1 200 OK\r\na line without a colon\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>ODD")
	slot := openSlot(t)
	for _, path := range []string{"/", "/100%", "/%zz?a=%", "/a[b]^c`d{e}", "/%u00e4|x"} {
		testkit.Contains(t, printed(t, slot, Print{URL: "http://" + address + path}), "ODD")
	}
	// Over https the certificate fails, but the address is not blocked.
	if _, err := slot.Print(t.Context(), Print{URL: "https://" + address + "/100%"}); !errors.Is(err, ErrNavigation) || errors.Is(err, ErrBlocked) {
		t.Errorf("over https: %v, want ErrNavigation", err)
	}
}

// oddServer gives every request the same response.
func oddServer(t *testing.T, answer string) (address string) {
	return pagetest.ServeConnections(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 64<<10)) // the whole request: it is one packet
		_, _ = io.WriteString(conn, answer)
	}).String()
}
