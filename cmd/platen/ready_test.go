package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// `platen ready` fails unless the node reports that it is ready, over TLS too, and prints its
// report.
func TestReadyCommand(t *testing.T) {
	status := http.StatusOK
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("asked for %s", r.URL)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte("what it says\n"))
	})
	plain, encrypted := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer encrypted.Close()
	for _, url := range []string{plain.URL, plain.URL + "/", encrypted.URL} {
		for _, status = range []int{200, 503} {
			var out strings.Builder
			err := run([]string{"ready", "--url", url}, &out, &strings.Builder{})
			if status == 200 && (err != nil || out.String() != "what it says\n") {
				t.Errorf("%s: %q, %v", url, &out, err)
			}
			if status == 503 && (err == nil || !strings.Contains(err.Error(), "what it says")) {
				t.Errorf("%s: a node that is not ready: %v", url, err)
			}
		}
	}
	plain.Close()
	err := run([]string{"ready", "--url", plain.URL}, &strings.Builder{}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "--url") {
		t.Errorf("a node that does not run, or does so elsewhere: %v", err)
	}
}
