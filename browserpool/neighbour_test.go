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
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// A page that runs forever fails its own job, within its budget, and no other.
func TestEndlessScript(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 2, AllowEgress: pagetest.Loopback})
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/parsing": `<p>TEXT<script>for (;;);</script>`,
		"/later":   `<p>TEXT<script>onload = () => setTimeout(() => { for (;;); }, 10)</script>`,
		"/good":    `<p>GOOD<script>document.write("RAN")</script>`,
		"/alerts":  `<p>TEXT<script>for (;;) alert(1)</script>`,
		"/reload":  `<p>TEXT<script>location.reload()</script>`,
		"/eats":    `<p>TEXT<script>document.write("<p>x".repeat(1e6)); for (;;) document.body.append("x")</script>`,
	})
	for _, path := range []string{"/parsing", "/later", "/alerts", "/reload", "/eats"} {
		start := time.Now()
		done := make(chan error, 1)
		go func() {
			_, err := printWith(t.Context(), pool, page.Print{URL: web.URL + path, PrintTimeout: time.Second, Load: contract.Load{Timeout: time.Second.Milliseconds(), WaitAfter: (100 * time.Millisecond).Milliseconds()}})
			done <- err
		}()
		for range 3 {
			testkit.Contains(t, printed(t, pool, page.Print{URL: web.URL + "/good"}), "GOOD", "RAN")
		}
		if err := testkit.Receive(t, done, path); !errors.Is(err, page.ErrTimeout) {
			t.Errorf("%s: got %v, want ErrTimeout", path, err)
		}
		t.Logf("%s: ended after %v", path, time.Since(start))
	}
	capture := page.Capture{URL: web.URL + "/later", Load: contract.Load{WaitAfter: (100 * time.Millisecond).Milliseconds()}, CaptureTimeout: time.Second}
	if err := captureWith(t.Context(), pool, capture); !errors.Is(err, page.ErrTimeout) {
		t.Errorf("the capture: got %v, want ErrTimeout", err)
	}
	checkTargets(t, pool)
	if stats := pool.Stats(); stats.Restarts+stats.Discarded != 0 {
		t.Errorf("the pool was harmed: %+v", stats)
	}
}

// When the context of a holder ends, its visit ends too, and leaves nothing behind.
func TestVisitOfHolderGone(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: pagetest.Loopback})
	held := make(chan struct{}, 10)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p>TEXT<img src="/held">`, "/held": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		held <- struct{}{}
		<-r.Context().Done()
	})})
	ctx, cancel := context.WithCancel(t.Context())
	lease, err := pool.Acquire(ctx, anyone(), events.Remote)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := lease.Print(t.Context(), page.Print{URL: web.URL}) // the lease's context ends, not the job's
		done <- err
	}()
	testkit.Receive(t, held, "the request")
	cancel()
	if err := testkit.Receive(t, done, "the job"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	eventually(t, pool, "the browser ended", func(s Stats) bool { return s.RemotesDiscarded == 1 })
}

// A page that floods its browser with messages harms at most its own job. Jobs in other browsers continue at once, and only its own browser ends.
func TestBusyBrowsers(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 2, Remotes: 3, AllowEgress: pagetest.Loopback, CheckEvery: 100 * time.Millisecond, HealthTimeout: 2 * time.Second})
	forever := func(what string) string {
		return `<p>TEXT<script>onload = () => setTimeout(() => { for (let i = 0; ; i++) { ` + what + ` } })</script>`
	}
	pages := pagetest.Pages{
		"/good":     good,
		"/history":  forever(`history.replaceState(i, "", "#" + i)`),
		"/pushes":   forever(`history.pushState({x: "x".repeat(10000)}, "", "?" + i)`),
		"/hashes":   forever(`location.hash = i`),
		"/messages": forever(`postMessage("x".repeat(1000), "*")`),
		"/channels": forever(`new BroadcastChannel("c" + i % 100).postMessage(i)`),
		"/storage":  forever(`localStorage.setItem("k" + i % 1000, "x".repeat(1000) + i)`),
		"/cookies":  forever(`document.cookie = "c" + i % 50 + "=" + i`),
		"/titles":   forever(`document.title = "x".repeat(1000) + i`),
		"/prints":   forever(`print()`),
		"/opens":    forever(`open("about:blank"); open("/good", "_blank")`),
		"/frames":   forever(`document.body.append(document.createElement("iframe"))`),
		"/saves":    forever(`const a = document.createElement("a"); a.href = "data:application/zip," + i; a.download = "x"; a.click()`),
		"/asks":     forever(`Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => {})`),
		"/workers":  forever(`new Worker(URL.createObjectURL(new Blob(["for (;;) postMessage(1)"])))`),
		"/locks":    forever(`navigator.locks && navigator.locks.request("l" + i, () => new Promise(() => {})); indexedDB.open("d" + i)`),
		"/logs":     forever(`console.log("x".repeat(10000), i)`),
		"/errors":   forever(`setTimeout(() => { throw new Error("x".repeat(1000)) }); Promise.reject(i)`),
		"/blobs":    forever(`URL.createObjectURL(new Blob(["x".repeat(1000)]))`),
		"/fetches":  forever(`fetch("/good?" + i)`),
	}
	web := pagetest.NewWeb(t, pages)
	before := pool.Stats().BrowserPID
	for path := range pages {
		if path == "/good" {
			continue
		}
		done := make(chan error, 1)
		go func() {
			_, err := printWith(t.Context(), pool, page.Print{URL: web.URL + path, PrintTimeout: 300 * time.Millisecond, Load: contract.Load{Timeout: time.Second.Milliseconds(), WaitAfter: (300 * time.Millisecond).Milliseconds()}})
			done <- err
		}()
		for range 3 {
			testkit.Contains(t, printed(t, pool, page.Print{HTML: "<p>HTML"}), "HTML")
			testkit.Contains(t, printed(t, pool, page.Print{URL: web.URL + "/good"}), "GOOD", "RAN")
		}
		err := testkit.Receive(t, done, path)
		if page.Retryable(err) {
			t.Errorf("%s: got %v, which would be tried again", path, err)
		}
		t.Logf("%s: %v", path, err)
	}
	if stats := pool.Stats(); stats.BrowserPID != before || stats.Restarts+stats.Recycles+stats.Discarded != 0 {
		t.Errorf("the shared browser was harmed: %+v", stats)
	}
}
