package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/actors/render"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/store"
)

// printer is a lease that prints nothing, or fails.
type printer struct {
	render.Lease
	fails    error
	returned *bool
}

func (p printer) Print(context.Context, page.Print) (page.Result, error) {
	return page.Result{}, p.fails
}
func (p printer) Return() { *p.returned = true }

// The probe of suspended rendering prints: a page that is lent may still not deliver.
func TestProbePrints(t *testing.T) {
	files, err := store.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []error{nil, fmt.Errorf("print: %w", page.ErrOutput)} {
		returned := false
		lend := func(context.Context, events.AccountID, events.Lane) (render.Lease, error) {
			return printer{fails: want, returned: &returned}, nil
		}
		if err := probe(t.Context(), lend, claimant{files: files}, "n1", testkit.Silent()); !errors.Is(err, want) || !returned {
			t.Errorf("a page that prints with %v: %v, returned %t", want, err, returned)
		}
	}
}

// A store whose files are removed is made again once its claim is there, and not before: its disk may not be mounted.
func TestProbeOfARemovedStore(t *testing.T) {
	for name, remove := range map[string]func(root string) error{
		"what is in it": func(root string) error { return errors.Join(os.RemoveAll(root), os.Mkdir(root, 0o700)) },
		"all of it":     os.RemoveAll,
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "files")
			files, err := store.OpenDir(root)
			if err != nil {
				t.Fatal(err)
			}
			results := claimant{files: files, log: "log", place: root, path: files.Path(claim)}
			none := func() ([]string, error) { return nil, nil }
			if err := results.take(t.Context(), none); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(probeFiles(t.Context(), results, "n1", testkit.Silent()), remove(root)); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := probeFiles(t.Context(), results, "n1", testkit.Silent()); err == nil || !strings.Contains(err.Error(), results.path+" is missing: mount") {
					t.Fatalf("removed: %v", err)
				}
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(results.path), 0o700), os.WriteFile(results.path, []byte("other"), 0o600)); err != nil {
				t.Fatal(err)
			}
			if err := probeFiles(t.Context(), results, "n1", testkit.Silent()); !errors.Is(err, errForeignResults) {
				t.Fatalf("another log's: %v", err)
			}
			if err := os.WriteFile(results.path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := probeFiles(t.Context(), results, "n1", testkit.Silent()); err != nil {
				t.Fatalf("with a claim: %v", err)
			}
			if whose, err := results.read(t.Context()); whose != "log" || err != nil {
				t.Errorf("claimed by %q, %v", whose, err)
			}
		})
	}
}
