package corpus

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/events/contract"
)

// These documents are about what is read, and when: lazy content, inner scrollers, encodings, truncated documents, servers that inspect the client.

func readingDocuments(t *testing.T, w *web) (all []entry) {
	t.Helper()
	for _, of := range [][]entry{waiting(t, w), scrollers(w), encodingsUndeclared(w), brokenOff(w), picky(w), oddAddresses(w)} {
		all = append(all, of...)
	}
	for i := range all {
		all[i].fault = true
	}
	return all
}

// onBoth returns two entries of a document: printed, and captured as a whole page.
func onBoth(name string, visited, like source, difference string) []entry {
	d := &deviation{name: difference, like: like}
	return []entry{
		{name: name + "/print", source: visited, differs: d},
		{name: name + "/full-page", source: visited, differs: d, shot: &shot{width: 800, height: 600, fullPage: true}},
	}
}

// onView calls a function once an element is visible.
const onView = `<script>const onView = (e, f) => new IntersectionObserver(([at], o) => { if (at.isIntersecting) { o.disconnect(); f() } }).observe(e)</script>`

// waiting returns documents with parts that load once they are visible.
func waiting(t *testing.T, w *web) (all []entry) {
	t.Helper()
	picture := w.typed("image/png", encodings()["png"])
	part := w.typed("text/plain", []byte("FETCHED PART"))
	const top = `<!doctype html><meta charset="utf-8"><body style="margin: 0; color: #000">` + onView
	const tall = `<div style="height: 2500px; background: linear-gradient(#eef, #fee)">top</div>`
	const style = `<style>.late { opacity: 0; transform: translateY(200px); transition: all 3s 1s } .seen { opacity: 1; transform: none }
		@keyframes in { from { opacity: 0; transform: translateX(-500px) } } .slide { animation: in 5s 2s both }</style>`
	for name, c := range sorted(map[string][2]string{
		"picture": {
			`<img id="e" width="90" height="60"><p>below</p><script>onView(e, () => e.src = "` + picture + `")</script>`,
			`<img width="90" height="60" src="` + picture + `"><p>below</p>`,
		},
		"pictures": {
			strings.Repeat(`<p><img class="l" width="60" height="40" data-src="`+picture+`"> row</p>`, 9) + `<script>for (const e of document.querySelectorAll(".l")) onView(e, () => e.src = e.dataset.src)</script>`,
			strings.Repeat(`<p><img width="60" height="40" src="`+picture+`"> row</p>`, 9),
		},
		"fade-in": {
			style + `<p class="late" id="e">FADED IN</p><script>onView(e, () => e.classList.add("seen"))</script>`,
			`<p>FADED IN</p>`,
		},
		"slide-in": {
			style + `<p id="e" style="visibility: hidden">SLID IN</p><script>onView(e, () => { e.style.visibility = "visible"; e.classList.add("slide") })</script>`,
			`<p>SLID IN</p>`,
		},
		"part": {
			`<p id="e"></p><p>below</p><script>onView(e, async () => e.textContent = await (await fetch("` + part + `")).text())</script>`,
			`<p>FETCHED PART</p><p>below</p>`,
		},
		"part-that-brings-more": {
			`<p id="e"></p><script>onView(e, async () => { e.textContent = await (await fetch("` + part + `")).text()
				const more = document.body.appendChild(document.createElement("p")); more.style.marginTop = "1500px"
				onView(more, async () => more.textContent = await (await fetch("` + part + `")).text()) })</script>`,
			`<p>FETCHED PART</p><p style="margin-top: 1500px">FETCHED PART</p>`,
		},
	}) {
		all = append(all, onBoth("reading/seen/"+name, source{url: w.page(top + tall + c[0])}, source{url: w.page(top + tall + c[1])}, "seen-below-fold")...)
	}
	// Each way to wait for the page also covers loading that starts when parts become visible.
	late := top + tall + `<p id="e"></p><script>onView(e, async () => e.textContent = await (await fetch("` + part + `")).text())</script>`
	like := source{url: w.page(top + tall + `<p>FETCHED PART</p>`)}
	for _, until := range []string{contract.UntilDOM, contract.UntilIdle} {
		all = append(all, entry{name: "reading/seen/until-" + until, source: source{url: w.page(late)}, load: contract.Load{WaitUntil: until}, differs: &deviation{name: "seen-below-fold", like: like}})
	}
	return all
}

