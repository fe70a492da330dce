package browserpool

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
)

type outcome struct {
	page.Result
	err error
}

// begin acquires a page and prints on it in the background.
func begin(t *testing.T, ctx context.Context, pool *Pool, job page.Print) <-chan outcome {
	t.Helper()
	lease, err := pool.Acquire(ctx, events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan outcome, 1)
	go func() {
		defer lease.Return()
		result, err := lease.Print(ctx, job)
		done <- outcome{result, err}
	}()
	return done
}

// eventually asks for the pool's figures until they are as wanted.
func eventually(t *testing.T, pool *Pool, what string, wanted func(Stats) bool) Stats {
	t.Helper()
	deadline := time.After(pagetest.Patience)
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for {
		stats := pool.Stats()
		if wanted(stats) {
			return stats
		}
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatalf("the pool never had %s: %+v", what, stats)
		}
	}
}

// heavy takes seconds to lay out and print.
var heavy = strings.Repeat("<p>"+strings.Repeat("word ", 50)+"</p>", 40_000)

// A crashed page fails its own job, at once and as retryable, and no other.
func TestCrash(t *testing.T) {
	pool := openPool(t, Config{Slots: 3, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	crashed := begin(t, t.Context(), pool, page.Print{HTML: "<title>crashing</title>" + pictures.Document("crashing")})
	spared := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("neighbour")})
	pagetest.Await(t, pictures.Held, "the first request")
	pagetest.Await(t, pictures.Held, "the second request")

	crash(t, pool, "crashing")
	got := pagetest.Await(t, crashed, "the crashed job")
	if !errors.Is(got.err, page.ErrCrashed) || !page.Retryable(got.err) {
		t.Errorf("got %v, want ErrCrashed", got.err)
	}
	pictures.Release()
	neighbour := pagetest.Await(t, spared, "the neighbour")
	if neighbour.err != nil || !strings.Contains(pagetest.Text(t, neighbour.PDF), "neighbour") {
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
	lease, err := pool.Acquire(t.Context(), events.Quick)
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

// A document that takes too long to print costs its page, not the pool.
func TestPrintBudget(t *testing.T) {
	pool := openPool(t, Config{Slots: 1})
	start := time.Now()
	_, err := printWith(t.Context(), pool, page.Print{HTML: heavy, PrintTimeout: 50 * time.Millisecond})
	if !errors.Is(err, page.ErrTimeout) || page.Retryable(err) {
		t.Fatalf("got %v, want ErrTimeout", err)
	}
	t.Logf("timed out after %v", time.Since(start))
	if text := pagetest.Text(t, mustPrint(t, pool, page.Print{HTML: "next"}).PDF); !strings.Contains(text, "next") {
		t.Errorf("the next job prints %q", text)
	}
	eventually(t, pool, "the page discarded", func(s Stats) bool { return s.Discarded == 1 })
}

// A browser that is killed fails the jobs in it; those that wait go on in the next.
func TestBrowserKilled(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	lost := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("lost")})
	pagetest.Await(t, pictures.Held, "the request")
	waiting := make(chan outcome, 1)
	go func() {
		result, err := printWith(t.Context(), pool, page.Print{HTML: "patient"})
		waiting <- outcome{result, err}
	}()
	before := eventually(t, pool, "a job waiting", func(s Stats) bool { return s.Waiting == 1 })

	if err := syscall.Kill(before.BrowserPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := pagetest.Await(t, lost, "the lost job"); !errors.Is(got.err, page.ErrBrowserGone) || !page.Retryable(got.err) {
		t.Errorf("got %v, want ErrBrowserGone", got.err)
	}
	if got := pagetest.Await(t, waiting, "the waiting job"); got.err != nil || !strings.Contains(pagetest.Text(t, got.PDF), "patient") {
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
	pool := openPool(t, Config{Slots: 1, CheckEvery: 10 * time.Millisecond, HealthTimeout: time.Second})
	if err := syscall.Kill(pool.Stats().BrowserPID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, pool, "a restart", func(s Stats) bool { return s.Restarts == 1 && s.BrowserPID != 0 })
	mustPrint(t, pool, page.Print{HTML: "x"})
}

// The page of a holder that is gone comes back by itself.
func TestHolderGone(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)

	ctx, cancel := context.WithCancel(t.Context())
	if _, err := pool.Acquire(ctx, events.Quick); err != nil { // and it is never returned
		t.Fatal(err)
	}
	cancel()
	mustPrint(t, pool, page.Print{HTML: "x"})

	ctx, cancel = context.WithCancel(t.Context())
	done := begin(t, ctx, pool, page.Print{HTML: pictures.Document("busy")})
	pagetest.Await(t, pictures.Held, "the request")
	cancel()
	if got := pagetest.Await(t, done, "the cancelled job"); !errors.Is(got.err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", got.err)
	}
	mustPrint(t, pool, page.Print{HTML: "x"})
	eventually(t, pool, "no lease", func(s Stats) bool { return s.Leased == 0 && s.Discarded == 2 })
}

// Who waits is served in order of arrival; who gives up is forgotten.
func TestQueue(t *testing.T) {
	pool := openPool(t, Config{Slots: 1})
	holder, err := pool.Acquire(t.Context(), events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	order := make(chan int, 10)
	var waiting sync.WaitGroup
	quitter, quit := context.WithCancel(t.Context())
	for i := range 5 {
		ctx := t.Context()
		if i == 2 {
			ctx = quitter
		}
		waiting.Go(func() {
			lease, err := pool.Acquire(ctx, events.Quick)
			if i == 2 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the quitter got %v", err)
				}
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			order <- i
			lease.Return()
		})
		eventually(t, pool, "one more waiting", func(s Stats) bool { return s.Waiting == i+1 })
	}
	quit()
	eventually(t, pool, "one fewer waiting", func(s Stats) bool { return s.Waiting == 4 })
	holder.Return()
	holder.Return() // the second does nothing
	waiting.Wait()
	close(order)
	var got []int
	for i := range order {
		got = append(got, i)
	}
	if want := []int{0, 1, 3, 4}; len(got) != 4 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("served in order %v, want %v", got, want)
	}
}

