package page

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"platen.dev/browserpool/pagetest"
	sanitised "platen.dev/document"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// A style applies even on a page whose policy forbids others, and the resources it names are waited for; hidden
// elements take no room, whatever the page does.
func TestStyleAndHide(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	const page = `<style nonce="x">body { margin: 0 } #banner { display: block !important; height: 300px; background: red } #box { height: 300px }</style>
		<div id="banner" style="display: block !important">BANNER</div><div id="box"></div><p class="late">LATE</p>
		<script nonce="x">
		onload = () => setTimeout(() => {
			document.adoptedStyleSheets = []
			banner.style.cssText = "display: block !important"
			const late = document.createElement("p"); late.className = "late"; late.textContent = "LATER"; document.body.append(late)
			window.ready = true
		}, 200)
		</script>`
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/strict": strict(page), "/": strings.ReplaceAll(page, `nonce="x"`, ""),
		"/picture": after(500 * time.Millisecond), "/plain": `<body style="margin: 0"><div id="box" style="height: 300px"></div>`,
	})
	for _, path := range []string{"/", "/strict"} {
		load := contract.Load{Style: "#box { background: blue !important }", Hide: []string{"#banner", ".late", "p.never"}, WaitForFunction: "window.ready"}
		picture, _ := mustCapture(t, slot, Capture{URL: web.URL + path, Load: load})
		shows(t, picture, 100, 150, blue)
		text := printed(t, slot, Print{URL: web.URL + path, Load: load})
		if strings.TrimSpace(text) != "" {
			t.Errorf("%s shows %q, which was to be hidden", path, text)
		}
	}
	picture, _ := mustCapture(t, slot, Capture{URL: web.URL + "/plain", Load: contract.Load{Style: "#box { background: url(/picture) }"}})
	shows(t, picture, 100, 150, red)

	for _, selector := range []string{"p[", "p { color: red }", "", "a, , b"} {
		_, err := slot.Print(t.Context(), Print{URL: web.URL + "/plain", Load: contract.Load{Hide: []string{"p", selector}}})
		if !errors.Is(err, ErrSelector) || !strings.Contains(Reason(err), fmt.Sprintf("%q", selector)) {
			t.Errorf("%q: %v because %s", selector, err, Reason(err))
		}
	}
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/", Load: contract.Load{Style: "} not { css ;; @import url(/x); \x00 </style><script>"}}), "BANNER")
}

// grows is a page that loads a part at each of its ends, up to most parts.
const grows = `<body style="margin: 0"><div id="all"></div><p id="end">END</p><script>
	let parts = 0
	const more = () => fetch("/part").then(r => r.text()).then(text => {
		all.insertAdjacentHTML("beforeend", "<div style='height: 1500px'>" + text + ++parts + "</div>")
	})
	addEventListener("scroll", () => setTimeout(() => {
		if (scrollY + innerHeight >= document.documentElement.scrollHeight - 10 && parts < %d) more()
	}, 20))
	more()
	</script>`

// A page that grows while it is scrolled is loaded to its end, and is back at its top before the job's waits.
func TestScroll(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // most of the time it waits
	slot := openSlot(t)
	var asked atomic.Int32
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": fmt.Sprintf(grows, 5), "/endless": fmt.Sprintf(grows, 1<<30),
		"/part": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); fmt.Fprint(w, "PART") }),
		"/inner": `<style>html, body { height: 100%; margin: 0; overflow: hidden } #box { height: 100vh; overflow: auto; scroll-behavior: smooth }</style>
			<div id="box"><div style="height: 4000px"></div><p>INNER</p></div><script>let far = 0; box.onscroll = () => { if (far < box.scrollTop) { far = box.scrollTop; box.lastChild.textContent = "SCROLLED" } }</script>`,
		"/short": `<p>SHORT`, "/stuck": `<div style="height: 3000px">TEXT</div><script>onscroll = () => fetch("/never")</script>`, "/never": pagetest.NoAnswer,
	})
	without := printed(t, slot, Print{URL: web.URL})
	if strings.Contains(without, "PART5") {
		t.Error("without scrolling all is there, so this proves nothing")
	}
	text := printed(t, slot, Print{URL: web.URL, Load: contract.Load{Scroll: true, WaitForFunction: "scrollY == 0 && parts == 5"}})
	testkit.Contains(t, text, "PART1", "PART5", "END")
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/inner", Load: contract.Load{Scroll: true}}), "SCROLLED")
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/short", Load: contract.Load{Scroll: true}}), "SHORT")
	result := mustPrint(t, slot, Print{URL: web.URL + "/stuck", Load: contract.Load{Scroll: true, Timeout: 2000}})
	testkit.Contains(t, testkit.PDFText(t, result.PDF), "TEXT")

	asked.Store(0)
	result = mustPrint(t, slot, Print{URL: web.URL + "/endless", Load: contract.Load{Scroll: true, Timeout: 4000}})
	if n := asked.Load(); n < 6 || n > maxScrolls+1 {
		t.Errorf("an endless page was asked for %d parts", n)
	}
	if len(result.Warnings) != 1 || result.Warnings[0].Code != contract.PageCut || !strings.Contains(result.Warnings[0].Detail, "while it was scrolled") {
		t.Errorf("warnings: %v", result.Warnings)
	}
}

