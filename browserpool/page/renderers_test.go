package page

import (
	"errors"
	"testing"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
)

// The processes of a page are found even if others start at the same time, or if the browser uses a spare one.
func TestRenderersOfAPage(t *testing.T) {
	browser, gate := ownBrowser(t, chromium.Options{}), newGate(egress.Policy{})
	open := func() error {
		_, err := openPage(t.Context(), browser, gate, forPrinting)
		return err
	}
	seen := map[int]bool{}
	for _, step := range []struct {
		name         string
		before, open func() error
	}{
		{"one", nil, open},
		{"two at once", nil, func() error { return errors.Join(open(), open()) }},
		{"one was ready", open, func() error { return nil }},
	} {
		if step.before != nil {
			if err := step.before(); err != nil {
				t.Fatal(err)
			}
		}
		pids, err := browser.NewRenderers(step.open)
		if err != nil || len(pids) == 0 {
			t.Errorf("%s: renderers %v, %v", step.name, pids, err)
		}
		for _, pid := range pids {
			if seen[pid] {
				t.Errorf("%s: the renderer %d has another page", step.name, pid)
			}
			seen[pid] = true
		}
	}
}
