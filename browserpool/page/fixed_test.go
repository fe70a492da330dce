package page

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Bars that are fixed to the window are printed once, and cover nothing, nor in a high image. What was made for paper is on every page.
func TestFixedBars(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	const head, low = `<div id="head" style="position: fixed; top: 0; left: 0; right: 0; height: 60px; background: #246">HEAD</div>`,
		`<div style="position: fixed; bottom: 0; left: 0; right: 0"><div style="background: #eee; padding: 20px">BAR</div></div>`
	lines := ""
	for range 90 {
		lines += "<p>LINE</p>"
	}
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/bars":   `<body style="margin: 0; padding-top: 60px">` + head + low + lines,
		"/inner":  `<body style="margin: 0; padding-top: 60px"><main style="position: relative; margin: 30px; transform: scale(1)">` + lines + `</main>` + low + head,
		"/dialog": head + lines + `<div style="position: fixed; top: 40%; left: 5%; width: 50%; height: 200px; background: #eee">BAR</div>`,
		"/row":    `<body style="margin: 0; padding-top: 60px">` + head + lines + `<div style="display: flex">` + low + `</div>`,
		"/cell":   `<body style="margin: 0; padding-top: 60px"><div style="display: grid">` + low + head + `</div>` + lines,
		"/restored": `<body style="margin: 0; padding-top: 60px">` + head + lines + low + `<script>new ResizeObserver(() => document.querySelectorAll("body > div").forEach(e => e.style.position = "fixed"))` +
			`.observe(document.body)</script>`,
		"/sticky":  `<body style="margin: 0; padding-top: 60px">` + head + lines + strings.Replace(low, "fixed; bottom: 0; left: 0; right: 0", "sticky; bottom: 0", 1),
		"/one":     `<body style="margin: 0; padding-top: 60px">` + head + low + "LINE",
		"/rule":    `<style>#head { color: red } @media screen, print { #head { position: fixed } }</style>` + head + low + lines,
		"/breaks":  head + low + strings.ReplaceAll(lines, "<p>", `<p style="break-after: page; padding-top: 80px">`),
		"/spacer":  head + low + `<table><thead><tr><td style="height: 60px">&nbsp;</td></tr></thead><tr><td>` + lines + `</td></tr></table>`,
		"/corner":  `<div style="position: fixed; bottom: 0; right: 0; background: #fda">HEAD</div>` + lines,
		"/mark":    `<div style="position: fixed; top: 5px; left: 30px; width: 300px; height: 60px; opacity: 0.2">HEAD</div>` + lines,
		"/through": strings.ReplaceAll(head, "#246", "rgba(0, 0, 0, 0.3)") + lines,
	})
	printing := func(job Print) (text string, pages int) {
		result := mustPrint(t, slot, job)
		return testkit.PDFText(t, result.PDF), result.Pages
	}
	for _, path := range []string{"/bars", "/inner", "/dialog", "/row", "/cell", "/restored", "/sticky"} {
		text, _ := printing(Print{URL: web.URL + path})
		if strings.Count(text, "HEAD") != 1 || strings.Count(text, "BAR") != 1 || strings.Count(text, "LINE") != 90 {
			t.Errorf("%s: %q", path, text)
		}
		if strings.Index(text, "HEAD") > strings.Index(text, "LINE") {
			t.Errorf("%s: the head is not at the top: %q", path, text)
		}
		if low := strings.Index(text, "BAR") > strings.LastIndex(text, "LINE"); !low && (path == "/row" || path == "/cell" || path == "/restored" || path == "/sticky") {
			t.Errorf("%s: the bar is not at the end: %q", path, text)
		}
	}
	whole, _ := mustCapture(t, slot, Capture{URL: web.URL + "/bars", Options: contract.Image{FullPage: true}})
	shows(t, whole, 500, 750, white)
	window, _ := mustCapture(t, slot, Capture{URL: web.URL + "/bars"})
	shows(t, window, 500, 750, color.RGBA{0xee, 0xee, 0xee, 255})
	for _, path := range []string{"/rule", "/breaks", "/spacer", "/corner", "/mark", "/through"} {
		if text, pages := printing(Print{URL: web.URL + path}); strings.Count(text, "HEAD") != pages {
			t.Errorf("%s: on %d of %d pages", path, strings.Count(text, "HEAD"), pages)
		}
	}
	for _, job := range []Print{{URL: web.URL + "/one"}, {URL: web.URL + "/bars", Options: contract.Paper{SinglePage: true}}} {
		if text, _ := printing(job); strings.Count(text, "HEAD") > 1 || !strings.Contains(text, "LINE") {
			t.Errorf("%s: %q", job.URL, text)
		}
	}
	if text, pages := printing(Print{HTML: head + lines, Full: true}); strings.Count(text, "HEAD") != pages {
		t.Errorf("a full document: on %d of %d pages", strings.Count(text, "HEAD"), pages)
	}
}

