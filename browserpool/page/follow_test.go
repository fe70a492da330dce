package page

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// leaver is a page that leaves as much behind as it can, and then shows DONE.
const leaver = `<p id="out">WAITING</p><img src="/pixel"><script src="/shared-script"></script><script>
async function leave() {
	const left = []
	const note = async (what, how) => { try { await how(); left.push(what) } catch (e) { left.push(what + "(" + e.name + ")") } }
	document.cookie = "kept=1; max-age=86400"
	localStorage.kept = 1
	sessionStorage.kept = 1
	window.name = "kept"
	history.pushState({kept: 1}, "", "?kept")
	history.pushState({kept: 2}, "", "?kept2")
	await note("database", () => new Promise((yes, no) => {
		const r = indexedDB.open("kept", 1); r.onsuccess = () => { r.result.close(); yes() }; r.onerror = () => no(r.error); r.onupgradeneeded = () => r.result.createObjectStore("s")
	}))
	await note("caches", async () => (await caches.open("kept")).put("/cached-by-script", new Response("kept")))
	await note("files", async () => (await navigator.storage.getDirectory()).getFileHandle("kept", {create: true}))
	await note("worker", async () => { await navigator.serviceWorker.register("/service-worker.js"); await navigator.serviceWorker.ready })
	await note("shared worker", () => new Promise(yes => { const w = new SharedWorker("/shared-worker.js"); w.port.onmessage = yes; w.port.postMessage("kept") }))
	await note("cookie store", () => cookieStore.set("kept2", "1"))
	await note("http cache", async () => (await fetch("/cached")).text())
	await note("bucket", async () => (await (await navigator.storageBuckets.open("kept")).caches.open("kept")).put("/x", new Response("kept")))
	navigator.locks.request("kept", () => new Promise(() => {}))
	onpagehide = () => { fetch("/late-cookie", {keepalive: true}); localStorage.kept = 2; document.cookie = "late=1" }
	fetch("/slow-cookie", {keepalive: true})
	document.querySelector("#out").textContent = "LEFT " + left.join(", ")
}
leave()
</script>`

// finder shows what it finds.
const finder = `<p id="out">WAITING</p><img src="/pixel"><script src="/shared-script"></script><script>
async function find() {
	const found = []
	const look = (what, value) => { if (value) found.push(what + "=" + value) }
	look("cookie", document.cookie)
	look("localStorage", localStorage.length)
	look("sessionStorage", sessionStorage.length)
	look("name", window.name)
	look("history", history.length - 1)
	look("state", history.state && JSON.stringify(history.state))
	look("opener", window.opener)
	look("referrer", document.referrer)
	look("databases", (await indexedDB.databases()).length)
	look("caches", (await caches.keys()).length)
	try { look("buckets", (await navigator.storageBuckets.keys()).length) } catch (e) { look("buckets", e.name) }
	try { await (await navigator.storage.getDirectory()).getFileHandle("kept"); look("file", "kept") } catch (e) { if (e.name != "NotFoundError") look("file", e.name) }
	look("worker", (await navigator.serviceWorker.getRegistrations()).length)
	look("controller", navigator.serviceWorker.controller)
	look("locks", (await navigator.locks.query()).held.length)
	look("shared worker", await new Promise(yes => { const w = new SharedWorker("/shared-worker.js"); w.port.onmessage = e => yes(e.data); w.port.postMessage("new") }))
	look("usage", (await navigator.storage.estimate()).usage)
	await (await fetch("/cached")).text()
	document.querySelector("#out").textContent = "FOUND[" + found.join(", ") + "]"
}
find().catch(e => { document.querySelector("#out").textContent = "FAILED " + e })
</script>`

// keeping counts requests, and makes responses cacheable for as long as possible.
func keeping(served *atomic.Int64, kind, content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		served.Add(1)
		fmt.Fprint(w, content)
	}
}

// visits is a set of fresh pages whose jobs go to the test's own server.
type visits struct {
	*Set
	t   *testing.T
	url string
}

