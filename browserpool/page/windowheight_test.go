package page

import (
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// The look below the fold, in a window of many pages' height, leaves what script sizes by the window's height as it was, while what draws when it is
// scrolled to is drawn.
func TestHeightOfTheWindow(t *testing.T) {
	t.Parallel()
	const boxes = `<!doctype html><style>body { margin: 0 } .box { height: 80vh }</style>` +
		`<div class="box"></div><div class="box"></div><div class="box"></div><p id="late"></p><p>END</p>` +
		`<script>addEventListener("scroll", () => { if (late.getBoundingClientRect().top < innerHeight) late.textContent = "LATE" })
		const all = [...document.querySelectorAll(".box")]`
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/resize": boxes + `
			const draw = () => all.forEach(e => e.style.height = innerHeight * 0.8 + "px")
			addEventListener("resize", draw)
			draw()</script>`,
		"/own": boxes + `
			late.textContent = "EARLY" // the page's own events reach its handlers
			addEventListener("resize", { handleEvent(event) { if (event.isTrusted) all.forEach(e => e.style.height = "9000px"); else late.textContent = "LATE" } })
			addEventListener("scroll", () => dispatchEvent(new Event("resize")))</script>`,
		"/timer": boxes + `
			onresize = () => setTimeout(() => all.forEach(e => e.style.height = innerHeight * 0.8 + "px"), 100)</script>`,
		"/canvas": boxes + `
			for (const e of all) {
				const canvas = e.appendChild(document.createElement("canvas"))
				canvas.style.display = "block"
				new ResizeObserver(() => setTimeout(() => canvas.style.height = e.clientHeight + "px", 100)).observe(e)
			}</script>`,
		"/minimum": boxes + `
			for (const e of all) { // never smaller again
				const chart = e.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"))
				chart.style.display = "block"
				new ResizeObserver(() => chart.style.minHeight = chart.style.height = e.clientHeight + "px").observe(e)
			}</script>`,
	})
	slot := openSlot(t)
	// A page is higher than the window, which is as high as wide: what script has set is smaller on paper.
	for path, pages := range map[string]int{"/resize": 2, "/own": 3, "/timer": 3, "/canvas": 3, "/minimum": 3} {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		text := testkit.PDFText(t, result.PDF)
		testkit.Contains(t, text, "END")
		if path != "/timer" { // its boxes are higher, as there are no drawings in them
			testkit.Contains(t, text, "LATE")
		}
		if result.Pages != pages {
			t.Errorf("%s: %d pages, want %d", path, result.Pages, pages)
		}
	}
}

// What script makes as high as the window is on one page of paper, upright and across, whether or not it is shrunk to that.
func TestWindowOnOnePage(t *testing.T) {
	t.Parallel()
	const slide = `<div class="slide">SLIDE</div>`
	html := func(width string) string {
		return `<style>body { margin: 0 } .slide { break-after: page; width: ` + width + ` }</style>` + slide + slide +
			`<script>for (const e of document.querySelectorAll(".slide")) e.style.height = innerHeight + "px"</script>`
	}
	slot := openSlot(t)
	for _, width := range []string{"auto", "1600px"} {
		for _, o := range []contract.Paper{{}, {Landscape: true}, {Landscape: true, Scale: 0.8}, {Landscape: true, MarginTop: "0", MarginBottom: "0"}} {
			if pages := mustPrint(t, slot, Print{HTML: html(width), Full: true, Options: o}).Pages; pages != 2 {
				t.Errorf("%s wide, %+v: %d pages, want 2", width, o, pages)
			}
		}
	}
}

// A chart whose drawings are placed in it, one or several layers, is on one page.
func TestLayersStayTogether(t *testing.T) {
	t.Parallel()
	const layer, chart = `<svg style="position: absolute; top: 0; left: 0" width="300" height="600">`, `<div style="position: relative; width: 400px; height: 600px">`
	const first, last = `<text x="9" y="20">FIRST</text>`, `<text x="9" y="590">LAST</text>`
	for name, drawn := range map[string]string{
		"two layers": chart + layer + first + `</svg>` + layer + last + `</svg></div>`,
		"one":        chart + layer + first + last + `</svg></div>`,
		"in a box":   chart + `<div style="position: absolute; inset: 0">` + layer + first + last + `</svg></div></div>`,
	} {
		text := testkit.PDFText(t, mustPrint(t, openSlot(t), Print{HTML: `<div style="height: 700px">TEXT</div>` + drawn, Full: true}).PDF)
		if pages := strings.Split(text, "\f"); len(pages) != 3 || !strings.Contains(pages[1], "FIRST") || !strings.Contains(pages[1], "LAST") {
			t.Errorf("%s: %q", name, pages)
		}
	}
}
