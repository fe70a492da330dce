package browserpool

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// drip sends a byte every 20 ms, and never ends.
func drip(kind, start string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, start)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			_, err := fmt.Fprint(w, " ")
			if err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	}
}

// flood sends as fast as it can, and never ends.
func flood(kind, start string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, start)
		for part := make([]byte, 64<<10); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}
}

func hugeHeader(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Huge", strings.Repeat("x", 1<<20))
	fmt.Fprint(w, "<p>TEXT")
}

// Hostile pages end with the right error within their budget, do not disturb other jobs, and leave nothing behind.
func TestHostilePages(t *testing.T) {
	testkit.Long(t)
	temp := testkit.TempDir(t)
	pool := openPool(t, Config{Slots: 2, AllowEgress: pagetest.Loopback, TempDir: temp, EgressLimits: egress.Limits{Total: 8 << 20}})
	huge := pagetest.BlankPNG(12_000, 12_000)
	const (
		loop   = `<p>TEXT<script>for (;;);</script>`
		nodes  = `<script>document.write("<b>x</b>".repeat(50_000))</script>`
		pages  = `<script>document.write("<p style='break-after: page'>x".repeat(10_000))</script>`
		alerts = `<p>TEXT<script>for (;;) { alert(1); confirm(2); prompt(3); print() }</script>`
	)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/loop": loop, "/nodes": nodes, "/pages": pages, "/alerts": alerts,
		"/hidden":       `<script>window.kept = []; for (let i = 0; i < 1_100_000; i++) kept.push(document.createTextNode(i))</script>`,
		"/tall":         `<div style="height: 30000000px">x</div>`,
		"/picture":      `<p>TEXT<img width="9" height="9" src="/huge.png">`,
		"/faked":        `<p>TEXT<img width="9" height="9" src="/huge.png"><script>Object.defineProperty(HTMLImageElement.prototype, "naturalWidth", {value: 1}); Array.prototype.reduce = () => [0, 0]</script>`,
		"/huge.png":     http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(huge) }),
		"/unload":       `<p>TEXT<script>onbeforeunload = () => "stay"; onload = () => { for (let i = 0; ; i++) location = "/unload?" + i }</script>`,
		"/dripping":     drip("text/html", "<p>TEXT"),
		"/drips":        `<p>TEXT<img src="/drip.png">`,
		"/drip.png":     drip("image/png", "\x89PNG\r\n\x1a\n"),
		"/redirects":    pagetest.Redirect("/redirects"),
		"/script-moves": `<script>location = "/script-moves?" + Math.random()</script>`,
		"/header":       http.HandlerFunc(hugeHeader),
		"/flood":        flood("text/html", "<p>TEXT"),
		"/floods":       `<p>TEXT<img src="/flood.png">`,
		"/flood.png":    flood("image/png", "\x89PNG\r\n\x1a\n"),
		"/upload":       `<p>TEXT<script>const b = new Blob([new Uint8Array(16 << 20)]); fetch("/sink", {method: "POST", body: b}); onload = () => new Promise(() => {})</script><img src="/stuck">`,
		"/sink":         http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }),
		"/stuck":        pagetest.NoAnswer,
		"/good":         good,
	})
	for path, want := range map[string]error{
		"/loop": page.ErrTimeout, "/nodes": page.ErrTooLarge, "/hidden": page.ErrTooLarge, "/pages": page.ErrTooLarge, "/tall": page.ErrTooLarge, "/picture": page.ErrTooLarge, "/faked": page.ErrTooLarge,
		"/alerts": page.ErrTimeout, "/unload": page.ErrTimeout, "/dripping": page.ErrTimeout, "/drips": page.ErrTimeout,
		"/redirects": page.ErrNavigation, "/script-moves": page.ErrTimeout, "/header": page.ErrNavigation,
		"/flood": page.ErrTooLarge, "/floods": page.ErrTooLarge, "/upload": page.ErrTooLarge,
	} {
		printHostile(t, pool, web, path, page.Print{URL: web.URL + path}, want)
	}
	for html, want := range map[string]error{
		loop: page.ErrTimeout, nodes: page.ErrTooLarge, pages: page.ErrTooLarge, alerts: page.ErrTimeout,
		`<p>TEXT<img width="9" height="9" src="huge.png">`:                                      page.ErrTooLarge,
		`<p>TEXT<script>onload = () => { for (let i = 0; ; i++) location = "/?" + i }</script>`: page.ErrTimeout,
		`<iframe src="/"></iframe>`:                                                             nil, // browsers end a chain of frames of one URL
		`<script>(async () => { for (;;) await (await fetch("mega.bin", {cache: "no-store"})).blob() })(); onload = () => new Promise(() => {})</script><img src="` + web.URL + `/stuck">`: page.ErrTooLarge,
	} {
		assets := []contract.Asset{{Name: "huge.png", Content: huge}, {Name: "mega.bin", Content: make([]byte, 1<<20)}}
		printHostile(t, pool, web, html, page.Print{HTML: html, Full: true, Assets: assets}, want)
	}
	checkUnharmed(t, pool, temp)
}

