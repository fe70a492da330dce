package browserpool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// Nothing that a page asks of somebody at the screen keeps its job waiting.
func TestNobodyIsAsked(t *testing.T) {
	temp := t.TempDir()
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback, TempDir: temp})
	web := newWeb(t, pages{
		"/dialogs": `<p id="p"></p><script>alert(1); p.textContent = "CONFIRM " + confirm(2) + " PROMPT " + prompt(3, "x")</script>`,
		"/leaving": `<p>LEAVING<script>onbeforeunload = e => { e.preventDefault(); return "stay" }; onload = () => location = "/left"</script>`,
		"/left":    `<p>LEFT`,
		"/close":   `<p>TEXT<script>close(); onload = () => close()</script>`,
		"/print":   `<p>TEXT<script>print(); onload = print</script>`,
		"/popup": `<p id="p"></p><script>
			const all = []; for (let i = 0; i < 20; i++) all.push(open("/popped"))
			p.textContent = "POPUPS " + all.filter(w => w).length</script><a id="a" target="_blank" href="/popped"></a><script>a.click()</script>`,
		"/popped": `<p>popup`,
		"/download": `<p>TEXT<script>onload = () => location = "/file"</script><a id="a" download="b" href="/file"></a><script>a.click()</script>
			<iframe src="/file"></iframe>`,
		"/file": http.HandlerFunc(download),
		"/ask": `<p id="p"></p><script>(async () => {
			const geo = await new Promise(r => navigator.geolocation.getCurrentPosition(() => r("given"), e => r(e.code), {timeout: 3000}))
			const say = await Notification.requestPermission()
			const cam = await navigator.mediaDevices?.getUserMedia({video: true}).then(() => "given", e => e.name)
			p.textContent = "GEO " + geo + " SAY " + say + " CAM " + cam
			p.className = "done" })()</script>`,
		"/local": `<p>TEXT<img src="file:///etc/passwd"><iframe src="file:///etc/passwd"></iframe><iframe src="chrome://version"></iframe>
			<script>try { location = "file:///etc/passwd" } catch {} ; fetch("file:///etc/passwd").then(r => r.text()).then(t => document.body.append(t)).catch(() => {})</script>`,
		"/chrome": `<p>TEXT<script>onload = () => { location = "chrome://version" }</script>`,
		"/source": `<p>TEXT<script>onload = () => { location = "view-source:" + location }</script>`,
	})
	quick := Load{Timeout: 8 * time.Second}
	for path, words := range map[string][]string{
		"/dialogs": {"CONFIRM false", "PROMPT null"}, "/leaving": {"L"}, "/print": {"TEXT"}, "/close": {"TEXT"}, "/popup": {"POPUPS 0"},
		"/download": {"TEXT"}, "/local": {"TEXT"}, "/chrome": {"TEXT"}, "/source": {"TEXT"},
	} {
		text := printed(t, pool, Print{URL: web.URL + path, Load: quick})
		wants(t, text, words...)
		if strings.Contains(text, "root:") || strings.Contains(text, "Chromium") {
			t.Errorf("%s shows %q", path, text)
		}
	}
	asking := quick
	asking.WaitSelector = ".done"
	wants(t, printed(t, pool, Print{URL: strings.Replace(web.URL, "127.0.0.1", "localhost", 1) + "/ask", Load: asking}), "GEO 1", "SAY denied")
	if popped := web.headers("/popped"); len(popped) != 0 {
		t.Errorf("%d popups were opened", len(popped))
	}
	if files, _ := filepath.Glob(filepath.Join(temp, "*", "*.bin*")); len(files) != 0 {
		t.Errorf("downloaded %v", files)
	}
}

// A page that runs for ever costs its own job and nobody else's, within its budget.
func TestEndlessScript(t *testing.T) {
	pool := openPool(t, Config{Slots: 2, AllowEgress: loopback})
	web := newWeb(t, pages{
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
			_, err := pool.Print(t.Context(), Print{URL: web.URL + path, PrintTimeout: time.Second, Load: Load{Timeout: time.Second, WaitAfter: 100 * time.Millisecond}})
			done <- err
		}()
		for range 3 {
			wants(t, printed(t, pool, Print{URL: web.URL + "/good"}), "GOOD", "RAN")
		}
		if err := await(t, done, path); !errors.Is(err, ErrTimeout) {
			t.Errorf("%s: got %v, want ErrTimeout", path, err)
		}
		if took := time.Since(start); took > unhurried {
			t.Errorf("%s: it took %v to end", path, took)
		}
	}
	if _, err := pool.Capture(t.Context(), Capture{URL: web.URL + "/later", Load: Load{WaitAfter: 100 * time.Millisecond}, CaptureTimeout: time.Second}); !errors.Is(err, ErrTimeout) {
		t.Errorf("the capture: got %v, want ErrTimeout", err)
	}
	// Each page may have one open for its next visit.
	if after := countTargets(t, pool); after > 2*before {
		t.Errorf("%d targets, at first %d", after, before)
	}
	if stats := pool.Stats(); stats.Restarts+stats.Discarded != 0 {
		t.Errorf("the pool suffered: %+v", stats)
	}
}

