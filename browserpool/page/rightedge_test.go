package page

import (
	"image"
	"math"
	"strconv"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// A border at the right edge is printed as wide as the one at the left, for every paper, margin and scale (except the largest).
func TestRightEdge(t *testing.T) {
	slot := openSlot(t)
	for _, o := range []contract.Paper{
		{},
		{Scale: 1},
		{Scale: 1.9},
		{Scale: 0.5},
		{Scale: 1.3},
		{Format: "Letter"},
		{MarginLeft: "28pt", MarginRight: "28pt"},
		{MarginLeft: "15mm", MarginRight: "15mm"},
		{MarginLeft: "2cm", MarginRight: "13mm"},
		{MarginLeft: "37.5px", MarginRight: "1.234in"},
		{MarginLeft: "20mm", MarginRight: "60px", Scale: 0.77},
	} {
		result := mustPrint(t, slot, Print{HTML: `<body style="margin: 0"><div style="border: solid #000; border-width: 0 2px; height: 300px">`, Options: o})
		left, right := edges(rowOf(t, result.PDF))
		if left == 0 || math.Abs(left-right) > 1.1 {
			t.Errorf("%+v: the border is %.1f dots at the left and %.1f at the right", o, left, right)
		}
	}
}

// What is wider than the paper by a part of any width is shrunk, too: to its right edge, whatever is hidden beside it.
func TestWiderThanAnyWidth(t *testing.T) {
	slot := openSlot(t)
	const wide = `<div style="width: 110%; text-align: right; background: #cde">EDGE</div>`
	const shadow = `<x-app></x-app><script>document.querySelector("x-app").attachShadow({ mode: "open" }).innerHTML = '` + wide + `'</script>`
	web := pagetest.NewWeb(t, pagetest.Pages{"/": wide, "/shadow": shadow, "/hidden": wide + `<div style="width: 100px; overflow: hidden"><p style="width: 3000px">HIDDEN</p></div>`})
	for name, job := range map[string]Print{
		"posted": {HTML: wide}, "on a single page": {HTML: wide, Options: contract.Paper{SinglePage: true}},
		"visited": {URL: web.URL}, "in a shadow tree": {URL: web.URL + "/shadow"}, "beside hidden text": {URL: web.URL + "/hidden"}, "from the right": {HTML: `<div dir="rtl">` + wide + `</div>`},
		"twice as wide": {HTML: strings.Replace(wide, "110", "190", 1)},
	} {
		result := mustPrint(t, slot, job)
		if right := edge(t, result.PDF); right > 595-20 {
			t.Errorf("%s: EDGE reaches to %.0f pt", name, right)
		}
	}
}

// What is centred and wider than the paper is shrunk to both edges, and what only reaches beyond them is not.
func TestCentredSheet(t *testing.T) {
	slot := openSlot(t)
	const sheet = `<section style="width: 1056px; flex: none; background: #def; box-sizing: border-box; padding: 20px">LINE</section>`
	const columns = `<div style="margin: 0 -15px"><p style="margin: 0 15px; height: 600px">LINE</p></div>`
	for name, tc := range map[string]struct {
		html     string
		from, to float64 // where the line begins, in points
		width    float64 // how wide it is at least
	}{
		"in a column":        {`<body style="margin: 0; display: flex; flex-direction: column; align-items: center">` + sheet, 27, 50, 0},
		"with padding":       {`<body style="margin: 0"><div style="padding: 30px; display: flex; justify-content: center">` + sheet + `</div>`, 27, 50, 0},
		"in a grid":          {`<body style="margin: 0"><div style="display: grid; place-items: center">` + sheet + `</div>`, 27, 50, 0},
		"from the right":     {`<html dir="rtl"><body style="margin: 0; display: flex; flex-direction: column; align-items: center">` + sheet, 520, 560, 0},
		"in what is centred": {`<style>ul { display: flex; justify-content: center; list-style: none }</style><body style="margin: 0"><ul><li><ul>` + `<li style="flex: none; width: 400px">LINE` + strings.Repeat(`<li style="flex: none; width: 400px; height: 9px">`, 2) + `</ul></ul>`, 27, 80, 0},
		"placed":             {`<body style="margin: 0"><svg style="position: absolute; left: -300px" width="1100" height="9"><rect width="1100" height="9"/></svg><p>LINE`, 27, 30, 24.5},
		"a row of columns":   {`<body style="margin: 0">` + columns, 27, 30, 26.7},
		"hidden at the edge": {`<body style="margin: 0"><div style="overflow: hidden; display: flex; justify-content: center">` + sheet + `</div><p style="width: 800px; margin: 0">LINE`, 27, 30, 24.5},
	} {
		boxes := wordBox.FindAllStringSubmatch(testkit.Tool(t, mustPrint(t, slot, Print{HTML: tc.html, Full: true, Options: contract.Paper{MarginLeft: "28pt", MarginRight: "28pt"}}).PDF, "pdftotext", "-bbox", "-", "-"), -1)
		if len(boxes) == 0 {
			t.Errorf("%s: no text", name)
			continue
		}
		last := boxes[len(boxes)-1]
		if at := number(t, last[1]); at < tc.from || at > tc.to {
			t.Errorf("%s: the line begins at %.1f pt, want %.0f to %.0f", name, at, tc.from, tc.to)
		}
		if size := number(t, last[2]) - number(t, last[1]); size < tc.width {
			t.Errorf("%s: it is %.1f pt wide, want %.1f", name, size, tc.width)
		}
	}
}

// What has a width of its own does not narrow the text beside it.
func TestWideBoxKeepsTheRoot(t *testing.T) {
	slot := openSlot(t)
	for _, width := range []string{"1000px", "1400px", "2800px"} {
		html := `<p style="text-align: right">EDGE</p><div style="width: ` + width + `; border: 1px solid">WIDE</div>`
		result := mustPrint(t, slot, Print{HTML: html})
		if right := edge(t, result.PDF); right < 595-45 {
			t.Errorf("%s: EDGE reaches to %.0f pt only", width, right)
		}
		if width == "2800px" && !strings.Contains(result.Warnings[0].Detail, "the 1440 pixels between") {
			t.Errorf("warnings %v", result.Warnings)
		}
	}
}

// Code lines, long words and lines that shall not break, such as formulas, are broken if they would shrink a document by more than a quarter, or if a
// requested scale would cut them.
func TestLongLinesAreBroken(t *testing.T) {
	slot := openSlot(t)
	code := func(n int) string { return `<pre>` + strings.Repeat("sum + ", n) + `END</pre>` }
	line := func(n int) string {
		return `<p><span style="white-space: nowrap">` + strings.Repeat(`<span style="display: inline-block">sum + </span>`, n) + ` END</span></p>`
	}
	url := func(n int) string { return "https://example.com/" + strings.Repeat("path/", n) }
	paragraph := func(n int) string { return url(n) + " END" }
	cell := func(n int) string {
		return `<table><tr><td>Quantity<td>` + url(n) + `<tr><td>1<td>END</table>`
	}
	diagram := func(n int) string { return `<div style="width: 1300px">` + code(n) + `</div>` }
	grid := func(n int) string {
		return `<div style="display: grid; grid-template-columns: 1fr"><div><div style="overflow: auto">` + code(n) + `</div></div></div>`
	}
	const whole, shrunk = 1, 0.8
	for name, c := range map[string]struct {
		content string
		scale   float64 // asked for
		printed float64 // the least scale of the text
	}{
		"code": {code(40), 0, whole}, "code that fits better as it is": {code(17), 0, shrunk}, "code at a scale": {code(17), 1, whole},
		"a line": {line(40), 0, whole}, "a line in a box that hides it": {`<div style="overflow: hidden">` + line(40) + `</div><p>END`, 0, whole},
		"labels that are placed": {strings.Repeat(`<div style="position: absolute; left: 960px; white-space: nowrap">sum + sum</div>`, 2) + `<p>END`, 0, 0.6},
		"an address":             {paragraph(60), 0, whole}, "a short address": {paragraph(21), 0, shrunk}, "in a table": {cell(60), 0, whole},
		"in a grid": {grid(40), 0, whole}, "a wide box": {diagram(25), 0, 0.5}, "from the right": {`<div dir="rtl">` + code(40) + `</div>`, 0, whole},
	} {
		for way, job := range map[string]Print{"posted": {}, "full": {Full: true}, "shadow": {Full: true}} {
			job.HTML, job.Options.Scale = `<p>EDGE</p>`+c.content, c.scale
			if way == "shadow" {
				job.HTML = `<x-app>` + job.HTML + `</x-app><script>const x = document.querySelector("x-app"), h = x.innerHTML; x.textContent = ""; x.attachShadow({ mode: "open" }).innerHTML = h</script>`
			}
			result := mustPrint(t, slot, job)
			at, end := wordAt(t, result.PDF, "EDGE"), wordAt(t, result.PDF, "END")
			const height = 13.5 // of a word of 12 points, as wordAt measures it
			if got := (at.yMax - at.yMin) / height; got < c.printed-0.05 || c.printed != whole && got > 0.97 {
				t.Errorf("%s, %s: the text is printed at %.2f of its size, want %.2f", name, way, got, c.printed)
			}
			if end.xMax > 595-20 || len(result.Warnings) > 0 {
				t.Errorf("%s, %s: the line ends at %.0f pt; warnings %v", name, way, end.xMax, result.Warnings)
			}
		}
	}
}

// Drawings of characters in code are shrunk, to half at most, where other code is broken.
func TestDrawingsAreWhole(t *testing.T) {
	slot := openSlot(t)
	for name, c := range map[string]struct {
		style   string
		columns int
		whole   bool
	}{
		"wider than the paper": {"", 150, true}, "that scrolls": {"overflow: auto", 110, true}, "that scrolls far": {"overflow: auto", 170, true},
		"too wide": {"overflow: auto", 220, false},
	} {
		edge := "+" + strings.Repeat("-", c.columns-2) + "+"
		html := `<p>EDGE</p><pre style="font: 13px 'Liberation Mono', monospace; ` + c.style + `">` + edge + "\n|" + strings.Repeat(" ", c.columns-5) + "END|\n" + edge + `</pre>`
		for way, job := range map[string]Print{"posted": {}, "full": {Full: true}} {
			if way == "posted" && c.style != "" {
				continue // styles of sanitised HTML hold as they are
			}
			job.HTML = html
			result := mustPrint(t, slot, job)
			if whole := strings.Contains(testkit.PDFText(t, result.PDF), edge); whole != c.whole || len(result.Warnings) > 0 {
				t.Errorf("%s, %s: whole %t, warnings %v", name, way, whole, result.Warnings)
			}
			if at := wordAt(t, result.PDF, "EDGE"); at.yMax-at.yMin < 12 {
				t.Errorf("%s, %s: other text is %.1f pt high", name, way, at.yMax-at.yMin)
			}
		}
	}
}

// rowOf returns one row of dots across the first page of a PDF, an inch below its top.
func rowOf(t *testing.T, pdf []byte) *image.RGBA {
	t.Helper()
	dots := strconv.Itoa(6 * pagetest.DPI)
	return pagetest.DecodePPM(t, []byte(testkit.Tool(t, pdf, "pdftoppm", "-singlefile", "-r", dots, "-y", dots, "-H", "1", "-")))
}

// edges returns how many dots of ink two vertical lines have in a row.
func edges(row *image.RGBA) (left, right float64) {
	for x := range row.Rect.Dx() {
		r, _, _, _ := row.At(x, 0).RGBA()
		ink := 1 - float64(r)/0xffff
		if x < row.Rect.Dx()/2 {
			left += ink
		} else {
			right += ink
		}
	}
	return left, right
}

// What a body cuts that is too wide for the paper makes no pages; what it shows does.
func TestWideBodyThatCuts(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	const slides = `<style>html { background: #000 } body { position: absolute; left: 50%; width: 800px; height: 600px; margin: 0 0 0 -400px }
		section { position: absolute; width: 100%; height: 100% } section + section { left: 150% }</style>
		<section>FIRST</section><section><div style="height: 2500px">SECOND</div></section>`
	for style, pages := range map[string]int{
		"html { overflow: hidden } body { overflow: hidden }": 1, "html { overflow: hidden } body { overflow: clip }": 1,
		"body { overflow: hidden } section { left: 0 !important }": 3,
	} {
		if got := mustPrint(t, slot, Print{HTML: "<!doctype html><style>" + style + "</style>" + slides, Full: true}).Pages; got != pages {
			t.Errorf("%s: %d pages, want %d", style, got, pages)
		}
	}
}
