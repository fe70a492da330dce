package page

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

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// No prompt of a page for a person at the screen holds up its job.
func TestInteractionIsRefused(t *testing.T) {
	temp := testkit.TempDir(t)
	slot := openSlotIn(t, ownBrowser(t, chromium.Options{TempDir: temp}), newGate(egress.Policy{Allow: pagetest.Loopback}))
	web := pagetest.NewWeb(t, pagetest.Pages{
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
	quick := contract.Load{Timeout: (8 * time.Second).Milliseconds()}
	for path, words := range map[string][]string{
		"/dialogs": {"CONFIRM false", "PROMPT null"}, "/leaving": {"L"}, "/print": {"TEXT"}, "/close": {"TEXT"}, "/popup": {"POPUPS 0"},
		"/download": {"TEXT"}, "/local": {"TEXT"}, "/chrome": {"TEXT"}, "/source": {"TEXT"},
	} {
		text := printed(t, slot, Print{URL: web.URL + path, Load: quick})
		testkit.Contains(t, text, words...)
		if strings.Contains(text, "root:") || strings.Contains(text, "Chromium") {
			t.Errorf("%s shows %q", path, text)
		}
	}
	asking := quick
	asking.WaitFor = ".done"
	testkit.Contains(t, printed(t, slot, Print{URL: strings.Replace(web.URL, "127.0.0.1", "localhost", 1) + "/ask", Load: asking}), "GEO 1", "SAY denied")
	if popped := web.Headers("/popped"); len(popped) != 0 {
		t.Errorf("%d popups were opened", len(popped))
	}
	if files, _ := filepath.Glob(filepath.Join(temp, "*", "*.bin*")); len(files) != 0 {
		t.Errorf("downloaded %v", files)
	}
}

// A job whose page crashes may be retried, and the warm page beside it is reused; a job whose page closes itself may not be retried.
func TestVisitEnds(t *testing.T) {
	set := openSlot(t).set
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<p>TEXT<img src="/stuck">`, "/stuck": pagetest.NoAnswer, "/text": "TEXT"})
	err := set.onVisit(t.Context(), func(ctx context.Context, p *page) error {
		if err := p.navigate(ctx, document{url: web.URL}); err != nil {
			return err
		}
		go func() { _ = proto.PageCrash{}.Call(p.session.With(ctx)) }()
		return stepError("load", p.await(ctx, contract.UntilLoad))
	})
	if !errors.Is(err, ErrCrashed) || !Retryable(err) {
		t.Errorf("got %v, want ErrCrashed", err)
	}
	if !set.Crashed() || set.Spoiled() || set.Ended() {
		t.Errorf("crashed %v, spoiled %v, ended %v", set.Crashed(), set.Spoiled(), set.Ended())
	}
	if err := set.Reset(t.Context()); err != nil || set.Crashed() {
		t.Errorf("after the reset: %v, crashed %v", err, set.Crashed())
	}

	err = set.onVisit(t.Context(), func(ctx context.Context, p *page) error {
		if err := p.reach(ctx, document{url: web.URL + "/text"}); err != nil {
			return err
		}
		if _, err := (proto.TargetCloseTarget{TargetID: p.session.With(ctx).TargetID}).Call(p.browser.With(ctx)); err != nil {
			return err
		}
		return stepError("wait", p.waitFor(ctx, nil, 10*time.Second))
	})
	if !errors.Is(err, ErrRender) || Retryable(err) {
		t.Errorf("a page that is closed: got %v, want ErrRender", err)
	}
}

// A page that is prepared, or returns from a job, after the set was disposed of is disposed of, too.
func TestDisposedMeanwhile(t *testing.T) {
	slot := openSlot(t)
	visit, err := openPage(t.Context(), slot.browser, slot.gate, forVisit)
	if err != nil {
		t.Fatal(err)
	}
	set := slot.set
	err = set.onCapturePage(t.Context(), func(context.Context, *page) error {
		set.Dispose()
		set.Dispose() // the second does nothing
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	set.keep(&set.visit, visit)
	if set.capture != nil || set.visit != nil || !visit.ended() {
		t.Error("a page is kept in a set that is disposed of")
	}
}

// Nothing of one visit reaches the next.
func TestVisitsAreIsolated(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "server", Value: "SECRET", MaxAge: 3600, HttpOnly: true})
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, storingPage)
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
		// The name localhost is a secure context, which workers require.
		text := printed(t, slot, Print{URL: web.LocalhostURL(), Load: contract.Load{WaitFor: "#done"}})
		testkit.Contains(t, text, "COOKIES []", "STORED null", "SESSION null", "DATABASES 0", "CACHES 0", "WORKERS 0", "NAME []", "KEPT true", "CHANNEL none")
		if got := len(web.Headers("/cached")); got != round+1 {
			t.Errorf("round %d: the cached file was requested %d times", round, got)
		}
		for _, header := range web.Headers("/") {
			if got := header.Get("Cookie"); got != "" {
				t.Errorf("round %d: a request carries the cookie %q", round, got)
			}
		}
	}
}

// storingPage shows what it finds in every kind of storage, and then stores something in each.
const storingPage = `<p id="p"></p><script>(async () => {
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

// The browser does not remember credentials: they would reach the next job.
func TestNoCredentialsAreRemembered(t *testing.T) {
	slot := openSlot(t)
	var seen []string // the Authorization header of each request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") == "" {
			challenge(w, r)
		}
	}))
	t.Cleanup(server.Close)
	mustPrint(t, slot, Print{URL: server.URL, Auth: Auth{"basic", "a:b"}})
	for range 2 {
		if _, err := slot.Print(t.Context(), Print{URL: server.URL}); !errors.Is(err, ErrNavigation) {
			t.Errorf("got %v, want ErrNavigation", err)
		}
	}
	server.Close() // nothing appends to seen any more
	if last := seen[len(seen)-1]; last != "" {
		t.Errorf("the last request carries %q", last)
	}
}