// A page higher than a hundred windows that does not grow is scrolled to its end: steps are as high as that takes.
func TestScrollHighPage(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // most of the time it waits
	web := pagetest.NewWeb(t, pagetest.Pages{"/": strings.Repeat(`<p style="height: 1000px; margin: 0">TEXT</p>`, 100) + `<p id="end">END</p><script>
		new IntersectionObserver(([e]) => { if (e.isIntersecting) document.getElementById("end").textContent = "SEEN" }).observe(document.getElementById("end"))
	</script>`})
	result := mustPrint(t, openSlot(t), Print{URL: web.URL, Load: contract.Load{Scroll: true}})
	if len(result.Warnings) > 0 {
		t.Errorf("warnings: %v", result.Warnings)
	}
	testkit.Contains(t, testkit.PDFText(t, result.PDF), "SEEN")
}

// What is said of a page whose end was not reached is true of it.
func TestWhyScrollingStopped(t *testing.T) {
	for want, at := range map[string]scrolled{
		"The page was not scrolled: loading it took all the time.":                                        {},
		"Scrolling the page took too long; it stopped at 5000 of 9000 pixels.":                            {Seen: 5000, Height: 9000},
		"The page kept growing while it was scrolled; scrolling stopped at 5000 pixels, of 9000 by then.": {Seen: 5000, Height: 9000, grew: true},
	} {
		if got := at.whyStopped(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Steps are a window high, or as high as it takes to reach the end one step before the last, which shows whether the end moves.
func TestScrollSteps(t *testing.T) {
	for _, c := range []struct {
		height float64
		steps  int
	}{{600, 1}, {1200, 2}, {6000, 10}, {99 * 600, 99}, {99*600 + 1, 99}, {100 * 600, 99}, {1e6, 99}} {
		at, steps := scrolled{Seen: 600, Height: c.height, window: 600}, 1
		for ; at.Seen < at.Height; steps++ {
			at.Seen = min(at.next(maxScrolls-steps)+at.window, at.Height)
		}
		if steps != c.steps {
			t.Errorf("%.0f pixels: %d steps, want %d", c.height, steps, c.steps)
		}
	}
}

// A job may require all resources: a missing one fails it, and the error has its address.
func TestFailOnResourceError(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": `<p>TEXT<img src="/lost.png?secret=1">`, "/refused": `<p>TEXT<script src="http://127.0.0.1:1/refused.js"></script>`,
		"/whole": `<p>TEXT<img src="/pixel"><script>fetch("/nothing")</script>`, "/pixel": http.HandlerFunc(anyOrigin),
		"/framed": `<p>TEXT<iframe src="/report"></iframe>`, "/report": typed("application/pdf", "%PDF-1.7"),
		"/replaced": `<p>TEXT<iframe src="/whole"></iframe><script>document.querySelector("iframe").src = "/pixel"</script>`,
		"/embedded": `<p>TEXT<embed src="/report.pdf?secret=1">`,
		"/shown":    `<p>TEXT<embed src="/pixel"><embed src="/whole" type="text/html"><embed>`,
		"/printed":  `<style>@media print { p { background: url(/lost.jpg) } }</style><p>TEXT</p>`,
	})
	for path, want := range map[string]string{
		"/": web.URL + "/lost.png is missing: HTTP status 404.", "/refused": "http://127.0.0.1:1/refused.js is missing", "/printed": web.URL + "/lost.jpg is missing",
		"/framed":   web.URL + "/report is missing: it is a download of type application/pdf.",
		"/embedded": web.URL + "/report.pdf is missing: the browser shows no documents of its type.",
	} {
		_, err := slot.Print(t.Context(), Print{URL: web.URL + path, Load: contract.Load{FailOnResourceError: true}})
		if !errors.Is(err, ErrResource) || Retryable(err) || !strings.HasPrefix(Reason(err), want) {
			t.Errorf("%s: %v because %q", path, err, Reason(err))
		}
		text := printed(t, slot, Print{URL: web.URL + path})
		testkit.Contains(t, text, "TEXT")
		if strings.Contains(text, "plugin") {
			t.Errorf("%s shows what the browser says: %s", path, text)
		}
	}
	if _, err := slot.Capture(t.Context(), Capture{URL: web.URL, Load: contract.Load{FailOnResourceError: true}}); !errors.Is(err, ErrResource) {
		t.Errorf("a picture of it: %v", err)
	}
	for _, path := range []string{"/whole", "/replaced", "/shown"} {
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL + path, Load: contract.Load{FailOnResourceError: true}}), "TEXT")
	}
}

