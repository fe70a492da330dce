package browserpool

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

// web is a server of pages that remembers what it was asked. A page is at its
// path; what is not a page is 404.
type web struct {
	*httptest.Server

	mu    sync.Mutex
	asked map[string][]http.Header // by path
}

// pages are what a web serves: an HTML text, or a handler.
type pages map[string]any

func newWeb(t testing.TB, content pages) *web {
	t.Helper()
	w := &web{asked: map[string][]http.Header{}}
	w.Server = httptest.NewServer(w.serve(content))
	t.Cleanup(w.Close)
	return w
}

func (w *web) serve(content pages) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked[r.URL.Path] = append(w.asked[r.URL.Path], r.Header.Clone())
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

// newSecure is a server whose certificate nobody trusts, and says nothing about it.
func newSecure(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// headers are those of the requests for a path.
func (w *web) headers(path string) []http.Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[path]
}

// local is the web under the name localhost, which is another origin and another site.
func (w *web) local() string { return strings.Replace(w.URL, "127.0.0.1", "localhost", 1) }

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprint(w, "<p>status page")
	}
}

// stuck answers when the other side gives up.
func stuck(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
