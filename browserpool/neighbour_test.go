package browserpool

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A page that runs forever fails its own job, within its budget, and no other.
func TestEndlessScript(t *testing.T) {
	pool := openPool(t, Config{Slots: 2, AllowEgress: pagetest.Loopback})
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/parsing": `<p>TEXT<script>for (;;);</script>`,
		"/later":   `<p>TEXT<script>onload = () => setTimeout(() => { for (;;); }, 10)</script>`,
		"/good":    `<p>GOOD<script>document.write("RAN")</script>`,
		"/alerts":  `<p>TEXT<script>for (;;) alert(1)</script>`,
		"/reload":  `<p>TEXT<script>location.reload()</script>`,
		"/eats":    `<p>TEXT<script>document.write("<p>x".repeat(1e6)); for (;;) document.body.append("x")</script>`,
	})
	before := countTargets(t, pool)
	for _, path := range []string{"/parsing", "/later", "/alerts", "/reload", "/eats"} {
		start := time.Now()
		done := make(chan error, 1)
		go func() {
			_, err := printWith(t.Context(), pool, page.Print{URL: web.URL + path, PrintTimeout: time.Second, Load: page.Load{Timeout: time.Second, WaitAfter: 100 * time.Millisecond}})
			done <- err
		}()
		for range 3 {
			testkit.Contains(t, printed(t, pool, page.Print{URL: web.URL + "/good"}), "GOOD", "RAN")
		}
		if err := testkit.Receive(t, done, path); !errors.Is(err, page.ErrTimeout) {
			t.Errorf("%s: got %v, want ErrTimeout", path, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: it took %v to end", path, took)
		}
	}
	capture := page.Capture{URL: web.URL + "/later", Load: page.Load{WaitAfter: 100 * time.Millisecond}, CaptureTimeout: time.Second}
	if err := captureWith(t.Context(), pool, capture); !errors.Is(err, page.ErrTimeout) {
		t.Errorf("the capture: got %v, want ErrTimeout", err)
	}
	// Each set may have a page open for its next visit.
	if after := countTargets(t, pool); after > 2*before {
		t.Errorf("%d targets, at first %d", after, before)
	}
	if stats := pool.Stats(); stats.Restarts+stats.Discarded != 0 {
		t.Errorf("the pool was harmed: %+v", stats)
	}
}

// The end of a holder's context ends its visit too, and leaves nothing behind.
func TestVisitOfHolderGone(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	held := make(chan struct{}, 10)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p>TEXT<img src="/held">`, "/held": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		held <- struct{}{}
		<-r.Context().Done()
	})})
	before := countTargets(t, pool)
	ctx, cancel := context.WithCancel(t.Context())
	lease, err := pool.Acquire(ctx, events.Quick)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := lease.Print(t.Context(), page.Print{URL: web.URL}) // the lease is bound, not the job
		done <- err
	}()
	testkit.Receive(t, held, "the request")
	cancel()
	if err := testkit.Receive(t, done, "the job"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	eventually(t, pool, "the page replaced", func(s Stats) bool { return s.Discarded == 1 })
	if after := countTargets(t, pool); after != before {
		t.Errorf("%d targets, at first %d", after, before)
	}
}