// scrollers returns documents that scroll in an inner box.
func scrollers(w *web) (all []entry) {
	const content = `<p>TOP</p><div style="height: 3000px"></div><p>BOTTOM</p>`
	for name, c := range sorted(map[string][2]string{
		"flex": {
			`<style>html, body { height: 100%; margin: 0 } body { display: flex; flex-direction: column; overflow: hidden }</style>
			<header style="flex: none">HEAD</header><main style="flex: 1; overflow: auto; min-height: 0">` + content + `</main>`,
			`<style>body { margin: 0 }</style><header>HEAD</header><main style="display: flow-root">` + content + `</main>`,
		},
		"grid": {
			`<body style="margin: 0; height: 100vh; display: grid; grid-template: auto 1fr / 150px 1fr; overflow: hidden">
			<header style="grid-column: 1 / 3">HEAD</header><nav>nav</nav><main style="overflow-y: scroll">` + content + `</main>`,
			`<body style="margin: 0; display: grid; grid-template: auto 1fr / 150px 1fr">
			<header style="grid-column: 1 / 3">HEAD</header><nav>nav</nav><main style="display: flow-root">` + content + `</main>`,
		},
		"fixed": {
			`<body style="margin: 0"><header style="position: fixed; top: 0; height: 50px">HEAD</header>
			<div style="position: fixed; inset: 50px 0 0 0; overflow: auto">` + content + `</div>`,
			`<body style="margin: 0; position: relative"><header style="position: fixed; top: 0; height: 50px">HEAD</header><div style="display: flow-root; margin-top: 50px">` + content + `</div>`,
		},
		"body": {
			`<style>html { height: 100%; overflow: hidden } body { margin: 0; height: 100%; overflow: auto }</style><p>HEAD` + content,
			`<style>body { margin: 0; display: flow-root }</style><p>HEAD` + content,
		},
		"shadow": {
			`<body style="margin: 0"><x-app><p>HEAD</p>` + content + `</x-app><script>
			document.querySelector("x-app").attachShadow({ mode: "open" }).innerHTML =
				'<div style="position: absolute; inset: 0; display: flex"><div style="flex: 1; overflow: auto"><slot></slot></div></div>'</script>`,
			`<body style="margin: 0; display: flow-root"><div style="display: flow-root"><p>HEAD</p>` + content + `</div>`,
		},
	}) {
		all = append(all, onBoth("reading/scroller/"+name, source{url: w.page(`<!doctype html>` + c[0])}, source{url: w.page(`<!doctype html>` + c[1])}, "inner-scroller")...)
		if name == "grid" || name == "shadow" { // in print, the browser also shows all of these
			all[len(all)-2].differs = nil
		}
	}
	// A scrolling box in an ordinary page stays unchanged if most of it is empty.
	box := source{url: w.page(`<!doctype html><body style="margin: 0"><div style="height: 200px; overflow: auto">` + content + `</div><div style="height: 2000px">AFTER`)}
	return append(all, entry{
		name: "reading/scroller/ordinary-box", source: box, warns: contract.PageCut,
		differs: &deviation{name: "empty-end", like: box, options: with(contract.Paper{PageRanges: "1-2"})},
	})
}

// encodingsUndeclared returns documents that do not declare their encoding.
func encodingsUndeclared(w *web) (all []entry) {
	for name, body := range sorted(map[string]string{
		"short": "<!doctype html><p>naïve €, Ωμέγα &amp; caf&eacute;</p>",
		"late":  "<!doctype html><p>" + strings.Repeat("x ", 600) + "<br>naïve €, Ωμέγα</p>",
		"cjk":   "<!doctype html><p>港务长 潮汐</p>",
		"emoji": "<!doctype html><p>⛴️ fog 🌫️ é</p>",
	}) {
		d := &deviation{name: "undeclared-utf8", like: source{url: w.typed("text/html; charset=utf-8", []byte(body))}}
		all = append(all, entry{name: "reading/undeclared/utf8-" + name, source: source{url: w.typed("text/html", []byte(body))}, differs: d})
	}
	plain := []byte("naïve €, Ωμέγα …")
	all = append(all, entry{name: "reading/undeclared/utf8-plain-text", source: source{url: w.typed("text/plain", plain)}, differs: &deviation{name: "undeclared-utf8", like: source{url: w.typed("text/plain; charset=utf-8", plain)}}})
	for name, body := range sorted(map[string]string{
		"latin1":       "<p>\xe9t\xe9 na\xefve \xfcber</p>",
		"windows-1252": "<p>\x80 5 \x93quoted\x94 caf\xe9</p>",
		"mixed":        "<p>\xc3\xa9 na\xefve \x80 5</p>",
		"ascii":        "<p>naive &euro;</p>",
	}) {
		all = append(all, entry{name: "reading/undeclared/" + name, source: source{url: w.typed("text/html", []byte(body))}})
	}
	return all
}

