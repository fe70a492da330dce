package node

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"platen.dev/actors/render"
	"platen.dev/browserpool/page"
	"platen.dev/events"
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
		if err := probe(t.Context(), lend, files, "n1"); !errors.Is(err, want) || !returned {
			t.Errorf("a page that prints with %v: %v, returned %t", want, err, returned)
		}
	}
}
