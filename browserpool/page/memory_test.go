package page

import (
	"context"
	"testing"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

// A warm page that prints large documents one after another does not keep growing: the memory of the last document is
// freed before the next needs as much.
func TestAWarmPageDoesNotGrow(t *testing.T) {
	testkit.Long(t)
	const most = 190 << 20 // the first document takes 120 MiB
	browser := ownBrowser(t, chromium.Options{})
	s := openSlotIn(t, browser, newGate(egress.Policy{}))
	for range 4 {
		if _, err := s.Print(context.Background(), Print{HTML: pagetest.LongTables}); err != nil {
			t.Fatal(err)
		}
		if got := pagetest.LargestProcess(browser.PID()); got > most {
			t.Errorf("a process has %d MiB", got>>20)
		}
	}
}

// A set that is shrunk frees the memory of its documents, on the pages for prints and for captures, and works as before.
func TestAShrunkSetIsSmall(t *testing.T) {
	const small = 40 << 20 // of 120 MiB
	browser := ownBrowser(t, chromium.Options{})
	s := openSlotIn(t, browser, newGate(egress.Policy{}))
	work := func() {
		t.Helper()
		if _, err := s.Print(context.Background(), Print{HTML: pagetest.LongTables}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Capture(context.Background(), Capture{HTML: pagetest.LongTables}); err != nil {
			t.Fatal(err)
		}
	}
	work()
	if got := pagetest.LargestProcess(browser.PID()); got <= small {
		t.Fatalf("the documents take %d MiB, which shows nothing", got>>20)
	}
	s.set.Shrink(context.Background())
	testkit.Eventually(t, "the renderers are small", func() bool { return pagetest.LargestProcess(browser.PID()) <= small })
	work()
	s.set.Dispose()
	s.set.Shrink(context.Background()) // may come late
}