// A page that asks for more memory than a process may have fails alone. The limit is low here, so that even a busy machine reaches it soon.
func TestMemoryBombs(t *testing.T) {
	testkit.Long(t)
	temp := testkit.TempDir(t)
	pool := openPool(t, Config{Slots: 2, AllowEgress: pagetest.Loopback, TempDir: temp, MaxData: 512 << 20})
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/good": good,
		// A failed allocation is only an error of the script: the page is printed.
		"/memory":        `<p>TEXT<script>const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1))</script>`,
		"/heap":          `<p>TEXT<script>const all = []; for (;;) all.push([1.5, all.length, {}, "x" + all.length])</script>`,
		"/worker-memory": `<p>TEXT<script>new Worker(URL.createObjectURL(new Blob(["const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1))"]))); for (;;);</script>`,
	})
	printHostile(t, pool, web, "/memory", page.Print{URL: web.URL + "/memory"}, nil)
	printHostile(t, pool, web, "/heap", page.Print{URL: web.URL + "/heap"}, page.ErrCrashed)
	printHostile(t, pool, web, "/worker-memory", page.Print{URL: web.URL + "/worker-memory"}, page.ErrTimeout)
	eventually(t, pool, "a crash counted", func(s Stats) bool { return s.Crashes == 1 })
	checkUnharmed(t, pool, temp)
}

// A function to wait for may do anything: its job ends in time, and no other is affected.
func TestHostileFunctions(t *testing.T) {
	testkit.Long(t)
	temp := testkit.TempDir(t)
	pool := openPool(t, Config{Slots: 2, AllowEgress: pagetest.Loopback, TempDir: temp, MaxData: 512 << 20})
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/good": good, "/": "<p>TEXT",
		"/broken":  `<p>TEXT<script>Promise.prototype.then = () => { for (;;); }; Object.defineProperty(Promise.prototype, "constructor", {get() { for (;;); }})</script>`,
		"/promise": `<p>TEXT<script>Promise.prototype.then = undefined; Promise = 1; globalThis.Boolean = () => false</script>`,
	})
	for _, c := range []struct {
		path, function string
		want           error
	}{
		{"/", "(() => { for (;;); })()", page.ErrFunction},
		{"/", "(async () => { for (;;) await null })()", page.ErrFunction},
		{"/", "new Promise(() => {})", page.ErrFunction},
		{"/", "(() => { throw 'x'.repeat(1 << 28) })()", page.ErrFunction},
		{"/", "'x'.repeat(1 << 28)", nil},
		{"/", "({then(done) { done('x'.repeat(1 << 28)) }})", nil},
		{"/broken", "Promise.resolve(1)", page.ErrFunction},
		{"/promise", "(async () => 1)()", nil},
		{"/", "setInterval(() => { for (let end = Date.now() + 200; Date.now() < end;); }, 1) && false", page.ErrFunction},
	} {
		job := page.Print{URL: web.URL + c.path, Load: contract.Load{WaitForFunction: c.function, Timeout: testkit.Patience.Milliseconds()}}
		if c.want != nil {
			job.Load.Timeout = 1500
		}
		runHostile(t, pool, web, c.function, job, c.want)
	}
	checkUnharmed(t, pool, temp)
}

