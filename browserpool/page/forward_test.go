package page

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// growing is the beginning of a page that draws a bar on a canvas, and says whether it has its whole length.
const growing = `<!doctype html><body style="margin: 0"><canvas id="c" width="700" height="50" style="display: block"></canvas><p id="out"></p><script>
	const bar = (t, most) => { const d = c.getContext("2d"); d.fillStyle = "#00f"; d.clearRect(0, 0, 700, 50); d.fillRect(0, 0, 700 * Math.min(1, t / most), 50) }
	const draw = (t, most) => { bar(t, most); out.textContent = t < most ? "EARLY" : "LAST" };`

// A chart that grows has grown, on paper and in an image.
func TestChartsHaveGrown(t *testing.T) {
	web := pagetest.NewWeb(t, pagetest.Pages{"/": growing + `out.textContent = "LAST"; const begin = performance.now()
		const step = () => { const t = performance.now() - begin; bar(t, 1800); if (t < 1800) requestAnimationFrame(step) }; step()</script>`})
	checkLast(t, openSlot(t), web.URL, false)
}

// checkLast checks that a bar has its whole length, on paper and in an image.
func checkLast(t *testing.T, slot *slot, url string, whole bool) {
	t.Helper()
	pdf := mustPrint(t, slot, Print{URL: url}).PDF
	testkit.Contains(t, testkit.PDFText(t, pdf), "LAST")
	shows(t, paper(t, pdf, 1), 540, 45, blue)
	picture, _ := mustCapture(t, slot, Capture{URL: url, Options: contract.Image{FullPage: whole}})
	shows(t, picture, 690, 25, blue)
}

// What script moves is at its end: by timers, or by frames and any of three clocks; at once, after a pause, after a response, or when it is seen.
func TestScriptComesToRest(t *testing.T) {
	testkit.Long(t)
	byFrames := func(clock string) string {
		return growing + `const begin = ` + clock + `; const step = () => { const t = ` + clock + ` - begin; draw(t, 1800); if (t < 1800) requestAnimationFrame(step) }; step()</script>`
	}
	pages := pagetest.Pages{
		"/performance": byFrames("performance.now()"),
		"/date":        byFrames("Date.now()"),
		"/frames":      growing + `let begin; requestAnimationFrame(function step(t) { begin ??= t; draw(t - begin, 1500); if (t - begin < 1500) requestAnimationFrame(step) })</script>`,
		"/messages": growing + `const { port1, port2 } = new MessageChannel(); port1.onmessage = e => draw(e.data, 1500)
			let begin; requestAnimationFrame(function step(t) { begin ??= t; port2.postMessage(t - begin); if (t - begin < 1500) requestAnimationFrame(step) })</script>`,
		"/pause": growing + `draw(0, 1); let begin; requestAnimationFrame(function step(t) {
			begin ??= t; if (t - begin > 400) draw(t - begin, 1500); if (t - begin < 1500) requestAnimationFrame(step) })</script>`,
		"/mixed": growing + `draw(0, 1); let begin = performance.now(); const pause = now => now - begin < 900 ? requestAnimationFrame(pause) :
			(begin = performance.now(), requestAnimationFrame(step)), step = now => (draw(now - begin, 900), now - begin < 900 && requestAnimationFrame(step)); pause(0)</script>`,
		"/kept": growing + `draw(0, 1); let begin; const kept = requestAnimationFrame
			kept(function step(t) { begin ??= t; draw(t - begin, 1500); if (t - begin < 1500) kept(step) })</script>`,
		"/framed": `<!doctype html><body style="margin: 0"><iframe src="/frames" style="width: 700px; height: 100px; border: 0; display: block"></iframe><iframe src="/later" hidden>`,
		"/timers": growing + `let n = 0; const timer = setInterval(() => { draw(++n, 60); if (n == 60) clearInterval(timer) }, 40)</script>`,
		"/later":  growing + `draw(0, 1); setTimeout(() => draw(1, 1), 700)</script>`,
		"/resize": growing + `draw(1, 1); onresize = () => draw(0, 1)</script><div style="height: 3000px">`, // of which it is not told
		"/slow":   growing + `draw(0, 1); setTimeout(async () => { await fetch("/picture"); setTimeout(() => draw(1, 1), 900) }, 300)</script>`,
		"/fetch":  growing + `draw(0, 1); setTimeout(async () => { await fetch("/part"); setTimeout(() => draw(1, 1), 300) }, 300)</script>`,
	}
	part := pagetest.Pages{"/part": typed("text/plain", "PART"), "/picture": after(700 * time.Millisecond)}
	maps.Copy(part, pages)
	web := pagetest.NewWeb(t, part)
	slot := openSlot(t)
	for path := range pages {
		t.Log(path)
		checkLast(t, slot, web.URL+path, true)
	}
}