// A dialog is shown once and whole, and all of the page behind it as if there were none, even if the page cannot be scrolled meanwhile.
func TestOpenDialogs(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	const dialog, centred = `width: 400px; background: #fff; border: 2px solid #f00`, `position: %s; left: 50%%; top: 50%%; transform: translate(-50%%, -50%%); `
	veil := func(style, content string) string {
		return `<div style="position: fixed; inset: 0; background: rgba(0, 0, 0, 0.5); ` + style + `">` + content + `</div>`
	}
	box := func(style string) string { return `<div style="` + style + dialog + `">DIALOG</div>` }
	pages := pagetest.Pages{
		"/beside":  veil("", "") + box(fmt.Sprintf(centred, "fixed")),
		"/within":  veil("display: flex; align-items: center; justify-content: center", box("")),
		"/placed":  veil("", box(fmt.Sprintf(centred, "absolute"))),
		"/opacity": veil("background: #000; opacity: 0.5", "") + `<div style="position: fixed; inset: 0; overflow: auto">` + box("margin: 200px auto; height: 400px; ") + `</div>`,
		"/wall":    `<svg style="position: fixed; inset: 0; width: 100%; height: 100%; z-index: -1"><path d="M0 0h5000v5000H0z" fill="#fff"/></svg>` + box("position: fixed; left: 20px; top: 420px; "),
		"/tour":    `<svg style="position: fixed; inset: 0; width: 100%; height: 100%"><path d="M0 0h5000v5000H0z" opacity="0.7"/></svg>` + box("position: fixed; left: 20px; top: 420px; "),
		"/spot":    `<div style="position: absolute; top: 90px; width: 99px; height: 50px; box-shadow: rgba(0, 0, 0, 0.5) 0 0 0 5000px"></div>` + box("position: fixed; left: 20px; top: 420px; "),
		"/modal":   `<dialog id="d">DIALOG</dialog><script>d.showModal(); d.onclose = () => d.remove()</script>`,
	}
	for path, page := range pages {
		pages[path] = `<body style="margin: 0; position: fixed; width: 100%; overflow: hidden">` + strings.Repeat("<p>LINE</p>", 90) + page.(string)
	}
	pages["/scrolls"] = strings.Replace(pages["/beside"].(string), "position: fixed; width", "width", 1)
	web := pagetest.NewWeb(t, pages)
	for path := range pages {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		text := testkit.PDFText(t, result.PDF)
		if strings.Count(text, "DIALOG") != 1 || strings.Count(text, "LINE") != 90 {
			t.Errorf("%s: %q", path, text)
		}
		if strings.Index(text, "DIALOG") < strings.LastIndex(text, "LINE") {
			t.Errorf("%s: the dialog is over the text: %q", path, text)
		}
		shows(t, paper(t, result.PDF, 1), 5, 5, white)
		picture, _ := mustCapture(t, slot, Capture{URL: web.URL + path, Options: contract.Image{FullPage: true}})
		shows(t, picture, 900, 5, white)
	}
}

// A shadow within a box colours it and dims nothing else: stripes of tables stay.
func TestStripesStay(t *testing.T) {
	t.Parallel()
	const row = `<tr><td style="height: 60px; box-shadow: inset 0 0 0 9999px rgba(255, 0, 0, 0.99)">`
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<body style="margin: 0"><table style="width: 100%">` + strings.Repeat(row, 40) + `</table>`})
	result := mustPrint(t, openSlot(t), Print{URL: web.URL})
	near := func(c color.Color) bool { r, g, _, _ := c.RGBA(); return r > 0xf000 && g < 0x1000 }
	if at := paper(t, result.PDF, 1).At(200, 60); !near(at) {
		t.Errorf("a row is %v", at)
	}
}

// A modal dialog that scrolls is whole, and below a short page.
func TestModalDialogIsWhole(t *testing.T) {
	t.Parallel()
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<h1>PAGE</h1><dialog id="d">` + strings.Repeat("<p>row", 90) + `<p>END</dialog><script>d.showModal()</script>`})
	result := mustPrint(t, openSlot(t), Print{URL: web.URL})
	if text := testkit.PDFText(t, result.PDF); strings.Count(text, "row") != 90 || !strings.Contains(text, "END") || strings.Index(text, "PAGE") > strings.Index(text, "row") || len(result.Warnings) > 0 {
		t.Errorf("%q, warnings %v", text, result.Warnings)
	}
}