// good is the page of the jobs that run beside a hostile one.
const good = `<p>GOOD<script>document.write("RAN")</script>`

// printHostile prints a hostile page, which must end as wanted, and good pages beside it. A page that is meant to run
// out of time gets little; no other page may run out of time, however busy the machine is.
func printHostile(t *testing.T, pool *Pool, web *pagetest.Web, name string, job page.Print, want error) {
	t.Helper()
	job.Load, job.PrintTimeout, job.Limits = contract.Load{Timeout: testkit.Patience.Milliseconds()}, testkit.Patience, page.Limits{Nodes: 100_000}
	if errors.Is(want, page.ErrTimeout) {
		job.Load.Timeout = time.Second.Milliseconds()
	}
	runHostile(t, pool, web, name, job, want)
}

// runHostile runs a hostile job, and good ones beside it.
func runHostile(t *testing.T, pool *Pool, web *pagetest.Web, name string, job page.Print, want error) {
	t.Helper()
	start := time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := printWith(t.Context(), pool, job)
		done <- err
	}()
	for range 3 {
		testkit.Contains(t, printed(t, pool, page.Print{URL: web.URL + "/good"}), "GOOD", "RAN")
	}
	err := testkit.Receive(t, done, name)
	if !errors.Is(err, want) || page.Retryable(err) != errors.Is(want, page.ErrCrashed) {
		t.Errorf("%s: got %v, want %v", name, err, want)
	}
	t.Logf("%s: %v after %v", name, err, time.Since(start))
}

// checkUnharmed fails if hostile pages harmed the pool, or left anything behind.
func checkUnharmed(t *testing.T, pool *Pool, temp string) {
	t.Helper()
	checkTargets(t, pool)
	if stats := pool.Stats(); stats.Restarts+stats.Discarded != 0 || stats.Leased+stats.Waiting != 0 && stats.Leased != 1 {
		t.Errorf("the pool was harmed: %+v", stats)
	}
	closePool(t, pool)
	noZombies(t)
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) != 0 {
		t.Errorf("profiles left: %v", left)
	}
}

// Hostile HTML without script ends with the right error too.
func TestHostileHTML(t *testing.T) {
	testkit.Long(t)
	pool := openPool(t, Config{Slots: 2, AllowEgress: pagetest.Loopback, EgressLimits: egress.Limits{Total: 8 << 20}})
	web := pagetest.NewWeb(t, pagetest.Pages{"/flood.png": flood("image/png", "\x89PNG\r\n\x1a\n"), "/drip.png": drip("image/png", "\x89PNG\r\n\x1a\n")})
	picture := base64.StdEncoding.EncodeToString(pagetest.BlankPNG(12_000, 12_000))
	for name, c := range map[string]struct {
		html string
		want error
	}{
		"pages":   {strings.Repeat("<p style='break-after: page'>x", 10_000), page.ErrTooLarge},
		"tall":    {`<div style="height: 30000000px">x</div>`, page.ErrTooLarge},
		"picture": {`<p>TEXT<IMG width="9" height="9" src="data:image/png;base64,` + picture + `">`, page.ErrTooLarge},
		"flood":   {`<p>TEXT<img src="` + web.URL + `/flood.png">`, page.ErrTooLarge},
		"drip":    {`<p>TEXT<img src="` + web.URL + `/drip.png">`, nil},
	} {
		start := time.Now()
		job := page.Print{HTML: c.html, PrintTimeout: testkit.Patience, Load: contract.Load{Timeout: testkit.Patience.Milliseconds()}}
		if c.want == nil { // it is printed with what has arrived by then
			job.Load.Timeout = time.Second.Milliseconds()
		}
		_, err := printWith(t.Context(), pool, job)
		if !errors.Is(err, c.want) || page.Retryable(err) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		t.Logf("%s: %v after %v", name, err, time.Since(start))
	}
	testkit.Contains(t, printed(t, pool, page.Print{HTML: "<p>GOOD"}), "GOOD")
	eventually(t, pool, "all pages back", func(s Stats) bool { return s.Leased == 0 && s.Restarts == 0 })
}
