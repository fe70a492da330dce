package page

import (
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Boxes that scroll hide no code and no tables on paper: long lines of code are broken, wide tables shrunk. What stays hidden is warned of.
func TestScrollingBoxes(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	cells := func(n int) string {
		return strings.Repeat(`<td style="white-space: nowrap">A CELL</td>`, n) + "<td>END</td>"
	}
	line := strings.Repeat("long line ", 30) + "END"
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/code":    `<pre style="overflow: auto">` + line + `</pre>`,
		"/high":    `<pre style="max-height: 100px; overflow: auto">` + strings.Repeat("line\n", 60) + `END</pre>`,
		"/inner":   `<div style="max-height: 100px; overflow: auto"><pre>` + strings.Repeat("line\n", 60) + `END</pre></div>`,
		"/field":   `<textarea rows="3" style="box-sizing: content-box; padding: 9px; max-height: 90px">` + strings.Repeat("line\n", 20) + `END</textarea>`,
		"/nested":  `<div style="overflow-x: auto"><pre style="overflow: auto"><code style="display: block; overflow: auto">` + line + `</code></pre></div>`,
		"/listing": `<div style="overflow-x: scroll"><table><tr><td>1</td><td style="white-space: pre">` + line + `</td></tr></table></div>`,
		"/table":   `<div style="overflow-x: auto"><table><tr>` + cells(16) + `</tr></table></div>`,
		"/own":     `<table style="display: block; overflow-x: auto"><tr>` + cells(16) + `</tr></table>`,
		"/button":  `<pre style="overflow: auto; position: relative">` + line + `<button style="position: absolute; top: 0; right: 0">Copy</button></pre>`,
		"/wide":    `<div style="overflow-x: auto"><table><tr>` + cells(90) + `</tr></table></div>`,
		"/grid":    `<div><table><tr><td>HEAD</td></tr></table></div><div style="overflow-x: auto"><table><tr>` + cells(16) + `</tr></table></div>`,
		"/editor":  `<div style="overflow: auto; height: 100px; position: relative"><div style="position: absolute; white-space: pre">` + line + `</div></div>`,
		"/clean":   `<div style="overflow-x: auto"><div style="width: 2000px">END</div></div><textarea wrap="off">` + line + `</textarea>`,
	})
	for path, cut := range map[string]bool{
		"/code": false, "/high": false, "/inner": false, "/field": false, "/nested": false, "/listing": false, "/table": false, "/clean": false, "/own": false, "/button": false,
		"/wide": true, "/grid": true, "/editor": true,
	} {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		if shown := strings.Contains(testkit.PDFText(t, result.PDF), "END"); shown == cut {
			t.Errorf("%s: its end is shown: %t", path, shown)
		}
		if warned := len(result.Warnings) == 1 && result.Warnings[0].Code == contract.PageCut; warned != cut || len(result.Warnings) > 1 {
			t.Errorf("%s: warnings %v", path, result.Warnings)
		}
	}
}

// Frames of the page's origin are as high as what they show, on paper and in images of the whole page; others keep their height.
func TestFrames(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	const rows = `<p>TOP</p><div style="height: 1500px"></div><p>BOTTOM</p>`
	other := pagetest.NewWeb(t, pagetest.Pages{"/": rows})
	frame := func(of string) string {
		return `<iframe style="width: 300px; height: 200px" ` + of + `></iframe><p>END</p>`
	}
	pages := map[string]struct {
		html  string
		whole bool
	}{
		"/srcdoc": {frame(`srcdoc="` + strings.ReplaceAll(rows, `"`, "'") + `"`), true},
		"/linked": {`<div>` + frame(`src="/rows"`) + `</div>`, true},
		"/nested": {frame(`src="/outer"`), true},
		"/cut":    {`<div style="height: 250px; overflow: hidden">` + frame(`src="/rows"`) + `</div>`, false},
		"/still":  {frame(`scrolling="no" src="/rows"`), false},
		"/other":  {frame(`src="` + other.URL + `"`), false},
		"/placed": {`<div style="position: absolute; top: 300px">` + frame(`src="/rows"`) + `</div>`, false},
		"/hides":  {frame(`srcdoc="<body style='overflow: hidden'>` + strings.ReplaceAll(rows, `"`, "'") + `"`), false},
	}
	web := pagetest.Pages{"/rows": rows, "/outer": frame(`src="/rows"`)}
	for path, page := range pages {
		web[path] = page.html
	}
	url := pagetest.NewWeb(t, web).URL
	for path, page := range pages {
		result := mustPrint(t, slot, Print{URL: url + path})
		text := testkit.PDFText(t, result.PDF)
		testkit.Contains(t, text, "TOP", "END")
		if page.whole && (len(result.Warnings) > 0 || strings.HasSuffix(text, "\f\f")) {
			t.Errorf("%s: warnings %v, pages %q", path, result.Warnings, text)
		}
		if whole := strings.Contains(text, "BOTTOM"); whole != page.whole {
			t.Errorf("%s: printed whole: %v", path, whole)
		}
		_, image := mustCapture(t, slot, Capture{URL: url + path, Options: contract.Image{FullPage: true}})
		if whole := image.Height > 1500; whole != page.whole {
			t.Errorf("%s: the image is %d pixels high", path, image.Height)
		}
	}
	testkit.Contains(t, printed(t, slot, Print{HTML: pages["/srcdoc"].html, Full: true}), "BOTTOM", "END")
}