// Pictures that a posted document has no address for are not even asked for, and missing.
func TestUnaddressedPictures(t *testing.T) {
	slot := openSlot(t)
	const page = `<p>TEXT<img alt="x" src="img/a.png"><img alt="y"><img src=" DATA:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=">`
	const backgrounds = `<table background="b.png"><tr><td title="url(&#34;c&#34;)" style="background: url(&#34;d&amp;e.png&#34;),url(&#34;&#34;),url(&#34;data:,&#34;)">url(&#34;f&#34;)</table>`
	var got []string
	for _, w := range mustPrint(t, slot, Print{HTML: page + backgrounds}).Warnings {
		got = append(got, w.Code+" "+w.Detail)
	}
	want := []string{
		"RESOURCE_MISSING img/a.png is missing: its address is relative, and the document has none.",
		"RESOURCE_MISSING A picture is missing: its address is none of http, https or a data URI of a picture.",
		"RESOURCE_MISSING b.png is missing: its address is relative, and the document has none.",
		"RESOURCE_MISSING d&e.png is missing: its address is relative, and the document has none.",
		"RESOURCE_MISSING A picture is missing: its address is none of http, https or a data URI of a picture.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if _, err := slot.Print(t.Context(), Print{HTML: page, Load: contract.Load{FailOnResourceError: true}}); !errors.Is(err, ErrResource) {
		t.Error(err)
	}
	if many := mustPrint(t, slot, Print{HTML: strings.Repeat(`<img src="a">`, contract.MaxWarnings+1)}).Warnings; len(many) != contract.MaxWarnings {
		t.Errorf("%d warnings", len(many))
	}
}

// Backgrounds of sanitised HTML are loaded as pictures are, and missing if they do not arrive.
func TestBackgroundsAreLoaded(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/a b@2x.png": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(pagetest.BlankPNG(9, 9))
	})})
	picture := web.URL + "/a b@2x.png"
	source := `<body background="` + picture + `?body"><table background="` + picture + `?table"><tr><td style="background: red url('` + picture + `?td') center / cover">TEXT</table>` +
		`<ul style="list-style: square url(&quot;` + picture + `?ul&quot;)"><li>x</ul><p style="background-image: url(` + web.URL + `/gone)">y`
	result := mustPrint(t, slot, Print{HTML: sanitised.Sanitize(source).HTML()})
	if got := len(web.Headers("/a b@2x.png")); got != 4 {
		t.Errorf("%d backgrounds are loaded, expected 4", got)
	}
	want := []Warning{{contract.ResourceMissing, web.URL + "/gone is missing: it did not arrive."}}
	if !slices.Equal(result.Warnings, want) {
		t.Errorf("got %v", result.Warnings)
	}
}