// Closing lets the running job finish and turns the waiting ones away.
func TestClose(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	running := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("running")})
	pagetest.Await(t, pictures.Held, "the request")
	waiting := make(chan outcome, 1)
	go func() {
		_, err := printWith(t.Context(), pool, page.Print{HTML: "waiting"})
		waiting <- outcome{err: err}
	}()
	eventually(t, pool, "a job waiting", func(s Stats) bool { return s.Waiting == 1 })
	closed := make(chan struct{})
	go func() { defer close(closed); closePool(t, pool) }()
	if got := pagetest.Await(t, waiting, "the waiting job"); !errors.Is(got.err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", got.err)
	}
	pictures.Release()
	if got := pagetest.Await(t, running, "the running job"); got.err != nil {
		t.Errorf("the running job ended with %v", got.err)
	}
	pagetest.Await(t, closed, "the close")
	if _, err := printWith(t.Context(), pool, page.Print{HTML: "late"}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if stats := pool.Stats(); stats != (Stats{}) {
		t.Errorf("a closed pool has %+v", stats)
	}
}

// Closing with no time left kills what runs.
func TestCloseHard(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	pictures := pagetest.NewPictures(t)
	running := begin(t, t.Context(), pool, page.Print{HTML: pictures.Document("running")})
	pagetest.Await(t, pictures.Held, "the request")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pool.Close(ctx)
	if got := pagetest.Await(t, running, "the running job"); !errors.Is(got.err, page.ErrBrowserGone) {
		t.Errorf("got %v, want ErrBrowserGone", got.err)
	}
	noZombies(t)
}

// A browser that has served enough is replaced without a job noticing.
func TestRecycle(t *testing.T) {
	pool := openPool(t, Config{Slots: 2, RecycleJobs: 5, CheckEvery: 10 * time.Millisecond})
	first := pool.Stats().BrowserPID
	var jobs sync.WaitGroup
	for range 3 {
		jobs.Go(func() {
			for pool.Stats().Recycles < 2 {
				if _, err := printWith(t.Context(), pool, page.Print{HTML: "x"}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	jobs.Wait()
	stats := pool.Stats()
	if stats.BrowserPID == first || stats.Restarts != 0 {
		t.Errorf("after recycling: %+v", stats)
	}
}

// A browser that has grown is replaced.
func TestRecycleByMemory(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, RecycleBytes: 1 << 20, CheckEvery: 10 * time.Millisecond})
	eventually(t, pool, "a recycled browser", func(s Stats) bool { return s.Recycles >= 1 })
}

func TestBrowserMissing(t *testing.T) {
	if _, err := Open(Config{ChromePath: "/nonexistent/browser"}); err == nil {
		t.Error("a pool opened without a browser")
	}
}
