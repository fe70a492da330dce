package convert

import (
	"io"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// A node in this process holds back no request, and keeps no result that has been fetched.
func TestLocalNode(t *testing.T) {
	ctx := testkit.Context(t)
	t.Setenv("TMPDIR", t.TempDir())
	by, closeIt, err := startNode(ctx, settings{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := closeIt(); err != nil {
			t.Error(err)
		}
	}()
	drop, left := by.own.fetched, true
	by.own.fetched = func(id string) {
		drop(id)
		_, err := by.once(ctx, "GET", "/jobs/"+id+"/download", nil, "")
		left = err == nil
	}
	file, _, err := by.convert(ctx, "/html-to-pdf", []byte(`{"html":"<p>x</p>"}`))
	if err != nil || !strings.HasPrefix(string(file), "%PDF-") || left {
		t.Fatalf("%.8q, %v; the result is left: %t", file, err, left)
	}
	for n := range 2100 { // more than a plan allows in a minute
		if _, err := by.once(ctx, "GET", "/usage", nil, ""); err != nil {
			t.Fatalf("request %d: %v", n, err)
		}
	}
}
