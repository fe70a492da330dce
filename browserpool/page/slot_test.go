package page

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

// TestMain closes the browser that the tests share before it looks for leaked goroutines.
func TestMain(m *testing.M) { goleak.VerifyTestMain(closingBrowser{m}) }

type closingBrowser struct{ *testing.M }

func (c closingBrowser) Run() int {
	code := c.M.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.browser != nil {
		shared.browser.Close(context.Background())
	}
	return code
}

// shared is the browser of all tests that do not need one of their own. Pages are
// isolated from one another by their browser contexts, and so are tests.
var shared struct {
	sync.Mutex
	browser *chromium.Browser
}

func sharedBrowser(t testing.TB) *chromium.Browser {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.browser == nil {
		shared.browser = start(t, chromium.Options{})
	}
	return shared.browser
}

// ownBrowser starts a browser that is closed when the test ends.
func ownBrowser(t testing.TB, o chromium.Options) *chromium.Browser {
	t.Helper()
	browser := start(t, o)
	t.Cleanup(func() { browser.Close(context.Background()) })
	return browser
}

func start(t testing.TB, o chromium.Options) *chromium.Browser {
	t.Helper()
	o.MaxData = 3 << 30 // as in production
	browser, err := chromium.Start(t.Context(), o)
	if err != nil {
		t.Fatalf("these tests need the real browser: %v", err)
	}
	return browser
}

// slot prints and captures one job after another on a set of pages, as a pool does: it
// resets them between two jobs, and replaces those that may not be reused.
type slot struct {
	t        testing.TB
	browser  *chromium.Browser
	gate     *egress.Gate
	set      *Set
	replaced int // how many times the set was replaced
}

// openSlot opens a slot in the shared browser, whose pages reach the test's own servers.
func openSlot(t testing.TB) *slot {
	t.Helper()
	return openSlotIn(t, sharedBrowser(t), newGate(egress.Policy{Allow: pagetest.Loopback}))
}

// openSlotIn opens a slot that is disposed of when the test ends.
func openSlotIn(t testing.TB, browser *chromium.Browser, gate *egress.Gate) *slot {
	t.Helper()
	s := &slot{t: t, browser: browser, gate: gate}
	if s.open(); s.set == nil {
		t.FailNow()
	}
	t.Cleanup(func() { s.set.Dispose() })
	return s
}

func newGate(policy egress.Policy) *egress.Gate {
	logger := testkit.Silent()
	if os.Getenv("PLATEN_TEST_LOG") != "" {
		logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return egress.NewGate(policy, egress.Limits{}, logger)
}

func (s *slot) open() {
	s.t.Helper()
	set, err := Open(s.t.Context(), s.browser, s.gate)
	if err != nil {
		s.t.Error(err) // the next job fails too
		return
	}
	s.set = set
}

func (s *slot) Print(ctx context.Context, job Print) (Result, error) {
	s.t.Helper()
	defer s.reset()
	return s.set.Print(ctx, job)
}

func (s *slot) Capture(ctx context.Context, job Capture) (Image, error) {
	s.t.Helper()
	defer s.reset()
	return s.set.Capture(ctx, job)
}

func (s *slot) reset() {
	s.t.Helper()
	if s.set.Reset(s.t.Context()) == nil {
		return
	}
	s.set.Dispose()
	s.replaced++
	s.open()
}
