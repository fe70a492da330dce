package page

import (
	"context"
	"sync"
	"testing"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
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
	testkit.Long(t)
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

// Jobs work after their pages have shrunk, and while they do. Memory.forciblyPurgeJavaScriptMemory is not for that: it takes the
// document's context away, and the next document with a structure crashed its page.
func TestAShrunkSetWorks(t *testing.T) {
	testkit.Long(t)
	s := openSlot(t)
	jobs := map[string]func() error{
		"print": func() error {
			_, err := s.Print(context.Background(), Print{HTML: pagetest.LongTables})
			return err
		},
		"print with a structure": func() error {
			_, err := s.Print(context.Background(), Print{HTML: "<h1>x</h1>", Options: contract.Paper{Tagged: true}})
			return err
		},
		"capture": func() error {
			_, err := s.Capture(context.Background(), Capture{HTML: "<h1>x</h1>"})
			return err
		},
	}
	for _, meanwhile := range []bool{false, false, true} {
		for name, job := range jobs {
			var shrinking sync.WaitGroup
			if meanwhile {
				shrinking.Go(func() { s.set.Shrink(context.Background()) })
			}
			err := job()
			shrinking.Wait()
			if err != nil {
				t.Fatalf("%s, shrinking meanwhile: %t: %v", name, meanwhile, err)
			}
			s.set.Shrink(context.Background())
		}
	}
}
