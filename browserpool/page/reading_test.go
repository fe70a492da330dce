package page

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// typed serves bytes with a content type.
func typed(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{kind}
		fmt.Fprint(w, body)
	}
}

// Undeclared UTF-8 is read as UTF-8. A declared encoding is believed, and other undeclared ones are read as browsers read them.
func TestUndeclaredCharset(t *testing.T) {
	testkit.Long(t)
	const latin = "<p>\xc3\xa9 na\xefve \x80 5"
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/utf8":     typed("text/html", "<p>naïve €, Ωμέγα &amp; caf&eacute; &hellip;"),
		"/plain":    typed("text/plain", "naïve €, Ωμέγα …"),
		"/late":     typed("text/html", "<p>"+strings.Repeat("x ", 600)+"<br>"+"naïve €, Ωμέγα …"),
		"/latin":    typed("text/html", latin),
		"/declared": typed("text/html; charset=windows-1252", "<p>naïve"),
		"/meta":     typed("text/html", `<meta charset="windows-1252"><p>naïve`),
		"/ascii":    typed("text/html", "<p>naive &euro;"),
		"/auth": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer t" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			typed("text/html", "<p>naïve €, Ωμέγα …")(w, r)
		}),
	})
	slot := openSlot(t)
	for path, want := range map[string]string{
		"/utf8": "naïve €, Ωμέγα & café …", "/plain": "naïve €, Ωμέγα …", "/late": "naïve €, Ωμέγα …", "/latin": "Ã© naïve € 5",
		"/declared": "naÃ¯ve", "/meta": "naÃ¯ve", "/ascii": "naive €", "/auth": "naïve €, Ωμέγα …",
	} {
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL + path, Auth: Auth{Type: "bearer", Value: "t"}}), want)
		if path != "/auth" {
			testkit.Contains(t, printed(t, slot, Print{URL: web.URL + path, Load: contract.Load{WaitUntil: contract.UntilIdle}}), want)
		}
		once := path == "/declared" || path == "/meta" || path == "/ascii"
		if asked := len(web.Headers(path)); once && asked != 2 {
			t.Errorf("%s was asked for %d times for two jobs", path, asked)
		}
	}
}

// A document of more than 64 MiB is not loaded again for its encoding: the browser would end the connection over its bytes.
func TestUndeclaredCharsetOfLargeDocument(t *testing.T) {
	testkit.Long(t)
	const start, end = "<p>naïve<!--", "-->"
	filler := strings.Repeat("x", 1<<26-len(start)-len(end))
	web := pagetest.NewWeb(t, pagetest.Pages{"/most": typed("text/html", start+filler+end), "/more": typed("text/html", start+filler+"x"+end)})
	slot := openSlot(t)
	for path, want := range map[string]string{"/most": "naïve", "/more": "naÃ¯ve"} {
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL + path}), want)
	}
}

// onView calls a function once an element is visible.
const onView = `<script>const onView = (e, f) => new IntersectionObserver(([at], o) => { if (at.isIntersecting) { o.disconnect(); f() } }).observe(e)</script>`