// What script requests by itself is there, on paper and in an image: data, pictures after the load event, pictures after data; and on paper what it
// requests when it is printed. The clock that was put forward does not stop what arrives.
func TestRequestsOfScript(t *testing.T) {
	testkit.Long(t)
	const (
		ticks   = `const ticks = setInterval(() => 0, 100);`
		picture = `const show = () => { const i = new Image(50, 50); i.src = "/picture?" + Math.random(); document.body.prepend(i) };`
	)
	page := func(script string) string {
		return `<!doctype html><body style="margin: 0"><p id="p"></p><script>` + picture + script + `</script>`
	}
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/data":    page(`fetch("/data.txt").then(r => r.text()).then(text => p.textContent = text).then(show)`),
		"/later":   page(`onload = () => setTimeout(async () => p.textContent = await (await fetch("/data.txt")).text(), 10); show()`),
		"/loaded":  page(`onload = () => { show(); p.textContent = "DATA" }`),
		"/timer":   page(`onload = () => setTimeout(() => { show(); p.textContent = "DATA" }, 10)`),
		"/after":   page(ticks + `onload = () => setTimeout(() => { show(); p.textContent = "DATA" }, 600)`),
		"/open":    page(ticks + `fetch("/stuck"); onload = () => setTimeout(() => { show(); p.textContent = "DATA" }, 600)`),
		"/print":   page(ticks + `onbeforeprint = show; p.textContent = "DATA"`),
		"/beacon":  page(ticks + `onbeforeprint = () => { show(); const i = new Image(9, 9); i.src = "/stuck"; document.body.append(i) }; p.textContent = "DATA"`),
		"/stuck":   pagetest.NoAnswer,
		"/picture": after(300 * time.Millisecond),
		"/data.txt": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-time.After(700 * time.Millisecond)
			_, _ = w.Write([]byte("DATA"))
		}),
	})
	slot := openSlot(t)
	for path, byItself := range map[string]bool{"/data": true, "/later": true, "/loaded": true, "/timer": true, "/after": true, "/open": false, "/print": false, "/beacon": false} {
		t.Log(path)
		job := Print{URL: web.URL + path, PrintTimeout: unhurried}
		pdf := mustPrint(t, slot, job).PDF
		testkit.Contains(t, testkit.PDFText(t, pdf), "DATA")
		if got := pixels(t, pdf); got != 1 {
			t.Errorf("%s: %d pictures on paper, want 1", path, got)
		}
		if byItself {
			picture, _ := mustCapture(t, slot, Capture{URL: job.URL})
			shows(t, picture, 25, 25, red)
		}
	}
}

// A page whose script never rests is shown as it is. What it does only after some seconds has not happened.
func TestScriptWithoutRest(t *testing.T) {
	testkit.Long(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/frames":   `<p>SHOWN</p><script>(function step() { requestAnimationFrame(step) })()</script>`,
		"/changes":  `<p id="p">SHOWN</p><script>(function step(t) { p.title = t; requestAnimationFrame(step) })()</script>`,
		"/zero":     `<p>SHOWN</p><script>(function step() { setTimeout(step) })()</script>`,
		"/messages": `<p>SHOWN</p><script>const { port1, port2 } = new MessageChannel(); port1.onmessage = () => port2.postMessage(0); port2.postMessage(0)</script>`,
		"/polls":    `<p>SHOWN</p><script>setInterval(() => fetch("/part"), 50)</script>`,
		"/waits":    `<p>SHOWN</p><script>setInterval(() => fetch("/stuck"), 50)</script>`,
		"/popup":    `<p>SHOWN</p><script>setTimeout(() => document.body.innerHTML = "POPUP", 4000); (function step() { requestAnimationFrame(step) })()</script>`,
		"/leaves":   `<p>BEFORE</p><script>setTimeout(() => location = "/arrived", 300)</script>`,
		"/arrived":  `<p>SHOWN</p>`,
		"/part":     typed("text/plain", "PART"),
		"/stuck":    pagetest.NoAnswer,
	})
	slot := openSlot(t)
	for _, path := range []string{"/frames", "/changes", "/zero", "/messages", "/polls", "/waits", "/popup", "/leaves"} {
		t.Log(path)
		testkit.Contains(t, printed(t, slot, Print{URL: web.URL + path}), "SHOWN")
	}
}

// A page without timers keeps its clock, so that another job may follow on it; on one whose clock was put forward none does.
func TestClockOfAVisit(t *testing.T) {
	const utf8 = "text/html; charset=utf-8"
	v := openVisits(t, pagetest.Pages{
		"/plain":  typed(utf8, `<p>SHOWN</p>`),
		"/script": typed(utf8, `<p id="moving"></p><script>moving.textContent = "SHOWN"</script>`),
		"/timer":  typed(utf8, `<p id="p"></p><script>setTimeout(() => p.textContent = "SHOWN", 10)</script>`),
	})
	for path, kept := range map[string]bool{"/plain": true, "/script": true, "/timer": false} {
		testkit.Contains(t, v.print(Print{URL: v.url + path}), "SHOWN")
		v.follows(path, kept)
	}
}