// What the browser refuses for its type is missing, too: it does not say so by the answers that it tells pages of.
func TestRefusedParts(t *testing.T) {
	slot := openSlot(t)
	answer := func(status int, media, sniffing string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			w.Header().Set("X-Content-Type-Options", sniffing)
			w.WriteHeader(status)
			fmt.Fprint(w, "p {}")
		}
	}
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/lost.css": answer(404, "text/plain", "nosniff"), "/page.css": answer(200, "text/html; charset=utf-8", "nosniff"), "/good.css": answer(200, "text/css; charset=utf-8", "nosniff"),
		"/lost.js": answer(404, "text/plain", "nosniff"), "/page.js": answer(200, "text/html", "nosniff"), "/old.js": answer(200, "text/html", ""),
		"/good.js": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/javascript")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			fmt.Fprint(w, "document.body.append('RAN')")
		}),
		"/never.css": pagetest.NoAnswer,
		"/parts": `<!doctype html><link rel="stylesheet" href="/lost.css"><link rel="stylesheet" href="/page.css"><link rel="stylesheet" href="/good.css"><p>TEXT
			<script src="/lost.js"></script><script src="/page.js"></script><script src="/old.js"></script><script src="/good.js"></script>`,
		"/plain.css": answer(200, "text/html", ""), "/module.js": answer(200, "text/html", ""), "/bare.css": answer(200, "", ""),
		"/other.css": answer(200, "text/plain", ""), "/early.css": answer(200, "text/plain", ""),
		"/strict": `<!doctype html><link rel="stylesheet" href="/plain.css"><link rel="stylesheet" href="/bare.css"><link rel="stylesheet" href="/good.css"><p>TEXT
			<iframe srcdoc="<link rel='stylesheet' href='/other.css'>"></iframe><link rel="preload" as="style" href="/early.css"><script type="module" src="/module.js#x"></script><script type="module" src="/good.js"></script><script src="/old.js"></script>`,
		"/quirks": `<link rel="stylesheet" href="/plain.css"><p>TEXT`,
		"/unwanted": `<!doctype html><p>TEXT<script>onload = () => {
			const l = document.createElement("link"); l.rel = "stylesheet"; l.href = "/never.css"; document.head.append(l); setTimeout(() => stop(), 50) }</script>`,
	})
	why := map[string]string{"lost.css": "HTTP status 404", "page.css": "it is refused for its type, text/html", "lost.js": "HTTP status 404", "page.js": "it is refused for its type, text/html"}
	why["plain.css"], why["module.js"] = why["page.css"], why["page.js"]
	for path, missing := range map[string][]string{
		"/parts": {"lost.css", "page.css", "lost.js", "page.js"}, "/strict": {"plain.css", "module.js"}, "/quirks": nil, "/unwanted": nil,
	} {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		var got, want []string
		for _, w := range result.Warnings {
			got = append(got, w.Detail)
		}
		for _, name := range missing {
			want = append(want, web.URL+"/"+name+" is missing: "+why[name]+".")
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: warned of %q, want %q", path, got, want)
		}
	}
	_, err := slot.Print(t.Context(), Print{URL: web.URL + "/parts", Load: contract.Load{FailOnResourceError: true}})
	if !errors.Is(err, ErrResource) {
		t.Errorf("got %v, want ErrResource", err)
	}
}

// A job may require that scripts have no errors: an uncaught one fails it, and the error has its line.
func TestFailOnScriptError(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	other := pagetest.NewWeb(t, pagetest.Pages{"/frame": "<script>\n\nundefinedInFrame()</script>"})
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/":         "<p>TEXT</p>\n<script>\nundefinedFunction()</script>",
		"/script":   `<p>TEXT<script src="/lib.js?secret=1"></script>`,
		"/lib.js":   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "\n\n\nthrow 'a text'") }),
		"/promise":  `<p>TEXT<script>Promise.reject(new RangeError("no more"))</script>`,
		"/huge":     `<p>TEXT<script>throw Error("x".repeat(1e7))</script>`,
		"/later":    `<p>TEXT<script>onload = () => setTimeout(() => { window.ready = 1; null.x }, 200)</script>`,
		"/frame":    `<p>TEXT<iframe src="` + other.LocalhostURL() + `/frame"></iframe>`,
		"/handled":  `<p>TEXT<script>const p = Promise.reject(1); setTimeout(() => p.catch(() => {}), 50); try { x } catch {}; console.error("fine"); onload = () => setTimeout(() => window.ready = 1, 200)</script>`,
		"/innocent": `<p>TEXT<script>window.ready = 1</script>`,
	})
	for path, want := range map[string]string{
		"/":        "A script of the page failed: ReferenceError: undefinedFunction is not defined (line 3 of " + web.URL + "/).",
		"/script":  "A script of the page failed: a text (line 4 of " + web.URL + "/lib.js).",
		"/promise": "A script of the page failed: RangeError: no more (line 1 of ",
		"/huge":    "A script of the page failed: Error: xxx",
		"/later":   "A script of the page failed: TypeError: ",
		"/frame":   "A script of the page failed: ReferenceError: undefinedInFrame is not defined (line 3 of " + other.LocalhostURL() + "/frame).",
	} {
		load := contract.Load{FailOnScriptError: true}
		if path == "/later" {
			load.WaitForFunction = "window.ready"
		}
		_, err := slot.Print(t.Context(), Print{URL: web.URL + path, Load: load})
		if !errors.Is(err, ErrScript) || Retryable(err) || !strings.HasPrefix(Reason(err), want) || len(Reason(err)) > contract.MaxDetail {
			t.Errorf("%s: %v because %.300q", path, err, Reason(err))
		}
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL + path}), "TEXT")
	}
	for _, path := range []string{"/handled", "/innocent"} {
		load := contract.Load{FailOnScriptError: true, WaitForFunction: "window.ready"}
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL + path, Load: load}), "TEXT")
	}
}
