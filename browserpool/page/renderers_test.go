package page

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
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

// A set forgets the processes of pages that are gone: others may get their numbers.
func TestRenderersThatEnded(t *testing.T) {
	slot := openSlotIn(t, ownBrowser(t, chromium.Options{}), newGate(egress.Policy{}))
	known := slot.set.Renderers()
	runs := func(pid int) bool { return syscall.Kill(pid, 0) == nil }
	for range 3 {
		if _, err := slot.set.Capture(t.Context(), Capture{HTML: "<p>x", Options: contract.Image{Selector: "#none"}}); !errors.Is(err, ErrSelector) {
			t.Fatal(err)
		}
		if err := slot.set.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		of := slot.set.Renderers()
		testkit.Eventually(t, "the capture's process ends", func() bool {
			return !slices.ContainsFunc(of, func(pid int) bool { return !slices.Contains(known, pid) && runs(pid) })
		})
	}
	if _, err := slot.set.Capture(t.Context(), Capture{HTML: "<p>x"}); err != nil {
		t.Fatal(err)
	}
	for _, pid := range slot.set.Renderers() {
		if !runs(pid) {
			t.Errorf("the process %d has ended", pid)
		}
	}
}
