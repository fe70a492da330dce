package browserpool

import (
	"errors"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// heavy takes seconds to lay out and print.
var heavy = strings.Repeat("<p>"+strings.Repeat("word ", 50)+"</p>", 40_000)

// A crashed page fails its own job, at once and as retryable, and no other.
func TestCrash(t *testing.T) {
	pool := openPool(t, Config{Slots: 3, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	crashed := begin(t, t.Context(), pool, page.Print{HTML: "<title>crashing</title>" + pictures.Document("crashing")})
	spared := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("neighbour")})
	testkit.Receive(t, pictures.Held, "the first request")
	testkit.Receive(t, pictures.Held, "the second request")

	crash(t, pool, "crashing")
	got := testkit.Receive(t, crashed, "the crashed job")
	if !errors.Is(got.err, page.ErrCrashed) || !page.Retryable(got.err) {
		t.Errorf("got %v, want ErrCrashed", got.err)
	}
	pictures.Release()
	neighbour := testkit.Receive(t, spared, "the neighbour")
	if neighbour.err != nil || !strings.Contains(testkit.PDFText(t, neighbour.PDF), "neighbour") {
		t.Errorf("the neighbour ended with %v", neighbour.err)
	}
	mustPrint(t, pool, page.Print{HTML: "after"})
	stats := eventually(t, pool, "a crash counted", func(s Stats) bool { return s.Crashes == 1 && s.Leased == 0 })
	if stats.Restarts != 0 {
		t.Errorf("the browser was restarted: %+v", stats)
	}
}

// crash crashes the page whose document has a title.
func crash(t *testing.T, pool *Pool, title string) {
	t.Helper()
	lease, err := pool.Acquire(t.Context(), anyone(), events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Return()
	browser := lease.in.browser
	all, err := proto.TargetGetTargets{}.Call(browser.With(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all.TargetInfos, func(target *proto.TargetTargetInfo) bool { return target.Title == title })
	if i < 0 {
		t.Fatalf("no page has the title %q", title)
	}
	session, err := browser.Attach(t.Context(), all.TargetInfos[i].TargetID, func(cdp.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := (proto.PageCrash{}).Call(session.With(t.Context())); !errors.Is(err, chromium.ErrCrashed) {
		t.Errorf("the call that crashes returns %v", err)
	}
}

// A document that takes too long to print costs its own page, not the pool.
func TestPrintBudget(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 1})
	start := time.Now()
	_, err := printWith(t.Context(), pool, page.Print{HTML: heavy, PrintTimeout: 50 * time.Millisecond})
	if !errors.Is(err, page.ErrTimeout) || page.Retryable(err) {
		t.Fatalf("got %v, want ErrTimeout", err)
	}
	t.Logf("timed out after %v", time.Since(start))
	if text := testkit.PDFText(t, mustPrint(t, pool, page.Print{HTML: "next"}).PDF); !strings.Contains(text, "next") {
		t.Errorf("the next job prints %q", text)
	}
	eventually(t, pool, "the page discarded", func(s Stats) bool { return s.Discarded == 1 })
}

// Killing a browser fails its running jobs; waiting ones continue in the next browser.
func TestBrowserKilled(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	lost := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("lost")})
	testkit.Receive(t, pictures.Held, "the request")
	waiting := make(chan outcome, 1)
	go func() {
		result, err := printWith(t.Context(), pool, page.Print{HTML: "patient"})
		waiting <- outcome{result, err}
	}()
	before := eventually(t, pool, "a job waiting", func(s Stats) bool { return s.Waiting == 1 })

	if err := syscall.Kill(before.BrowserPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := testkit.Receive(t, lost, "the lost job"); !errors.Is(got.err, page.ErrBrowserGone) || !page.Retryable(got.err) {
		t.Errorf("got %v, want ErrBrowserGone", got.err)
	}
	if got := testkit.Receive(t, waiting, "the waiting job"); got.err != nil || !strings.Contains(testkit.PDFText(t, got.PDF), "patient") {
		t.Errorf("the waiting job ended with %v", got.err)
	}
	after := eventually(t, pool, "a new browser", func(s Stats) bool { return s.Restarts == 1 && s.BrowserPID != 0 })
	if after.BrowserPID == before.BrowserPID {
		t.Error("the browser is still the old one")
	}
	noZombies(t)
}

// A browser that keeps dying is started again every time.
func TestBrowserKilledRepeatedly(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 1})
	for round := range int64(3) {
		stats := eventually(t, pool, "a browser", func(s Stats) bool { return s.BrowserPID != 0 && s.Restarts == round })
		if err := syscall.Kill(stats.BrowserPID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, pool, "a restart", func(s Stats) bool { return s.Restarts == round+1 })
	}
	mustPrint(t, pool, page.Print{HTML: "x"})
}

// A browser that no longer answers is killed and replaced.
func TestBrowserHangs(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 1, CheckEvery: 10 * time.Millisecond, HealthTimeout: time.Second})
	if err := syscall.Kill(pool.Stats().BrowserPID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, pool, "a restart", func(s Stats) bool { return s.Restarts == 1 && s.BrowserPID != 0 })
	mustPrint(t, pool, page.Print{HTML: "x"})
}

// A browser that stops reading while a document is written to it is replaced, too: the check's question waits behind the document.
func TestBrowserHangsWhileReading(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 1, CheckEvery: time.Hour, HealthTimeout: time.Second})
	in, err := pool.launch()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(in.browser.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := in.browser.Call(t.Context(), "", "Browser.getVersion", map[string]string{"x": strings.Repeat("x", 4<<20)})
		ended <- err
	}()
	testkit.Eventually(t, "the document is being written", func() bool {
		var stacks strings.Builder
		return pprof.Lookup("goroutine").WriteTo(&stacks, 1) == nil && slices.ContainsFunc(strings.Split(stacks.String(), "\n\n"), func(stack string) bool {
			return strings.Contains(stack, "chromium.(*Pipe).Send") && strings.Contains(stack, "WhileReading")
		})
	})
	pool.check(in, false)
	if testkit.Receive(t, ended, "the call ends") == nil {
		t.Error("the browser answered")
	}
}