// brokenOff returns truncated documents.
func brokenOff(w *web) (all []entry) {
	for name, answer := range sorted(map[string]string{
		"length": "Content-Length: 9999\r\n\r\n<p>HALF",
		"chunk":  "Transfer-Encoding: chunked\r\n\r\n7\r\n<p>HALF\r\n",
		"size":   "Transfer-Encoding: chunked\r\n\r\n7\r\n<p>HALF\r\nno size\r\n",
		"gzip":   "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n<p>HALF",
	}) {
		broken := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(rw).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"+answer)
		})
		for _, until := range contract.LoadMoments() {
			all = append(all, entry{
				name: "reading/broken/" + name + "/" + until, source: source{url: w.page(broken)}, load: contract.Load{WaitUntil: until, Timeout: (20 * time.Second).Milliseconds()},
				differs: &deviation{name: "broken-document", fails: page.ErrNavigation},
			})
		}
		all = append(all, entry{
			name: "reading/broken/" + name + "/capture", source: source{url: w.page(broken)}, shot: &shot{width: 800, height: 600},
			differs: &deviation{name: "broken-document", fails: page.ErrNavigation},
		})
	}
	return all
}

// picky returns documents on servers that inspect the client.
func picky(w *web) (all []entry) {
	const welcome = `<!doctype html><h1>WELCOME</h1>`
	like := source{url: w.page(welcome)}
	refuse := func(refused func(http.Header) bool) source {
		return source{url: w.page(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if refused(r.Header) {
				answer(rw, "text/html", []byte(`<!doctype html><h1>NO ROBOTS</h1>`))
				return
			}
			answer(rw, "text/html", []byte(welcome))
		}))}
	}
	return []entry{
		{name: "reading/picky/client-hints", source: refuse(func(h http.Header) bool { return strings.Contains(fmt.Sprint(h), "Headless") }), differs: &deviation{name: "ordinary-identity", like: like}},
		{name: "reading/picky/user-agent", shows: []string{"WELCOME"}, source: refuse(func(h http.Header) bool {
			return !strings.HasPrefix(h.Get("User-Agent"), "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36") || strings.Contains(h.Get("User-Agent"), "Headless")
		})},
		{name: "reading/picky/language", shows: []string{"WELCOME"}, source: refuse(func(h http.Header) bool { return h.Get("Accept-Language") != "en-US,en" })},
		{name: "reading/picky/translated", shows: []string{"harbour"}, source: source{url: w.page(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			text := map[bool]string{true: "The harbour", false: "Havnen"}[strings.HasPrefix(r.Header.Get("Accept-Language"), "en")]
			answer(rw, "text/html", []byte(`<!doctype html><p>`+text))
		}))}},
		{name: "reading/picky/script", shows: []string{"ORDINARY"}, source: source{url: w.page(`<!doctype html><p id="p"></p><script>
			p.textContent = /Headless/.test(navigator.userAgent) || !navigator.languages.includes("en") ? "ROBOT" : "ORDINARY"</script>`)}},
	}
}

// oddAddresses returns documents with irregular addresses and headers.
func oddAddresses(w *web) (all []entry) {
	for name, path := range sorted(map[string]string{
		"percent": "/100%", "percent-letters": "/%zz?a=%", "brackets": "/a[b]^c`d{e}", "old-escape": "/%u00e4|x", "dots": "/a/./b/..;/c", "slashes": "//x//y",
		"query": "/q?a=b&c=%E4&d=[1]", "fragment": "/f#part%20two", "long": "/" + strings.Repeat("long/", 300), "semicolons": "/p;x=1,2?y;z", "null": "/nul%00?x=%0d%0a",
	}) {
		all = append(all, entry{name: "reading/address/" + name, source: source{url: "http://" + w.address + path}, shows: []string{"ASKED"}})
	}
	const body = "\r\n\r\n<!doctype html><p>HEADERS é</p>"
	for name, head := range sorted(map[string]string{
		"no-colon":      "HTTP/1.1 200 OK\r\na line without a colon\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close",
		"folded":        "HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close",
		"no-reason":     "HTTP/1.1 200\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close",
		"old-protocol":  "HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=utf-8",
		"bare-newlines": "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\nConnection: close\nX: y",
		"spaced-name":   "HTTP/1.1 200 OK\r\nX Odd : 1\r\nContent-Type : text/html; charset=utf-8\r\nConnection: close",
		"bytes":         "HTTP/1.1 200 OK\r\nX-Name: M\xfcller\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close",
		"two-lengths":   "HTTP/1.1 200 OK\r\nContent-Length: 32\r\nContent-Length: 32\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close",
		"many":          "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Many: value\r\n", 150) + "Content-Type: text/html; charset=utf-8\r\nConnection: close",
		"large":         "HTTP/1.1 200 OK\r\nX-Large: " + strings.Repeat("v", 100<<10) + "\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close",
		"status-2xx":    "HTTP/1.1 299 Odd\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close",
	}) {
		all = append(all, entry{name: "reading/header/" + name, source: source{url: w.rawly("/header/"+name, head+body)}, shows: []string{"HEADERS"}})
	}
	return all
}
