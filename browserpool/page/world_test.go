package page

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// requestLog records the requests that reached a server, as "address path".
type requestLog struct {
	mu       sync.Mutex
	requests []string
}

func (l *requestLog) note(request string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, request)
}

// take returns the requests since its last call.
func (l *requestLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	requests := l.requests
	l.requests = nil
	return requests
}

const publicSite = "12.0.0.80"

// serveWorld makes the world serve some ports of every address.
func serveWorld(t *testing.T, w *world) *requestLog {
	t.Helper()
	l := &requestLog{}
	for port, secure := range map[int]bool{80: false, 8080: false, 443: true, 8443: true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(l.serve))
		server.Listener.Close()
		server.Listener = w.listen(t, port)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		if secure {
			server.StartTLS()
		} else {
			server.Start()
		}
		t.Cleanup(server.Close)
	}
	return l
}

// serve sends a page to the URL in its query.
func (l *requestLog) serve(w http.ResponseWriter, r *http.Request) {
	at, _, _ := net.SplitHostPort(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
	l.note(strings.TrimPrefix(at, "::ffff:") + " " + r.URL.Path)
	to := r.URL.RawQuery
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Allow-Methods", "*")
	header.Set("Alt-Svc", `h3="10.0.0.5:443"; ma=3600, h2="10.0.0.5:443"; ma=3600`)
	header.Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/to":
		http.Redirect(w, r, to, http.StatusFound)
	case "/refresh":
		header.Set("Refresh", "0; url="+to)
	case "/link":
		header.Set("Link", "<"+to+">; rel=preload; as=image")
	case "/csp":
		header.Set("Content-Security-Policy-Report-Only", "default-src 'none'; report-uri "+to)
		fmt.Fprint(w, `<img src="/x"><script>1</script>`)
	case "/css":
		header.Set("Content-Type", "text/css")
		fmt.Fprintf(w, "@import url(%q);", to)
	case "/svg":
		header.Set("Content-Type", "image/svg+xml")
		fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg"><image width="9" height="9" href=%q/></svg>`, to)
	case "/sw.js":
		header.Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "importScripts(%q)", to)
	case "/hostile":
		at, _ := url.Parse(to)
		fmt.Fprint(w, hostile(at.Scheme, at.Host))
	case "/hosts":
		fmt.Fprint(w, mostHosts(80, 8080))
	case "/rebinding":
		fmt.Fprint(w, rebinding)
	case "/close":
		header.Set("Connection", "close")
	}
}

// rebinding connects to a name again and again.
const rebinding = `<p>HOSTILE<script>(async () => {
	const seen = []
	for (const at of ["80/close", "80/close", "8080/", "8080/", "80/"])
		seen.push(await fetch("http://rebind.test:" + at).then(r => r.status, () => "failed"))
	document.body.insertAdjacentHTML("beforeend", "<p id=done>SEEN " + seen)
})()</script>`

// listenHere listens where a page may look for services of this machine.
func listenHere(t *testing.T) *requestLog {
	t.Helper()
	l := &requestLog{}
	for _, port := range []string{":80", ":443", ":8080", ":8443"} {
		listener, err := net.Listen("tcp", port)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				l.note(conn.LocalAddr().String())
				_ = conn.Close()
			}
		}()
	}
	return l
}

// missing returns the vectors without a request at the public site.
func missing(requests []string) (names []string) {
	for _, name := range vectorNames() {
		if !slices.Contains(requests, publicSite+" /v/"+name) {
			names = append(names, name)
		}
	}
	return names
}
