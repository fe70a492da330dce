package convert

import (
	"io"
	"os"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// A node in this process keeps no result that has been fetched, and leaves nothing.
func TestLocalNode(t *testing.T) {
	ctx := testkit.Context(t)
	in := places{memory: t.TempDir(), disk: t.TempDir()}
	by, closeIt, err := startNode(ctx, settings{}, in, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := closeIt(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(in.memory); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}()
	if there, err := os.ReadDir(in.memory); err != nil || len(there) != 1 {
		t.Errorf("%v are in memory, %v", there, err)
	}
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
}