// A visit that crashes is counted and may be tried again; one that closes itself may not.
func TestVisitEnds(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	web := newWeb(t, pages{"/": `<p>TEXT<img src="/stuck">`, "/stuck": http.HandlerFunc(stuck), "/text": "TEXT"})
	lease, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = lease.use(t.Context(), lease.visit, func(ctx context.Context, p *page) error {
		if err := p.navigate(ctx, source{url: web.URL}); err != nil {
			return err
		}
		go func() { _ = proto.PageCrash{}.Call(p.session.With(ctx)) }()
		return verdict("load", p.await(ctx, UntilLoad))
	})
	lease.Return()
	if !errors.Is(err, ErrCrashed) || !Retryable(err) {
		t.Errorf("got %v, want ErrCrashed", err)
	}
	eventually(t, pool, "a crash counted", func(s Stats) bool { return s.Crashes == 1 && s.Discarded == 0 })

	lease, err = pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Return()
	err = lease.use(t.Context(), lease.visit, func(ctx context.Context, p *page) error {
		if err := p.load(ctx, source{url: web.URL + "/text"}); err != nil {
			return err
		}
		if _, err := (proto.TargetCloseTarget{TargetID: p.session.Target}).Call(p.browser.With(ctx)); err != nil {
			return err
		}
		return verdict("wait", p.pause(ctx, 10*time.Second))
	})
	if !errors.Is(err, ErrRender) || Retryable(err) {
		t.Errorf("a page that is closed: got %v, want ErrRender", err)
	}
}

// The end of a holder's context ends its visit too, and leaves nothing behind.
func TestVisitOfHolderGone(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	held := make(chan struct{}, 10)
	web := newWeb(t, pages{"/": `<p>TEXT<img src="/held">`, "/held": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		held <- struct{}{}
		<-r.Context().Done()
	})})
	before := countTargets(t, pool)
	ctx, cancel := context.WithCancel(t.Context())
	lease, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := lease.Print(t.Context(), Print{URL: web.URL}) // the lease is bound, not the job
		done <- err
	}()
	await(t, held, "the request")
	cancel()
	if err := await(t, done, "the job"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	eventually(t, pool, "the page replaced", func(s Stats) bool { return s.Discarded == 1 })
	if after := countTargets(t, pool); after != before {
		t.Errorf("%d targets, at first %d", after, before)
	}
}

// Nothing of one visit reaches the next.
func TestVisitsAreIsolated(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	web := newWeb(t, pages{
		"/": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "server", Value: "SECRET", MaxAge: 3600, HttpOnly: true})
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, keeping)
		}),
		"/cached": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=3600")
			fmt.Fprint(w, "x")
		}),
		"/worker.js": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `onfetch = e => { if (e.request.url.endsWith("/faked")) e.respondWith(new Response("FAKED")) }; onactivate = e => e.waitUntil(clients.claim())`)
		}),
		"/private": guarded("Basic YTpi", "x"),
	})
	for round := range 2 {
		// The name localhost is a secure context, which workers ask for.
		text := printed(t, pool, Print{URL: web.local(), Load: Load{WaitSelector: "#done"}})
		wants(t, text, "COOKIES []", "STORED null", "SESSION null", "DATABASES 0", "CACHES 0", "WORKERS 0", "NAME []", "KEPT true", "CHANNEL none")
		if got := len(web.headers("/cached")); got != round+1 {
			t.Errorf("round %d: the cached file was asked for %d times", round, got)
		}
		for _, header := range web.headers("/") {
			if got := header.Get("Cookie"); got != "" {
				t.Errorf("round %d: a request carries the cookie %q", round, got)
			}
		}
	}
}

// keeping tells what it finds and then keeps something in every place there is.
const keeping = `<p id="p"></p><script>(async () => {
	const heard = new Promise(r => { new BroadcastChannel("c").onmessage = () => r("heard"); setTimeout(() => r("none"), 50) })
	const found = ["COOKIES [" + document.cookie + "]", "STORED " + localStorage.getItem("k"), "SESSION " + sessionStorage.getItem("k"),
		"DATABASES " + (await indexedDB.databases()).length, "CACHES " + (await caches.keys()).length,
		"WORKERS " + (await navigator.serviceWorker.getRegistrations()).length, "NAME [" + window.name + "]", "CHANNEL " + await heard]
	document.cookie = "script=SECRET; max-age=3600"; localStorage.setItem("k", "SECRET"); sessionStorage.setItem("k", "SECRET"); window.name = "SECRET"
	new BroadcastChannel("c").postMessage(1)
	await new Promise(r => { indexedDB.open("d").onsuccess = r })
	await (await caches.open("c")).put("/x", new Response("SECRET"))
	await navigator.serviceWorker.register("/worker.js")
	await navigator.serviceWorker.ready
	await fetch("/cached")
	await fetch("/cached")
	found.push("KEPT " + (document.cookie == "script=SECRET" && (await caches.keys()).length == 1 && (await indexedDB.databases()).length == 1))
	p.innerText = found.join("\n")
	document.body.insertAdjacentHTML("beforeend", "<p id=done>")
})()</script>`

// Credentials that the browser itself remembered would reach the next job.
func TestNoCredentialsAreRemembered(t *testing.T) {
	pool := openPool(t, Config{Slots: 1, AllowEgress: loopback})
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") == "" {
			challenge(w, r)
		}
	}))
	t.Cleanup(server.Close)
	mustPrint(t, pool, Print{URL: server.URL, Auth: Auth{"basic", "a:b"}})
	for range 2 {
		if _, err := pool.Print(t.Context(), Print{URL: server.URL}); !errors.Is(err, ErrNavigation) {
			t.Errorf("got %v, want ErrNavigation", err)
		}
	}
	server.Close() // which ends what writes to asked
	if last := asked[len(asked)-1]; last != "" {
		t.Errorf("the last request carries %q", last)
	}
}
