package page

import (
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Paper shows what canvases of WebGL show: drawn once or with each frame, below the fold, under text, in a shadow tree, whatever images the page
// allows. What is around them stays.
func TestWebGLOnPaper(t *testing.T) {
	testkit.Long(t)
	const canvas = `<canvas id="c" width="700" height="50" style="display: block"></canvas>`
	const filling = `<script>const gl = (self.c ?? x.shadowRoot.querySelector("canvas")).getContext("webgl")
		const draw = () => { gl.clearColor(0, 0, 1, 1); gl.clear(gl.COLOR_BUFFER_BIT) }; draw()</script>`
	pages := pagetest.Pages{
		"/once":   canvas + filling,
		"/loop":   canvas + filling + `<script>(function step() { draw(); requestAnimationFrame(step) })()</script>`,
		"/under":  `<div style="position: relative">` + canvas + `<b style="position: absolute; left: 9px; top: 9px">LABEL</b></div>` + filling,
		"/csp":    `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; style-src 'unsafe-inline'">` + canvas + filling,
		"/shadow": `<div id="x"></div><script>x.attachShadow({ mode: "open" }).innerHTML = '<canvas width="700" height="50" style="display: block"></canvas>'</script>` + filling,
	}
	for path, page := range pages {
		pages[path] = `<!doctype html><meta charset="utf-8"><body style="margin: 0">` + page.(string) + `<p>AFTER</p>`
	}
	pages["/below"] = `<!doctype html><body style="margin: 0"><div style="height: 3000px"></div>` + canvas + filling + `<p>AFTER</p>`
	web := pagetest.NewWeb(t, pages)
	slot := openSlot(t)
	for path := range pages {
		t.Log(path)
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		text := testkit.PDFText(t, result.PDF)
		testkit.Contains(t, text, "AFTER")
		y := 50
		if path == "/below" {
			y = 720
		}
		shows(t, paper(t, result.PDF, result.Pages), 500, y, blue)
		if path == "/under" && strings.Count(text, "LABEL") != 1 {
			t.Errorf("the text of the page under text is %q", text)
		}
	}
}

// A page that is busy while its canvases are captured is printed without them, and with a warning.
func TestCanvasesOfABusyPage(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<!doctype html><meta charset="utf-8"><p>BEFORE</p><canvas id="c"></canvas><p>AFTER</p><script>
		c.getContext("webgl").clear(0)
		const busy = new MutationObserver(() => { busy.disconnect(); for (const end = Date.now() + 13_000; Date.now() < end;); })
		busy.observe(c, { attributes: true })</script>`})
	result := mustPrint(t, openSlot(t), Print{URL: web.URL})
	testkit.Contains(t, testkit.PDFText(t, result.PDF), "BEFORE", "AFTER")
	if len(result.Warnings) != 1 || result.Warnings[0].Detail != canvasMissing {
		t.Errorf("warnings %v", result.Warnings)
	}
}

// Script of a page finds nothing of the pictures: they may have pixels of other origins, which the page shows over its canvas.
func TestPicturesAreNotRead(t *testing.T) {
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<!doctype html><meta charset="utf-8"><body><canvas></canvas><p>AFTER</p><script>
		const gl = document.querySelector("canvas").getContext("webgl"); gl.clearColor(0, 0, 1, 1); gl.clear(gl.COLOR_BUFFER_BIT)
		let found = false
		const read = () => {
			for (const e of [...document.querySelectorAll("*")].flatMap(e => e.shadowRoot ? [e, ...e.shadowRoot.querySelectorAll("*")] : [e])) {
				if (!found && (e instanceof HTMLImageElement || e instanceof HTMLCanvasElement && e.getContext("2d") || getComputedStyle(e).backgroundImage != "none"))
					document.body.append(found = "READ")
			}
		}
		onbeforeprint = read; new MutationObserver(read).observe(document, { childList: true, subtree: true }); (function step() { read(); requestAnimationFrame(step) })()
	</script>`})
	slot := openSlot(t)
	result := mustPrint(t, slot, Print{URL: web.URL})
	text := testkit.PDFText(t, result.PDF)
	testkit.Contains(t, text, "AFTER")
	if strings.Contains(text, "READ") {
		t.Error("a script reads the picture of its canvas")
	}
}

// Too large canvases are left out, with a warning; the largest is there.
func TestLargeCanvases(t *testing.T) {
	testkit.Long(t)
	page := func(width, height string) string {
		return `<!doctype html><body style="margin: 0"><canvas id="c" style="width: ` + width + `px; height: ` + height + `px; display: block"></canvas>
			<script>const gl = c.getContext("webgl"); gl.clearColor(0, 0, 1, 1); gl.clear(gl.COLOR_BUFFER_BIT)</script>`
	}
	web := pagetest.NewWeb(t, pagetest.Pages{"/largest": page("512", "8192"), "/larger": page("512", "8193")})
	slot := openSlot(t)
	for path, want := range map[string]int{"/largest": 0, "/larger": 1} {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		if len(result.Warnings) != want || want > 0 && result.Warnings[0].Code != contract.PageCut {
			t.Errorf("%s: warnings %v", path, result.Warnings)
		}
	}
}