func openVisits(t *testing.T, pages pagetest.Pages) visits {
	t.Helper()
	set, err := OpenFresh(t.Context(), sharedBrowser(t), newGate(egress.Policy{Allow: pagetest.Loopback}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Dispose)
	return visits{set, t, pagetest.NewWeb(t, pages).URL}
}

// print runs a job, which must succeed, and returns its text.
func (v visits) print(job Print) string {
	v.t.Helper()
	result, err := v.Print(v.t.Context(), job)
	if err != nil {
		v.t.Fatalf("%s: %v: %s", job.URL, err, Reason(err))
	}
	return testkit.PDFText(v.t, result.PDF)
}

// follows fails unless another job of the account would, or would not, get the same page.
func (v visits) follows(what string, want bool) {
	v.t.Helper()
	if kept, err := v.Follow(v.t.Context()); kept != want || err != nil {
		v.t.Errorf("%s: the page was kept: %v, %v; want %v", what, kept, err, want)
	}
}

// Scripts of the next job on the same page find the same as on a fresh one: nothing, although the previous job left all it could.
func TestNothingCarriesOverToTheNextVisit(t *testing.T) {
	var served atomic.Int64
	cookie := func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Set-Cookie", "kept3=1; max-age=86400") }
	v := openVisits(t, pagetest.Pages{
		"/leave": leaver, "/find": finder,
		"/cached":            keeping(&served, "text/plain", "x"),
		"/pixel":             keeping(&served, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`),
		"/shared-script":     keeping(&served, "text/javascript", "self.script = 1"),
		"/service-worker.js": keeping(new(atomic.Int64), "text/javascript", `onfetch = e => { if (e.request.url.endsWith("/find")) e.respondWith(new Response("KEPT BY A WORKER")) }; onactivate = () => clients.claim()`),
		"/shared-worker.js":  keeping(new(atomic.Int64), "text/javascript", `let kept = ""; onconnect = e => { const port = e.ports[0]; port.onmessage = m => { port.postMessage(kept); kept = m.data } }`),
		"/late-cookie":       http.HandlerFunc(cookie),
		"/slow-cookie":       http.HandlerFunc(cookie),
	})
	visit := func(path, shows string) string {
		before := served.Load()
		text := v.print(Print{URL: v.url + path, Load: contract.Load{WaitForFunction: `out.textContent.includes("` + shows + `")`}})
		if got := served.Load() - before; got != 3 {
			t.Errorf("%s: %d parts came from the server, want 3: the others were kept", path, got)
		}
		return text
	}
	fresh := visit("/find", "FOUND")
	v.follows("the first visit", true)
	if left, want := visit("/leave", "LEFT"), "LEFT database, caches, files, worker, shared worker, cookie store, http cache, bucket"; !strings.Contains(left, want) {
		t.Errorf("the page says %q, want %q, or this proves little", left, want)
	}
	v.follows("the second visit", true)
	if found := visit("/find", "FOUND"); found != fresh {
		t.Errorf("the next visit says %q, a fresh one %q", found, fresh)
	}
}

// An asset of the next full document is not confused with one of the last, although they have the same name.
func TestAssetsDoNotCarryOver(t *testing.T) {
	v := openVisits(t, nil)
	for _, word := range []string{"ONE", "TWO"} {
		style := []byte(`p::after { content: "` + word + `" }`)
		text := v.print(Print{HTML: `<link rel="stylesheet" href="style.css"><p>`, Full: true, Assets: []contract.Asset{{Name: "style.css", Content: style}}})
		testkit.Contains(t, text, word)
		v.follows(word, true)
	}
}

// A page is not reused after a change that cannot be undone.
func TestVisitsThatNoneFollows(t *testing.T) {
	v := openVisits(t, pagetest.Pages{
		"/":      "<p>TEXT",
		"/large": `<script>document.write("<i></i>".repeat(21000))</script>`,
		"/misread": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p>Größe")
		}),
		"/asks": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, _, signedIn := r.BasicAuth(); !signedIn {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
			}
		}),
		"/signs-in": `<p id="out"><script>const x = new XMLHttpRequest(); x.onloadend = () => { out.textContent = "STATUS " + x.status }; x.open("GET", "/asks", true, "name", "password"); x.send()</script>`,
		"/redirect": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://name:password@"+r.Host+"/", http.StatusFound)
		}),
	})
	load := func(l contract.Load) Print { return Print{URL: v.url, Load: l} }
	jobs := map[string]Print{
		"headers":               {URL: v.url, Headers: []contract.Header{{Name: "X-A", Value: "1"}}},
		"cookies":               {URL: v.url, Cookies: []contract.Cookie{{Name: "a", Value: "1"}}},
		"a password":            {URL: v.url, Auth: Auth{"basic", "a:b"}},
		"a user agent":          load(contract.Load{UserAgent: "x"}),
		"a time zone":           load(contract.Load{TimeZone: "Asia/Tokyo"}),
		"no script":             load(contract.Load{NoScript: true}),
		"an undeclared charset": {URL: v.url + "/misread"},
		"signing in":            {URL: v.url + "/signs-in", Load: contract.Load{WaitForFunction: `out.textContent == "STATUS 200"`}},
		"a URL with a password": {URL: v.url + "/redirect"},
		"many nodes":            {URL: v.url + "/large"},
	}
	for what, job := range jobs {
		v.print(job)
		v.follows(what, false)
	}
	v.print(Print{URL: v.url})
	v.follows("a plain visit", true)
	if _, err := v.Print(t.Context(), Print{URL: v.url + "/missing"}); err == nil {
		t.Error("a missing page was printed")
	}
	v.follows("a visit that failed", false)
}

// A page serves at most maxServed jobs.
func TestVisitsEnd(t *testing.T) {
	v := openVisits(t, pagetest.Pages{"/": "<p>TEXT"})
	v.visit.served = maxServed - 2
	v.print(Print{URL: v.url})
	v.follows("the job before the last", true)
	v.print(Print{URL: v.url})
	v.follows("the last job", false)
	if v.visit.served != 0 {
		t.Error("the next job has a used page")
	}
}

// Before a job of another account, the page of the previous one is disposed of.
func TestResetKeepsNoVisit(t *testing.T) {
	v := openVisits(t, pagetest.Pages{"/": "<p>TEXT"})
	v.print(Print{URL: v.url})
	v.follows("a plain visit", true)
	kept := v.visit
	if err := v.Reset(t.Context()); err != nil || v.visit == kept || !kept.ended() {
		t.Errorf("reset: %v; the page is the same: %v, and ended: %v", err, v.visit == kept, kept.ended())
	}
}

// Script is noticed on a page that has shown other documents as on a fresh one: a document without any is not waited for.
func TestScriptIsNoticedOnAUsedPage(t *testing.T) {
	documents := []struct {
		name, html string
		want       bool
	}{
		{"text", "<p>TEXT", false},
		{"inline", "<script>0</script><p>TEXT", true},
		{"styled", "<style>p { color: red } p:hover { color: blue }</style><p>TEXT", false},
		{"module", `<script type="module">0</script><p>TEXT`, true},
		{"handler", `<body onload="0"><p>TEXT`, true},
		{"removed", "<script>document.currentScript.remove()</script><p>TEXT", true},
		{"data", `<script type="application/json">{}</script><p>TEXT`, false},
		{"picture", `<svg><script>0</script></svg><p>TEXT`, true},
		{"animated", "<style>@keyframes a { to { color: red } } p { animation: a 1s }</style><p>TEXT", false},
		{"element", `<template shadowrootmode="open"></template><details open><summary>TEXT</summary></details>`, false},
		{"frame", `<iframe srcdoc="<script>0</script>"></iframe><p>TEXT`, true},
		{"text again", "<p>TEXT", false},
	}
	pages := pagetest.Pages{}
	for i, d := range documents {
		pages[fmt.Sprint("/", i)] = d.html
	}
	v := openVisits(t, pages)
	for round := range 2 {
		for i, d := range documents {
			v.print(Print{URL: fmt.Sprint(v.url, "/", i)})
			if got := v.visit.scripted; got != d.want {
				t.Errorf("round %d, %s: script runs: %v, want %v", round, d.name, got, d.want)
			}
			v.follows(d.name, true)
		}
	}
}
