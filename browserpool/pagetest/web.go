package pagetest

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Web is a server of pages that records its requests. Other paths are 404.
type Web struct {
	*httptest.Server

	mu       sync.Mutex
	requests map[string][]http.Header // guarded by mu: by path
}

// Pages are the pages that a Web serves, by path: HTML as a string, or an http.HandlerFunc.
type Pages map[string]any

// NewWeb starts a server that is closed when the test ends.
func NewWeb(t testing.TB, content Pages) *Web {
	t.Helper()
	w := &Web{requests: map[string][]http.Header{}}
	w.Server = httptest.NewServer(w.handler(content))
	t.Cleanup(w.Close)
	return w
}

// NewSecureWeb is NewWeb with a certificate that no browser trusts.
func NewSecureWeb(t testing.TB, content Pages) *Web {
	t.Helper()
	w := &Web{requests: map[string][]http.Header{}}
	w.Server = httptest.NewUnstartedServer(w.handler(content))
	w.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.StartTLS()
	t.Cleanup(w.Close)
	return w
}

func (w *Web) handler(content Pages) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.requests[r.URL.Path] = append(w.requests[r.URL.Path], r.Header.Clone())
		w.mu.Unlock()
		switch page := content[r.URL.Path].(type) {
		case string:
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(rw, page)
		case http.HandlerFunc:
			page(rw, r)
		default:
			http.NotFound(rw, r)
		}
	})
}

// Headers returns the headers of the requests for a path.
func (w *Web) Headers(path string) []http.Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[path]
}

// LocalhostURL is the server under the name localhost, which is another origin and another site.
func (w *Web) LocalhostURL() string { return strings.Replace(w.URL, "127.0.0.1", "localhost", 1) }

// Redirect leads to another URL.
func Redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// NoAnswer waits until the other side gives up.
var NoAnswer http.HandlerFunc = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
