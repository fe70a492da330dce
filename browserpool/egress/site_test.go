package egress

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"platen.dev/events/testkit"
)

// A proxy serves a site to all its clients, at one port, and no other proxy does, until Close.
func TestSite(t *testing.T) {
	gate := NewGate(Policy{}, Limits{}, testkit.Silent())
	open := func() *Proxy {
		p, err := gate.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	with, without := open(), open()
	handler := http.NewServeMux()
	handler.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "served ", r.URL.Path) })
	with.Serve("document.invalid", handler)
	get := func(p *Proxy, at string) string {
		u, err := url.Parse(p.URL())
		if err != nil {
			t.Fatal(err)
		}
		transport := &http.Transport{Proxy: http.ProxyURL(u), DisableKeepAlives: true}
		defer transport.CloseIdleConnections()
		answer, err := (&http.Client{Transport: transport}).Get(at)
		if err != nil {
			return "refused"
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for at, want := range map[string]string{
		"http://document.invalid/a":      "served /a",
		"http://document.invalid:81/a":   "refused",
		"http://x.document.invalid/a":    "refused",
		"https://document.invalid/a":     "refused",
		"http://document.invalid.com./a": "refused",
	} {
		if got := get(with, at); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	if got := get(without, "http://document.invalid/a"); got != "refused" {
		t.Errorf("another proxy: %q", got)
	}
	if with.Carried() == 0 {
		t.Error("what the site sends is not counted")
	}
	with.Suspend()
	with.Renew()
	if got := get(with, "http://document.invalid/a"); got != "refused" {
		t.Errorf("renewed: %q", got)
	}
	with.Serve("document.invalid", handler)
	if got := get(with, "http://document.invalid/b"); got != "served /b" {
		t.Errorf("served again: %q", got)
	}
	with.Close()
	if got := get(with, "http://document.invalid/a"); got != "refused" {
		t.Errorf("after its end: %q", got)
	}
}
