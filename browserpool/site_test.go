package browserpool

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
)

// loopback lets the documents of a test reach the test's own server.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// pixel is a red picture of one pixel.
var pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")

// site serves pictures: /pixel at once, /held not before release.
type site struct {
	url  string
	held chan struct{} // gets one token per request for /held

	mu       sync.Mutex
	cookies  []string // the Cookie header of each request
	released chan struct{}
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{held: make(chan struct{}, 100), released: make(chan struct{})}
	server := httptest.NewServer(s)
	t.Cleanup(func() { s.release(); server.Close() })
	s.url = server.URL
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.cookies = append(s.cookies, r.Header.Get("Cookie"))
	s.mu.Unlock()
	if r.URL.Path == "/held" {
		s.held <- struct{}{}
		select {
		case <-s.released:
		case <-r.Context().Done():
			return
		}
	}
	http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes", Path: "/", MaxAge: 3600})
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(pixel)
}

// release lets every held request finish, now and later.
func (s *site) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.released:
	default:
		close(s.released)
	}
}

func (s *site) cookiesSeen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.cookies...)
}

// holding is a document that does not finish loading before the site's release.
func (s *site) holding(text string) string {
	return `<p>` + text + `</p><img src="` + s.url + `/held">`
}