// What is placed in a dialog stays in it, and a bar above a veil stays at the top.
func TestDialogsKeepWhatTheyHold(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": strings.Repeat("<p>LINE</p>", 90) + `<div style="position: fixed; inset: 0; background: rgba(0, 0, 0, 0.5)"></div>
		<div style="position: fixed; left: 25%; top: 40%; width: 50%; height: 90px; background: #fff">DIALOG <b style="position: absolute; top: 60px; right: 9px">CLOSE</b></div>
		<div style="position: fixed; top: 0; left: 0; right: 0; height: 30px; background: #eee; z-index: 9">HEAD</div>`})
	text := printed(t, slot, Print{URL: web.URL})
	if strings.Index(text, "CLOSE") < strings.Index(text, "DIALOG") || strings.Index(text, "HEAD") > strings.Index(text, "LINE") {
		t.Errorf("%q", text)
	}
}

// A dialog in a shadow tree is there once, and dims nothing.
func TestDialogInShadowTree(t *testing.T) {
	slot := openSlot(t)
	const dialog = `<x-dialog><template shadowrootmode="open"><div style="position: fixed; inset: 0; display: flex; align-items: center"><div style="position: fixed; inset: 0; background: rgba(0, 0, 0, 0.5)"></div>
		<div style="position: relative; z-index: 1; margin: auto; padding: 99px; background: #fff">DIALOG <slot></slot></div></div></template>BODY</x-dialog>`
	web := pagetest.NewWeb(t, pagetest.Pages{"/": strings.Repeat("<p>LINE</p>", 90) + dialog})
	text := printed(t, slot, Print{URL: web.URL})
	if strings.Count(text, "DIALOG") != 1 || strings.Index(text, "BODY") < strings.LastIndex(text, "LINE") {
		t.Errorf("%q", text)
	}
}

// A toast in the middle of the lower edge is whole.
func TestToastIsWhole(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": strings.Repeat("<p>LINE</p>", 90) +
		`<div style="position: fixed; left: 50%; bottom: 9px; transform: translateX(-50%); width: 300px; background: #fff"><b>TOAST</b> saved</div>`})
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL}), "TOAST")
}

// What is fixed outside the window is on no page; what is below it by its distance from the top may be.
func TestFixedOutsideTheWindow(t *testing.T) {
	t.Parallel()
	away := func(style string) string {
		return `<div style="position: fixed; ` + style + `">AWAY</div>`
	}
	page := away("top: 0; transform: translateY(-200%)") + away("bottom: -80px") + away("bottom: 0; translate: 0 100%") + away("left: -300px; width: 200px") +
		`<main>` + away("top: -60px") + `</main><div style="position: fixed; top: 900px; color: red">BELOW</div>` + strings.Repeat("<p>line</p>", 90)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": page})
	slot := openSlot(t)
	for name, job := range map[string]Print{"visited": {URL: web.URL}, "full": {HTML: page, Full: true}} {
		text := testkit.PDFText(t, mustPrint(t, slot, job).PDF)
		if strings.Contains(text, "AWAY") {
			t.Errorf("%s: shown: %q", name, text)
		}
		testkit.Contains(t, text, "BELOW")
	}
	const toast = `<div style="position: fixed; bottom: -80px; left: 0; width: 90px; height: 60px; background: #00f"></div><div style="height: 3000px"></div>`
	web = pagetest.NewWeb(t, pagetest.Pages{"/": toast})
	picture, taken := mustCapture(t, slot, Capture{URL: web.URL, Options: contract.Image{FullPage: true}})
	for y := range taken.Height {
		if color.RGBAModel.Convert(picture.At(50, y)) == blue {
			t.Fatalf("an image shows it at %d", y)
		}
	}
}
