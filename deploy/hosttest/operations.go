package hosttest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"testing"

	"platen.dev/events/testkit"
)

// Operation is one of Platen's, with a document for it.
type Operation struct {
	Path   string
	Body   map[string]any
	Begins string // what the file begins with
}

const (
	pdf = "%PDF-"
	png = "\x89PNG"
)

// Operations are all there are, for a test in a folder beside this one. The page they load is served to the end of the test.
func Operations(t *testing.T) []Operation {
	t.Helper()
	invoice, err := os.ReadFile("../../testdata/demo/invoice.xml")
	if err != nil {
		t.Fatal(err)
	}
	page := Serve(t, "0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>served</title><p>by the test")
	}))
	return []Operation{
		{"/html-to-pdf", map[string]any{"html": "<h1>On a host</h1>"}, pdf},
		{"/url-to-pdf", map[string]any{"url": page}, pdf},
		{"/url-to-image", map[string]any{"url": page}, png},
		{"/html-to-image", map[string]any{"html": "<h1>On a host</h1>"}, png},
		{"/markdown-to-pdf", map[string]any{"markdown": "# On a host"}, pdf},
		{"/einvoice-to-pdf", map[string]any{"xml": string(invoice)}, pdf},
	}
}

// Serve serves HTTP to the hosts, on a port of the test's address or on a free one ("0"), to the end of the test.
func Serve(t *testing.T, port string, handler http.Handler) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(Address, port))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + l.Addr().String() + "/"
}

// Request sends a request to the API with a key, and returns the response and its whole body.
func Request(t *testing.T, method, url, key string, body []byte) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(testkit.Context(t), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, answer
}
