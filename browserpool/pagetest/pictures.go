package pagetest

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Pixel is a red PNG of one pixel.
var Pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")

// Pictures serves Pixel at every path: at /held only after Release, elsewhere immediately.
type Pictures struct {
	URL  string
	Held chan struct{} // receives a token per request for /held

	mu       sync.Mutex // guards what follows
	cookies  []string   // the Cookie header of each request
	released chan struct{}
}

// NewPictures starts a server that is released and closed when the test ends.
func NewPictures(t *testing.T) *Pictures {
	t.Helper()
	p := &Pictures{Held: make(chan struct{}, 100), released: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(func() { p.Release(); server.Close() })
	p.URL = server.URL
	return p
}

func (p *Pictures) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.cookies = append(p.cookies, r.Header.Get("Cookie"))
	p.mu.Unlock()
	if r.URL.Path == "/held" {
		p.Held <- struct{}{}
		select {
		case <-p.released:
		case <-r.Context().Done():
			return
		}
	}
	http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes", Path: "/", MaxAge: 3600})
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(Pixel)
}

// Release lets every held request finish, now and later.
func (p *Pictures) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.released:
	default:
		close(p.released)
	}
}

// Cookies are the Cookie headers of all requests so far.
func (p *Pictures) Cookies() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.cookies...)
}

// Document is HTML that does not finish loading before Release.
func (p *Pictures) Document(text string) string {
	return `<p>` + text + `</p><img src="` + p.URL + `/held">`
}