// Lazy content is there: pictures loaded by script, sections that fade in, fetched parts, and everything that these load; the job's waits cover it.
func TestWaitsToBeSeen(t *testing.T) {
	testkit.Long(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": `<!doctype html><body style="margin: 0; color: #000">` + onView + `
			<style>.late { opacity: 0; transform: translateY(200px); transition: all 3s 1s } .seen { opacity: 1; transform: none }
				@keyframes in { from { opacity: 0 } } .slide { animation: in 5s 2s both }</style>
			<div style="height: 3000px">top</div>
			<img id="picture" width="50" height="50"><p class="late" id="late">FADED</p><p id="slide">SLID</p><p id="part"></p>
			<script>
				onView(picture, () => picture.src = "/pixel")
				onView(late, () => late.classList.add("seen"))
				onView(slide, () => slide.classList.add("slide"))
				onView(part, async () => {
					part.innerHTML = await (await fetch("/part")).text()
					const more = document.body.appendChild(document.createElement("p"))
					more.style.marginTop = "2000px"
					onView(more, async () => { more.textContent = await (await fetch("/more")).text(); document.body.id = "whole" })
				})
			</script>`,
		"/pixel": http.HandlerFunc(anyOrigin), "/part": typed("text/plain", "PART"), "/more": typed("text/plain", "MORE"),
	})
	slot := openSlot(t)
	for _, load := range []contract.Load{{}, {WaitUntil: contract.UntilIdle}, {WaitUntil: contract.UntilDOM}, {WaitFor: "#whole"}} {
		result := mustPrint(t, slot, Print{URL: web.URL, Load: load})
		testkit.Contains(t, testkit.PDFText(t, result.PDF), "FADED", "SLID", "PART", "MORE")
		if got := pixels(t, result.PDF); got != 1 {
			t.Errorf("%+v: %d pictures on paper, want 1", load, got)
		}
		picture, _ := mustCapture(t, slot, Capture{URL: web.URL, Load: load, Options: contract.Image{FullPage: true}})
		shows(t, picture, 25, 3025, red)
		if !hasInk(picture, 3060, 3120) {
			t.Errorf("%+v: what fades in is not on the picture", load)
		}
	}
}

// What fades in after loading is there, with script or without, whether or not the page fits into the window. An endless animation does not hold up
// the job.
func TestFadesInAtLoad(t *testing.T) {
	testkit.Long(t)
	html := func(height, script string) string {
		return `<!doctype html><style>@keyframes in { from { opacity: 0; background: #f00 } } @keyframes round { to { rotate: 1turn } }
			.hero { animation: in 60s 5s both; background: #00f; height: 50px; margin: 0 } i { animation: round 9s infinite }</style>
			<body style="margin: 0"><p class="hero">HERO</p><i>ROUND</i><div style="height: ` + height + `"></div>` + script
	}
	pages := pagetest.Pages{
		"/low": html("10px", "<script>1</script>"), "/high": html("3000px", "<script>1</script>"),
		"/low-plain": html("10px", ""), "/high-plain": html("3000px", ""),
		"/again": html("10px", `<script>const hero = document.querySelector(".hero"); hero.style.animation = "none"
			const fade = next => { hero.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 60000, fill: "both" }).onfinish = next }; fade(() => fade(null))</script>`),
	}
	web := pagetest.NewWeb(t, pages)
	slot := openSlot(t)
	onPaper := func(job Print) {
		t.Helper()
		shows(t, paper(t, mustPrint(t, slot, job).PDF, 1), 300, 45, blue)
	}
	inImage := func(job Capture) {
		t.Helper()
		picture, _ := mustCapture(t, slot, job)
		shows(t, picture, 500, 25, blue)
	}
	for path := range pages {
		onPaper(Print{URL: web.URL + path})
		inImage(Capture{URL: web.URL + path})
		inImage(Capture{URL: web.URL + path, Options: contract.Image{FullPage: true}})
	}
	onPaper(Print{HTML: pages["/low-plain"].(string), Full: true})
	inImage(Capture{HTML: pages["/low-plain"].(string), Full: true})
}

// Loading started by the look below the fold does not hold up the job for ever.
func TestLookEnds(t *testing.T) {
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/feed": onView + `<div style="height: 3000px">FEED</div><p id="end"></p><script>
			const more = () => { document.body.append(Object.assign(document.createElement("div"), { style: "height: 3000px" }), end); onView(end, more) }
			onView(end, more)</script>`,
		"/stream": onView + `<div style="height: 3000px">STREAM</div><p id="end"></p><script>onView(end, () => fetch("/stuck"))</script>`,
		"/stuck":  pagetest.NoAnswer,
	})
	slot := openSlot(t)
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/feed"}), "FEED")
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/stream", Load: contract.Load{Timeout: time.Duration(2e9).Milliseconds()}}), "STREAM")
}

// A stream of events, which lasts as long as its page, is not waited for.
func TestEventStream(t *testing.T) {
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": `<p>SHOWN</p><script>new EventSource("/stream"); requestAnimationFrame(() => new EventSource("/stream"))
			fetch("/events"); requestAnimationFrame(() => fetch("/events", { method: "POST" }))</script>`,
		"/stream": pagetest.NoAnswer,
		"/events": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}),
	})
	slot := openSlot(t)
	for _, until := range []string{contract.UntilLoad, contract.UntilIdle} {
		result := mustPrint(t, slot, Print{URL: web.URL, Load: contract.Load{WaitUntil: until}})
		testkit.Contains(t, testkit.PDFText(t, result.PDF), "SHOWN")
		if result.Load > requestTimeout {
			t.Errorf("until %s: it took %v to load", until, result.Load)
		}
	}
}

// A page that scrolls in an inner box is as high as the content of the box.
func TestInnerScroller(t *testing.T) {
	testkit.Long(t)
	const content = `<p>TOP</p><div style="height: 4000px"></div><p>BOTTOM</p>`
	pages := pagetest.Pages{
		"/flex": `<style>html, body { height: 100%; margin: 0 } body { display: flex; flex-direction: column; overflow: hidden }</style>
			<header style="flex: none">HEAD</header><main style="flex: 1; overflow: auto; min-height: 0">` + content + `</main>`,
		"/grid": `<body style="margin: 0; height: 100vh; display: grid; grid-template: auto 1fr / 150px 1fr; overflow: hidden">
			<header style="grid-column: 1 / 3">HEAD</header><nav>nav</nav><main style="overflow-y: scroll">` + content + `</main>`,
		"/fixed": `<body style="margin: 0"><header style="position: fixed; top: 0; height: 50px">HEAD</header>
			<div style="position: fixed; inset: 50px 0 0 0; overflow: auto">` + content + `</div>`,
		"/absolute": `<body style="margin: 0"><div style="position: relative; height: 100vh; overflow: hidden"><p>HEAD</p>
			<div style="position: absolute; inset: 40px 0 0 0; overflow: auto">` + content + `</div></div>`,
		"/shadow": `<body style="margin: 0"><x-app><p>HEAD</p>` + content + `</x-app><script>
			document.querySelector("x-app").attachShadow({ mode: "open" }).innerHTML =
				'<div style="position: absolute; inset: 0; display: flex"><div style="flex: 1; overflow: auto"><slot></slot></div></div>'</script>`,
		"/contained": `<body style="margin: 0"><div style="position: absolute; inset: 0; contain: strict"><p>HEAD</p>
			<div style="height: 90vh; container-type: size"><div style="height: 100%; overflow: auto">` + content + `</div></div></div>`,
		"/later": `<body style="margin: 0"><div id="app"><p>HEAD</p>` + content + `</div><script>
			setTimeout(() => app.style.cssText = "position: absolute; inset: 0; overflow: auto", 700)</script>`,
		"/hidden": `<style>html, body { margin: 0; height: 100%; overflow: hidden }</style><div style="height: 100vh; overflow: hidden">
			<div style="transform: translate3d(0, 0, 0)"><p>HEAD</p>` + content + `</div></div>`,
		"/window": `<style>html { position: fixed; inset: 0; overflow: hidden } body { margin: 0; height: 100vh; overflow: hidden }</style><p>HEAD</p>` + content,
		"/frame":  `<body style="margin: 0"><p>HEAD</p><iframe src="/frame/content" style="border: 0; width: 100%; height: 90vh"></iframe>`,
		"/frames": `<p>HEAD</p><div style="position: absolute; inset: 50px 0 0 0; overflow: hidden"><iframe src="/frame/content" style="width: 100%; height: 100%"></iframe></div>`,
		"/margin": `<p>HEAD</p><div style="height: 90vh; overflow: auto">` + content + `</div>`,
		"/viewer": `<p>HEAD TOP</p><main style="height: 90vh; overflow: auto"><div style="height: 4000px"></div><p id="end">&nbsp;</p></main><script>
			const box = document.querySelector("main")
			box.onscroll = () => { if (end.getBoundingClientRect().top < box.getBoundingClientRect().bottom) end.textContent = "BOTTOM" }</script>`,
		"/snap": `<div style="height: 100vh; overflow: auto; scroll-snap-type: y mandatory"><p>HEAD</p>` + content + `</div>`,
		"/parts": `<p>HEAD TOP</p><main style="height: 100vh; overflow: auto"><x-list></x-list></main><script>
			document.querySelector("x-list").attachShadow({ mode: "open" }).innerHTML = "<p>line</p>".repeat(200) + "<p>BOTTOM</p>"</script>`,
		"/child": `<body style="margin: 0"><main style="position: relative; height: 100vh; overflow: auto"><div style="position: absolute; top: 0; left: 0; right: 0">
			<div style="position: absolute; width: 100%"><p>HEAD</p>` + content + `</div></div></main>`,
		"/body": `<style>html { height: 100%; overflow: hidden } body { margin: 0; height: 100%; overflow: auto }</style><p>HEAD` + content,
	}
	text := strings.Repeat("<p>"+strings.Repeat("words of a paragraph ", 40)+"</p>", 70)
	for name, wide := range map[string]string{
		"cards": `<div style="display: flex">` + strings.Repeat(`<div style="flex: 1; min-width: 150px">CARD</div>`, 4) + `</div>`,
		"image": `<svg width="600" height="50"></svg>`, "address": `<p>` + strings.Repeat("x", 90) + `</p>`,
		"table": `<div style="overflow: auto"><table><tr>` + strings.Repeat(`<td>Column`, 15) + `</table></div>`,
		"code":  `<pre>` + strings.Repeat("words of code ", 15) + `</pre>`,
	} {
		all := `<p>TOP</p>` + wide + text + `<p>BOTTOM</p>`
		pages["/flex/"+name] = `<body style="margin: 0"><div style="display: flex; height: 100vh"><nav style="width: 200px">HEAD</nav><main style="flex: 1; overflow-y: auto">` + all
		pages["/grid/"+name] = `<body style="margin: 0"><div style="display: grid; grid-template-columns: 200px 1fr; height: 100vh"><nav>HEAD</nav><main style="overflow: auto">` + all
		pages["/outer/"+name] = `<body style="margin: 0"><div style="display: flex; height: 100vh"><nav style="width: 200px">HEAD</nav>
			<div style="flex: 1; overflow: hidden; display: grid"><main style="contain: strict; overflow: auto">` + all
	}
	paths := slices.Collect(maps.Keys(pages))
	pages["/frame/content"] = content
	web := pagetest.NewWeb(t, pages)
	slot := openSlot(t)
	for _, path := range paths {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		testkit.Contains(t, testkit.PDFText(t, result.PDF), "HEAD", "TOP", "BOTTOM")
		if result.Pages < 4 || len(result.Warnings) > 0 {
			t.Errorf("%s: %d pages, warnings %v", path, result.Pages, result.Warnings)
		}
		picture, image := mustCapture(t, slot, Capture{URL: web.URL + path, Options: contract.Image{FullPage: true}})
		if image.Height < 4000 || !hasInk(picture, 4000, image.Height) {
			t.Errorf("%s: the picture is %d high, its end has text: %v", path, image.Height, hasInk(picture, 4000, image.Height))
		}
	}
	web = pagetest.NewWeb(t, pagetest.Pages{
		"/painted": `<main style="height: 100vh; overflow: auto">` + strings.Repeat(`<div style="height: 200px; margin: 9px; background: #00f"></div>`, 20) + `</main><script>1</script>`,
		"/fields":  `<main style="height: 100vh; overflow: auto">` + strings.Repeat(`<textarea style="display: block; height: 100px"></textarea>`, 40) + `</main><script>1</script>`,
		"/before":  `<style>p::before { content: "line" } p { height: 100px }</style><main style="height: 100vh; overflow: auto">` + strings.Repeat(`<p></p>`, 40) + `</main><script>1</script>`,
	})
	for _, path := range []string{"/painted", "/fields", "/before"} {
		if result := mustPrint(t, slot, Print{URL: web.URL + path}); result.Pages < 4 || len(result.Warnings) > 0 {
			t.Errorf("%s: %d pages, warnings %v", path, result.Pages, result.Warnings)
		}
	}
	// A box that is not the only part of the page, and one in an ordinary page, stay unchanged. So do those that draw only what is seen.
	web = pagetest.NewWeb(t, pagetest.Pages{
		"/beside": `<body style="margin: 0; display: flex; height: 100vh"><main style="flex: 1">MAIN</main><div style="width: 40%; overflow: auto">` + content,
		"/list":   `<body style="margin: 0"><div style="height: 200px; overflow: auto">` + content + `</div><div style="height: 2000px">AFTER`,
		"/map":    `<body style="margin: 0"><div style="height: 100vh; overflow: hidden; position: relative"><div style="position: absolute; top: 0">` + content + `</div></div>`,
		"/set":    `<frameset cols="200,*"><frame src="/links"><frameset><frame src="/inner"></frameset></frameset>`, "/links": strings.Repeat(`<p><a href="/">line</a></p>`, 99),
		"/inner": `<frameset><frame src="/content"></frameset>`, "/content": content, "/links-only": `<frameset cols="*"><frame src="/links"></frameset>`,
		"/menu":   `<body style="margin: 0"><p>MAIN</p><nav style="position: fixed; top: 0; right: 100%; width: 100%; height: 100vh; overflow: auto">` + content + `</nav>`,
		"/side":   `<body style="margin: 0"><p style="margin-left: 300px">MAIN</p><nav style="position: fixed; inset: 0 auto 0 0; width: 250px; overflow: auto">` + content + `</nav>`,
		"/closed": `<body style="margin: 0"><p>MAIN</p><nav style="position: fixed; inset: 0; opacity: 0; overflow: auto">` + content + `</nav>`,
		"/faint":  `<body style="margin: 0"><div style="height: 100vh; overflow: hidden">MAIN<div style="height: 2000px"></div><p style="visibility: hidden">FAINT</div>`,
		"/large":  `<body style="margin: 0"><div style="height: 80vh; overflow: auto">` + content + `</div><div style="height: 50vh">AFTER`,
		"/rows":   `<body style="margin: 0"><div style="height: 100vh; overflow: auto"><p>ROW</p><div style="height: 9000px"></div></div><script>1</script>`,
		"/still":  `<body style="margin: 0"><div style="height: 100vh; overflow: auto"><p>ROW</p><div style="height: 9000px"></div></div>`,
		"/last":   `<body style="margin: 0"><div style="height: 100vh; overflow: auto"><div style="height: 9000px"></div><p>ROW</p></div><script>document.querySelector("div").scrollTop = 1e6</script>`,
		"/editor": `<body style="margin: 0"><div style="position: relative; height: 80vh"><div style="position: absolute; inset: 0; overflow: scroll"><div style="height: 9000px"></div></div>
			<p style="position: relative">ROW</p></div><script>1</script>`,
	})
	for _, path := range []string{"/beside", "/list", "/large", "/rows", "/still", "/last", "/editor", "/set"} {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		if len(result.Warnings) != 1 || result.Warnings[0].Code != contract.PageCut || result.Pages > 3 {
			t.Errorf("%s, a box that is cut: %d pages, warnings %v", path, result.Pages, result.Warnings)
		}
	}
	for _, path := range []string{"/map", "/menu", "/side", "/closed", "/faint", "/links-only"} {
		if result := mustPrint(t, slot, Print{URL: web.URL + path}); len(result.Warnings) != 0 || result.Pages > 3 {
			t.Errorf("%s, a box in an ordinary page: %d pages, warnings %v", path, result.Pages, result.Warnings)
		}
	}
}

// Documents other than HTML, and pages that shadow the browser's own names, are printed, too.
func TestUnusualDocuments(t *testing.T) {
	testkit.Long(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/svg":      typed("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="3000"><text y="20">SHOWN</text><script>1</script></svg>`),
		"/xml":      typed("application/xml", `<r><t xmlns="http://www.w3.org/1999/xhtml">SHOWN</t></r>`),
		"/text":     typed("text/plain", "SHOWN "+strings.Repeat("x", 500)),
		"/frames":   typed("text/html; charset=utf-8", `<frameset cols="50%,50%"><frame src="/text"><frame src="/text"></frameset>`),
		"/clobbers": typed("text/html", `<img name="body"><img name="documentElement"><img name="images"><form name="styleSheets"></form><div style="width: 3000px">SHOWN<script>1</script></div>`),
		"/quirks":   typed("text/html", `<html style="overflow: hidden"><body style="overflow: auto; height: 100%">SHOWN<div style="height: 3000px"><script>1</script>`),
	})
	slot := openSlot(t)
	for _, path := range []string{"/svg", "/xml", "/text", "/frames", "/clobbers", "/quirks"} {
		for _, o := range []contract.Paper{{}, {Scale: 0.8, SizeGiven: true, MarginTop: "0", MarginRight: "0", MarginBottom: "0", MarginLeft: "0"}} {
			if result, err := slot.Print(t.Context(), Print{URL: web.URL + path, Options: o}); err != nil {
				t.Errorf("print %s: %v", path, err)
			} else if path != "/frames" {
				testkit.Contains(t, testkit.PDFText(t, result.PDF), "SHOWN")
			}
		}
		if _, err := slot.Capture(t.Context(), Capture{URL: web.URL + path, Options: contract.Image{FullPage: true}}); err != nil {
			t.Errorf("capture %s: %v", path, err)
		}
	}
}

// A page that an XSLT stylesheet makes shows that page alone: browsers cover it with a warning about XSLT.
func TestStylesheetOfXML(t *testing.T) {
	const style = `<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform">` +
		`<x:template match="/"><html><body><p>SHOWN <x:value-of select="/r"/></p></body></html></x:template></x:stylesheet>`
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/":      typed("application/xml", `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/style"?><r>too</r>`),
		"/style": typed("application/xml", style),
	})
	if text := strings.TrimSpace(printed(t, openSlot(t), Print{URL: web.URL})); text != "SHOWN too" {
		t.Errorf("%q", text)
	}
}
