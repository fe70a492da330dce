package page

import (
	"fmt"
	"image/color"
	"math"
	"slices"
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
	cards := strings.Repeat(`<div style="flex: none; width: 300px; height: 80px">CARD</div>`, 9) + `<div style="flex: none; width: 300px">END</div>`
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/code":     `<pre style="overflow: auto">` + line + `</pre>`,
		"/cut":      `<div style="overflow: hidden"><div><pre>` + line + `</pre></div></div>`,
		"/held-cut": `<div style="overflow: hidden; height: 60px"><pre style="margin: 0">` + line + "\nline\nEND" + `</pre></div>`,
		"/in-code":  `<pre><table><tr><td>1<td><pre>` + line + `</pre></table></pre>`,
		"/high":     `<pre style="max-height: 100px; overflow: auto">` + strings.Repeat("line\n", 60) + `END</pre>`,
		"/inner":    `<div style="max-height: 100px; overflow: auto"><pre>` + strings.Repeat("line\n", 60) + `END</pre></div>`,
		"/field":    `<textarea rows="3" style="box-sizing: content-box; padding: 9px; max-height: 90px">` + strings.Repeat("line\n", 20) + `END</textarea>`,
		"/nested":   `<div style="overflow-x: auto"><pre style="overflow: auto"><code style="display: block; overflow: auto">` + line + `</code></pre></div>`,
		"/listing":  `<div style="overflow-x: scroll"><table><tr><td>1</td><td style="white-space: pre">` + line + `</td></tr></table></div>`,
		"/word":     `<div style="width: 200px; overflow: auto"><code>` + strings.Repeat("x", 60) + `</code> END</div>`,
		"/table":    `<div style="overflow-x: auto"><table><tr>` + cells(16) + `</tr></table></div>`,
		"/tree":     `<x-box><template shadowrootmode="open"><div style="overflow-x: auto"><table><tr>` + cells(16) + `</tr></table></div></template></x-box>`,
		"/own":      `<table style="display: block; overflow-x: auto"><tr>` + cells(16) + `</tr></table>`,
		"/button":   `<pre style="overflow: auto; position: relative">` + line + `<button style="position: absolute; top: 0; right: 0">Copy</button></pre>`,
		"/wide":     `<div style="overflow-x: auto"><table><tr>` + cells(90) + `</tr></table></div>`,
		"/after":    strings.Repeat(`<div style="overflow-x: auto; margin: 16px 0"><table><tr>`+cells(16)+`</tr></table></div>`, 2),
		"/moved":    `<div style="overflow-x: auto"><table style="position: relative"><tr>` + cells(16) + `</tr></table></div>`,
		"/drawn":    `<div style="overflow: auto; height: 150px; position: relative"><div style="width: 2400px; height: 90px"><table style="position: absolute"><tr>` + strings.Repeat("<td>CELL", 9) + `</tr></table></div></div>`,
		"/grid":     `<div style="overflow-x: hidden"><table><tr>` + strings.ReplaceAll(cells(16), "END", "AND") + `</tr></table></div><div style="overflow-x: auto"><table><tr>` + cells(16) + `</tr></table></div>`,
		"/editor":   `<div style="overflow: auto; height: 100px; position: relative"><div style="position: absolute; white-space: pre">` + line + `</div></div>`,
		"/panel":    `<div style="overflow: auto; height: 100px; position: relative"><p>END</p><div style="position: absolute; left: 100%; width: 100%">beside</div></div>`,
		"/fixed":    `<div style="max-width: 400px; overflow-x: auto"><table><tr>` + cells(8) + `</tr></table></div>`,
		"/chart":    `<div style="overflow-x: auto"><div><svg width="1000" height="90"><text x="950" y="50">END</text></svg></div></div>`,
		"/drawing":  `<div style="overflow-x: auto"><svg width="3000" height="90"><text x="2950" y="50">END</text></svg></div>`,
		"/gallery":  `<div style="overflow-x: auto; white-space: nowrap">END` + strings.Repeat(`<svg width="300" height="90"></svg>`, 9) + `</div>`,
		"/cards":    `<div style="display: flex; overflow-x: auto">` + cards + `</div><p>AFTER`,
		"/track":    `<div style="overflow-x: auto"><div style="display: flex; width: max-content">` + cards + `</div></div><p>AFTER`,
		"/columns":  `<div style="display: grid; grid-auto-flow: column; grid-auto-columns: 300px; overflow-x: auto">` + cards + `</div><p>AFTER`,
		"/inline":   `<div style="white-space: nowrap; overflow-x: auto">` + strings.ReplaceAll(cards, "flex: none", "display: inline-block") + `</div><p>AFTER`,
		"/both":     strings.Repeat(`<div style="display: flex; overflow-x: auto">`+cards+`</div>`, 2),
		"/synced":   `<div style="display: flex; overflow-x: auto">` + cards + `</div><div style="overflow-x: auto">` + strings.Repeat(`<div style="display: flex">`+cards+`</div>`, 2) + `</div>`,
		"/held":     `<div style="display: flex; height: 100px; overflow: auto">` + cards + `</div>`,
		"/board":    `<body style="margin: 0; height: 100vh; display: flex; flex-direction: column"><div style="flex: 1; min-height: 0; display: flex; overflow-x: auto">` + strings.ReplaceAll(cards, "80px", "500px") + `</div>`,
		"/low":      `<div style="height: 100px; overflow: hidden"><div style="display: flex; overflow-x: auto">` + cards + `</div></div><p>AFTER`,
		"/floats":   `<div style="overflow-x: auto"><div style="width: 3200px">` + strings.ReplaceAll(cards, "flex: none", "float: left") + `</div></div>`,
		"/right":    `<div dir="rtl" style="overflow-x: auto"><div style="width: 2000px; text-align: left">END</div></div>`,
		"/stacked":  `<div dir="rtl" style="display: flex; overflow-x: auto">` + cards + `</div><p>AFTER`,
		"/clean":    `<div style="overflow-x: auto"><div style="width: 2000px">END</div></div><textarea wrap="off">` + line + `</textarea>`,
	})
	for path, cut := range map[string]bool{
		"/code": false, "/cut": false, "/held-cut": false, "/in-code": false, "/high": false, "/inner": false, "/field": false, "/nested": false, "/listing": false, "/word": false, "/table": false, "/clean": false, "/own": false, "/button": false, "/panel": false, "/fixed": false, "/chart": false, "/gallery": false, "/cards": false, "/track": false, "/columns": false, "/inline": false, "/both": false, "/after": false, "/board": false, "/floats": false, "/low": false, "/held": false, "/stacked": false, "/moved": false, "/tree": false, "/synced": false,
		"/drawn": true, "/right": true, "/grid": false, "/drawing": false, "/wide": false, "/editor": true,
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

// What stands beside lines of code stays beside them when they are broken.
func TestLineNumbers(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	long := strings.Repeat(" long", 60)
	code, numbers := "L1\nL2"+long+"\n\nL4\nL5"+long+"\n", "11\n12\n13\n14\n15"
	marked := strings.NewReplacer("11", "<b>11</b>", "13", "<a href='#'>13</a>").Replace(numbers)
	beside := func(gutter string) string {
		return `<div style="position: relative; padding-left: 40px"><pre style="overflow: auto"><code>` + code + `</code></pre>` + gutter + `</div>`
	}
	const placed = `<div style="position: absolute; left: 0; top: 0; font: 13px/15px monospace">`
	for name, html := range map[string]string{
		"table":  `<div style="overflow: auto"><table><tr><td><pre>` + numbers + `</pre><td><pre>` + code + `</pre></table></div>`,
		"window": `<table><tr><td><pre>` + numbers + `</pre><td><pre>` + code + `</pre></table>`,
		"marks":  `<pre style="overflow: auto"><table><tr><td>` + marked + `</td><td><pre>` + code + `</pre></table></pre>`,
		"row":    `<div style="display: flex; overflow: auto"><pre>` + numbers + `</pre><pre>` + code + `</pre></div>`,
		"rows": `<style>td[n]::before { content: attr(n) } td { vertical-align: top }</style><pre style="overflow: auto"><table><tr><td n="11"><td>L1<tr><td n="12"><td>L2` + long +
			`<tr><td n="14"><td>L4<tr><td n="15"><td>L5` + long + `</table></pre>`,
		"breaks": beside(placed + strings.ReplaceAll(numbers, "\n", "<br>") + "</div>"),
		"sheet":  beside(`<style>b { display: block; counter-increment: n } b::before { content: counter(n) }</style>` + placed[:len(placed)-2] + `; counter-reset: n 10">` + strings.Repeat("<b></b>", 5) + "</div>"),
	} {
		pdf := mustPrint(t, slot, Print{HTML: "<!doctype html><style>pre, code { margin: 0; font: 13px/15px monospace }</style>" + html, Full: true}).PDF
		for number, text := range map[string]string{"11": "L1", "12": "L2", "14": "L4", "15": "L5"} {
			if a, b := wordAt(t, pdf, number), wordAt(t, pdf, text); math.Abs(a.yMin-b.yMin) > 4 {
				t.Errorf("%s: %s is at %.0f, %s at %.0f", name, number, a.yMin, text, b.yMin)
			}
		}
	}
}

// Frames of other origins are drawn below the window, too.
func TestForeignFramesBelowTheWindow(t *testing.T) {
	t.Parallel()
	other := pagetest.NewWeb(t, pagetest.Pages{"/": `<body style="background: #f00">`})
	page := `<body style="margin: 0"><div style="height: 100vh"></div><div style="height: 1200px"></div><iframe style="border: 0" width="400" height="200" src="` + other.URL + `"></iframe>`
	web := pagetest.NewWeb(t, pagetest.Pages{"/": page, "/script": page + `<script>setInterval(() => document.title += "x", 50)</script>`})
	slot := openSlot(t)
	for _, path := range []string{"/", "/script"} {
		picture, image := mustCapture(t, slot, Capture{URL: web.URL + path, Options: contract.Image{FullPage: true}})
		if image.Height > 768+1200+300 {
			t.Errorf("%s: the image is %d pixels high", path, image.Height)
		}
		shows(t, picture, 200, 768+1300, red)
	}
}

// A text field is as high as its text, though its script resets what it sees of that.
func TestTextFieldStaysHigh(t *testing.T) {
	t.Parallel()
	page := `<textarea id="field" rows="2">` + strings.Repeat("line\n", 9) + `END</textarea><p>AFTER<script>new ResizeObserver(() => field.style.height = "").observe(field)</script>`
	pdf := mustPrint(t, openSlot(t), Print{HTML: page, Full: true}).PDF
	if end, after := wordAt(t, pdf, "END"), wordAt(t, pdf, "AFTER"); after.yMin < end.yMax {
		t.Errorf("the text ends at %.0f points, and what follows the field is at %.0f", end.yMax, after.yMin)
	}
}

// A text field shows all of its text, over several pages: it begins where it stands.
func TestHighTextField(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	for name, lines := range map[string]int{"a page": 70, "several pages": 250} {
		html := `<!doctype html><p>TITLE</p><textarea rows="3" style="border: 1px solid">` + strings.Repeat("line\n", lines) + `END</textarea><p>AFTER`
		for _, full := range []bool{true, false} {
			result := mustPrint(t, slot, Print{HTML: html, Full: full})
			text := testkit.PDFText(t, result.PDF)
			if n := strings.Count(text, "line"); n != lines || !strings.Contains(text, "END") || strings.Index(text, "END") > strings.Index(text, "AFTER") {
				t.Errorf("%s, full %v: %d lines of %d", name, full, n, lines)
			}
			if first, _, _ := strings.Cut(text, "\f"); !strings.Contains(first, "line") {
				t.Errorf("%s, full %v: the first page is %q", name, full, first)
			}
		}
	}
	single := mustPrint(t, slot, Print{HTML: `<p>TITLE</p><textarea>` + strings.Repeat("line\n", 90) + "END</textarea>", Full: true, Options: contract.Paper{SinglePage: true}})
	if n := strings.Count(testkit.PDFText(t, single.PDF), "line"); n != 90 || single.Pages != 1 {
		t.Errorf("single page: %d lines on %d pages", n, single.Pages)
	}
}

// A column that stays at the side of a box stands in its own place once all of the box is shown.
func TestColumnsThatStay(t *testing.T) {
	t.Parallel()
	page := `<!doctype html><style>table { width: 1200px; table-layout: fixed } td:last-child { position: sticky; right: 0 }</style>` +
		`<div style="overflow: hidden"><table><tr><th>A<th>B<th>C<th>D</table></div><div style="overflow: auto; max-height: 200px"><table>` +
		strings.Repeat(`<tr><td>A<td>B<td>THIRD<td>LAST`, 20) + `</table></div>`
	pdf := mustPrint(t, openSlot(t), Print{HTML: page, Full: true}).PDF
	if third, last := wordAt(t, pdf, "THIRD"), wordAt(t, pdf, "LAST"); last.xMin < third.xMax+50 {
		t.Errorf("the last column is at %.0f points, the third ends at %.0f", last.xMin, third.xMax)
	}
}

// Wide tables are printed in strips of whole columns, one below the other, with the columns that stay in view and the head of its own that scrolls with them.
func TestStrips(t *testing.T) {
	t.Parallel()
	row := func(cell string) (all string) {
		for i := range 20 {
			all += fmt.Sprintf(`<td>%s%02d`, cell, i)
		}
		return "<tr>" + all
	}
	const style = `<!doctype html><style>body { margin: 0 } td { min-width: 120px; padding: 0 } table { table-layout: fixed; width: 2400px; border-spacing: 0 } </style>`
	body := strings.Repeat(row("C"), 3)
	for name, html := range map[string]string{
		"table":    `<div style="overflow: auto"><table>` + row("H") + body + `</table></div>`,
		"head":     `<div><div style="overflow: hidden"><table>` + row("H") + `</table></div><div style="overflow: auto; max-height: 30px"><table>` + body + `</table></div></div>`,
		"wrapped":  `<div><div style="overflow: hidden"><table>` + row("H") + `</table></div><div><div style="overflow: auto"><table>` + body + `</table></div></div></div>`,
		"in a row": `<div style="display: flex"><div style="overflow: auto"><table>` + row("H") + body + `</table></div></div>`,
		"columns":  `<style>td:first-child { position: sticky; left: 0 } td:last-child { position: sticky; right: 0 }</style><div style="overflow: auto"><table>` + row("H") + body + `</table></div>`,
		"beside":   `<div style="display: flex"><div style="flex: none">MENU</div><div style="flex: 1; overflow: auto"><table>` + row("H") + body + `</table></div></div>`,
		"rtl":      `<div dir="rtl" style="overflow: auto"><table>` + row("H") + body + `</table></div>`,
		"hidden":   `<div style="overflow: hidden"><table>` + row("H") + body + `</table></div>`,
		"narrower": `<div style="overflow: hidden; width: 600px"><table>` + row("H") + `</table></div><div style="overflow: auto; width: 600px"><table>` + body + `</table></div>`,
		"cell":     `<div style="display: table; table-layout: fixed; width: 100%"><div style="display: table-cell; width: 60px">OUT</div><div style="display: table-cell; overflow: auto"><table>` + row("H") + body + `</table></div></div>`,
		"column":   `<div style="display: flex; flex-direction: column; height: 140px; overflow: hidden"><div style="overflow: hidden"><table>` + row("H") + `</table></div><div style="overflow: auto"><table>` + body + `</table></div></div>`,
		"padding":  `<div style="overflow: auto; padding: 10px"><table>` + row("H") + body + `</table></div>`,
		"shadow":   `<style>td:last-child { position: sticky; right: 0 } td:last-child::before { content: ""; position: absolute; left: -9px; top: 0; bottom: 0; width: 9px }</style><div style="overflow: auto"><table>` + row("H") + body + `</table></div>`,
		"placed":   `<style>td { position: relative } td::before { content: ""; position: absolute; right: 0; top: 0; width: 1px; height: 9px }</style><div style="overflow: auto"><table>` + row("H") + body + `</table></div>`,
		"wider":    `<div style="overflow: auto"><table>` + row("H") + body + `</table></div><div style="width: 1000px">WIDER</div>`,
		"several":  strings.Repeat(`<div style="overflow: auto"><table><thead>`+row("H")+`</thead>`+body+`</table></div>`, 2),
		"beneath":  `<p>TITLE</p><div style="overflow: hidden"><table>` + row("H") + `</table></div><div style="overflow: auto"><table>` + body + `</table></div>`,
		"cut":      `<div style="height: 80px; overflow: hidden"><div style="overflow: auto"><table>` + row("H") + body + `</table></div></div>`,
	} {
		result := mustPrint(t, openSlot(t), Print{HTML: style + html + "<p>AFTER", Full: true})
		if len(result.Warnings) > 0 {
			t.Errorf("%s: %v", name, result.Warnings)
		}
		after, text := wordAt(t, result.PDF, "AFTER"), testkit.PDFText(t, result.PDF)
		if high := after.yMax - after.yMin; high < 13 && name != "wider" {
			t.Errorf("%s: text is %.1f points high: the page is shrunk", name, high)
		}
		for i := range 20 {
			if n := strings.Count(text, fmt.Sprintf("H%02d", i)); n != 1 && name != "columns" && name != "several" {
				t.Errorf("%s: column %d is there %d times", name, i, n)
			}
			head, cell := wordAt(t, result.PDF, fmt.Sprintf("H%02d", i)), wordAt(t, result.PDF, fmt.Sprintf("C%02d", i))
			if math.Abs(head.xMin-cell.xMin) > 3 || cell.yMin < head.yMin || cell.xMin < 20 || cell.xMax > 595-20 || cell.yMin > after.yMin {
				t.Errorf("%s: column %d is from %.0f to %.0f at %.0f points, its head at %.0f and %.0f", name, i, cell.xMin, cell.xMax, cell.yMin, head.xMin, head.yMin)
			}
		}
		if name == "columns" && strings.Count(text, "H00") < 3 {
			t.Error("the first column stays in the first strip")
		}
	}
}

// Frames of the document's origin show wide tables in strips, too.
func TestStripsInFrames(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	var cells string
	for i := range 20 {
		cells += fmt.Sprintf("<td style='min-width: 120px'>C%02d", i)
	}
	for name, inner := range map[string]string{
		"box":    "<div style='overflow: auto'><table><tr>" + cells + "</table></div>",
		"none":   "<table><tr>" + cells + "</table>",
		"nested": "<iframe style='width: 600px' srcdoc='" + strings.ReplaceAll("<table><tr>"+cells+"</table>", "'", "&#34;") + "'></iframe>",
	} {
		result := mustPrint(t, slot, Print{HTML: `<!doctype html><iframe style="width: 650px; height: 90px" srcdoc="` + inner + `"></iframe><p>AFTER`, Full: true})
		after := wordAt(t, result.PDF, "AFTER")
		for i := range 20 {
			if at := wordAt(t, result.PDF, fmt.Sprintf("C%02d", i)); at.xMax > 595-20 || at.yMax > after.yMin {
				t.Errorf("%s: column %d ends at %.0f and %.0f points", name, i, at.xMax, at.yMax)
			}
		}
		if len(result.Warnings) > 0 {
			t.Errorf("%s: %v", name, result.Warnings)
		}
	}
}

// Strips after the first one have the first column if it says which row is which, and what the cells say that begin further left; a caption begins in the first.
func TestStripsSayWhatRowsAre(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	cells := strings.Repeat(`<td style="padding: 0"><div style="width: 150px">CELL</div>`, 12)
	for name, tc := range map[string]struct {
		rows []string
		want map[string]int
	}{
		"heads":     {[]string{"<th>SAME" + cells, "<th>SAME" + cells}, map[string]int{"SAME": 2 * 3}},
		"rowspan":   {[]string{"<th rowspan=2>BOTH" + cells, cells}, map[string]int{"BOTH": 3}},
		"different": {[]string{"<td>ONE" + cells, "<td>TWO" + cells}, map[string]int{"ONE": 3, "TWO": 3}},
		"alike":     {[]string{"<td>SAME" + cells, "<td>SAME" + cells}, map[string]int{"SAME": 2}},
		"wide":      {[]string{`<td><div style="width: 250px">ONE</div>` + cells, "<td>TWO" + cells}, map[string]int{"ONE": 1, "TWO": 1}},
		"two":       {[]string{"<th rowspan=2>BOTH<th>ONE" + cells, "<th>TWO" + cells}, map[string]int{"BOTH": 3, "ONE": 3, "TWO": 3}},
		"too wide":  {[]string{`<th><div style="width: 400px">HEAD</div>` + cells, `<th>HEAD` + cells}, map[string]int{"HEAD": 2, "CELL": 24}},
		"long":      {[]string{"<th>ONE" + cells, `<th>TWO<td colspan="12" style="padding: 0">` + strings.Repeat("LONG ", 400) + "ENDS"}, map[string]int{"ONE": 3, "CELL": 12, "ENDS": 3}},
		"group":     {[]string{`<td colspan="13">GROUP`, "<td>ONE" + cells, "<td>TWO" + cells}, map[string]int{"GROUP": 3, "ONE": 3}},
		"caption":   {[]string{"<caption>TITLE</caption>", "<td>SAME" + cells, "<td>SAME" + cells}, map[string]int{"TITLE": 3}},
	} {
		table := "<table><tr>" + strings.Join(tc.rows, "<tr>") + "</table>"
		for how, html := range map[string]string{
			"boxed":  `<style>table { border-spacing: 0 }</style><div style="overflow: auto">` + table + "</div>",
			"spaced": `<style>table { border: 5px solid; border-spacing: 2px }</style><div style="overflow: auto">` + table + "</div>",
			"itself": `<style>table { display: block; overflow: auto; border-spacing: 0 }</style>` + table,
			"zoomed": `<style>body { zoom: 1.1 } table { border-spacing: 0 }</style><div style="overflow: auto">` + table + "</div>",
		} {
			result := mustPrint(t, slot, Print{HTML: `<!doctype html><style>body { margin: 0 } td { background: #eee }</style>` + html, Full: true})
			text := testkit.PDFText(t, result.PDF)
			for word, want := range tc.want {
				if n := strings.Count(text, word); n < want || n > want && word == "CELL" || len(result.Warnings) > 0 {
					t.Errorf("%s, %s: %s is there %d times, want %d; warnings %v", name, how, word, n, want, result.Warnings)
				}
			}
		}
	}
}

// The columns that say which row is which keep their borders in each strip, also those that the table draws or that are a row's.
func TestStripsKeepBorders(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	cells := strings.Repeat(`<td><div style="width: 150px">CELL</div>`, 12)
	table := "<table><tr><td>ONE" + cells + "<tr><td>TWO" + cells + "<tr><td>THREE" + cells + "</table>"
	for name, style := range map[string]string{
		"around": "td { border: 2px solid; padding: 8px }",
		"below":  "td { border-bottom: 2px solid; padding: 8px }",
		"above":  "td { border-top: 2px solid; padding: 8px }",
		"rows":   "tr { border-top: 2px solid } td { padding: 8px; background: #ddd }",
		"spans":  "td { border: 2px solid; padding: 8px } td span { background: #000 !important }",
	} {
		result := mustPrint(t, slot, Print{HTML: `<!doctype html><style>table { border-collapse: collapse }` + style + `</style><div style="overflow: auto">` + table + `</div>`, Full: true})
		found, picture := boxes(t, result.PDF, "TWO"), paper(t, result.PDF, 1)
		if len(found) < 3 {
			t.Fatalf("%s: TWO is there %d times, want 3 or more", name, len(found))
		}
		for i, at := range found {
			x, isDrawn := int(at.left+at.right)/2, false
			for y := int(at.bottom); y < int(at.bottom)+12; y++ {
				r, _, _, _ := picture.At(x, y).RGBA()
				isDrawn = isDrawn || r < 0x8000
			}
			if !isDrawn {
				t.Errorf("%s: strip %d has no line below TWO, at %d, %.0f", name, i, x, at.bottom)
			}
			if r, _, _, _ := picture.At(int(at.left)-3, int(at.top+at.bottom)/2).RGBA(); r < 0x8000 {
				t.Errorf("%s: strip %d covers TWO", name, i)
			}
		}
	}
}

// A table that would be cut is printed in strips, in all kinds of documents; the heads of its rows are in each strip. What surrounds it keeps its size.
func TestWideTables(t *testing.T) {
	t.Parallel()
	row := func(cell, first string) (all string) {
		for i := range 20 {
			all += fmt.Sprintf(`<td style="padding: 0"><div style="width: 120px">%s%02d</div>`, cell, i)
		}
		return "<tr>" + strings.ReplaceAll(strings.Replace(all, "<td", "<"+first, 1), "120px", "118px")
	}
	table := "<table><thead>" + row("H", "td") + "</thead>" + strings.Repeat(row("C", "td"), 3) + "</table>"
	wider := strings.ReplaceAll(table, "118px", "50px")
	for name, tc := range map[string]struct {
		html  string
		scale float64
	}{
		"in the body":     {html: table},
		"in a cell":       {html: "<table><tr><td>" + table + "</table>"},
		"in a column":     {html: `<div style="display: flex; flex-direction: column; align-items: center">` + table + `</div>`},
		"in a row":        {html: `<div style="display: flex"><div>MENU</div><div><div style="overflow: auto">` + table + `</div></div></div>`},
		"in a grid":       {html: `<div style="display: grid; grid-template-columns: 90px 1fr"><div>MENU</div><div><div style="overflow: auto">` + table + `</div></div></div>`},
		"alone in a row":  {html: `<div style="display: flex">` + table + `</div>`},
		"inline":          {html: `<div style="display: inline-block">` + table + `</div>`},
		"with a title":    {html: `<div style="display: inline-block"><h3>TITLE</h3>` + table + `</div>`},
		"in a float":      {html: `<div style="float: left">` + table + `</div><p style="clear: both">`},
		"centred":         {html: `<div style="display: flex; justify-content: center"><div>` + table + `</div></div>`},
		"as an item":      {html: `<div style="display: flex"><div style="flex: none; max-width: 100%">` + table + `</div></div>`},
		"in a figure":     {html: `<figure style="display: table; margin: 0">` + table + `<figcaption style="display: table-caption">TITLE</figcaption></figure>`},
		"centred itself":  {html: strings.Replace(table, "<table", `<table style="margin: auto; width: 100%"`, 1)},
		"floating":        {html: strings.Replace(table, "<table", `<table style="float: left"`, 1)},
		"a wider one too": {html: table + wider},
		"scaled":          {html: wider, scale: 1.1},
		"heads":           {html: strings.ReplaceAll(table, row("C", "td"), row("C", "th"))},
		"hidden":          {html: "<style>body { overflow-x: hidden }</style>" + table},
		"hidden twice":    {html: "<style>html, body { overflow-x: hidden }</style>" + table},
		"clipped twice":   {html: "<style>html, body { overflow-x: clip }</style>" + table},
	} {
		for _, full := range []bool{true, false} {
			if strings.HasSuffix(name, "twice") && !full {
				continue // the sanitiser leaves no style to the root
			}
			html := "<!doctype html><style>th { text-align: left }</style><p>BEFORE</p>" + tc.html + "<p>AFTER"
			result := mustPrint(t, openSlot(t), Print{HTML: html, Full: full, Options: contract.Paper{Scale: tc.scale}})
			if len(result.Warnings) > 0 {
				t.Errorf("%s, full %v: %v", name, full, result.Warnings)
			}
			before, after := wordAt(t, result.PDF, "BEFORE"), wordAt(t, result.PDF, "AFTER")
			if width := before.xMax - before.xMin; width < 40 {
				t.Errorf("%s, full %v: the text before is %.0f points wide", name, full, width)
			}
			for i := range 20 {
				head, cell := wordAt(t, result.PDF, fmt.Sprintf("H%02d", i)), wordAt(t, result.PDF, fmt.Sprintf("C%02d", i))
				if math.Abs(head.xMin-cell.xMin) > 3 || cell.yMin < head.yMin || cell.xMin < 20 || cell.xMax > 595-20 || cell.yMin > after.yMin {
					t.Errorf("%s, full %v: column %d is from %.0f to %.0f at %.0f points, its head at %.0f and %.0f", name, full, i, cell.xMin, cell.xMax, cell.yMin, head.xMin, head.yMin)
				}
			}
			if name == "heads" && strings.Count(testkit.PDFText(t, result.PDF), "C00") < 3*3 {
				t.Errorf("%s, full %v: the heads of the rows are in the first strip only", name, full)
			}
		}
	}
}

// A box that shows a part of a chart gets a warning, whether it scrolls itself or the chart has its own scroll bar. A row of icons gets none.
func TestWarnOfCharts(t *testing.T) {
	t.Parallel()
	const box = `<div style="position: relative; overflow: auto; height: 100px">`
	bar := func(display, overflow, size, inner string) string {
		return `<div style="display: ` + display + `; height: 200px"><div style="overflow: hidden">TEXT</div><div><div><div style="overflow: ` + overflow + `; ` + size + `"><div style="` + inner + `"></div></div></div></div></div>`
	}
	for name, tc := range map[string]struct {
		html   string
		warned bool
	}{
		"chart and head": {box + `<x-app></x-app><svg style="position: absolute" width="5000" height="100"></svg><div style="width: 5000px">HEAD</div></div>`, true},
		"own bar below":  {bar("block", "scroll hidden", "height: 15px; width: 300px", "width: 5000px; height: 1px"), true},
		"own bar beside": {bar("flex", "hidden scroll", "width: 15px; height: 100px", "height: 5000px; width: 1px"), true},
		"bars":           {`<div style="overflow: auto">` + strings.Repeat(`<div style="position: relative; width: 5000px; height: 20px"><b style="position: absolute; left: 4000px">BAR</b><b style="position: absolute; left: 4020px; top: 10px">BAR</b></div>`, 9) + `</div>`, true},
		"panels":         {`<div style="overflow: auto; position: relative; height: 50px"><div>TEXT</div><div style="position: absolute; left: 100%; width: 100%">PANEL</div></div>`, false},
		"overlay":        {`<div style="position: relative"><div style="overflow: auto"><table style="width: 1200px"><tr><td>A<td>B</table></div><div style="position: absolute; left: 0; top: 0"><table><tr><td>A</table></div></div>`, true},
		"icons":          {box + `<div style="width: 5000px">` + strings.Repeat(`<svg width="40" height="40"></svg>`, 100) + `</div></div>`, false},
		"nothing beside": {box + `<svg width="50" height="20"></svg><div style="width: 5000px">HEAD</div></div>`, false},
	} {
		result := mustPrint(t, openSlot(t), Print{HTML: "<!doctype html><p>TEXT" + tc.html, Full: true})
		if warned := len(result.Warnings) > 0; warned != tc.warned {
			t.Errorf("%s: warnings %v", name, result.Warnings)
		}
	}
}

// Short words in two lines of code are not taken for line numbers.
func TestShortCode(t *testing.T) {
	t.Parallel()
	page := `<!doctype html><pre style="overflow: auto"><code><b>npm</b> install` + strings.Repeat(" long", 60) + "\n<b>npm</b> run</code></pre><p>AFTER"
	pdf := mustPrint(t, openSlot(t), Print{HTML: page, Full: true}).PDF
	if run, after := wordAt(t, pdf, "run"), wordAt(t, pdf, "AFTER"); after.yMin-run.yMax > 20 {
		t.Errorf("%.0f points between the code and what follows", after.yMin-run.yMax)
	}
}

// A list box shows all its options on paper, and what follows is below it.
func TestListBox(t *testing.T) {
	t.Parallel()
	page := `<!doctype html><select multiple>` + strings.Repeat("<option>option", 20) + `<option selected>END</select><p>AFTER`
	result := mustPrint(t, openSlot(t), Print{HTML: page, Full: true})
	if end, after := wordAt(t, result.PDF, "END"), wordAt(t, result.PDF, "AFTER"); end.yMax > after.yMin || end.yMin < 200 {
		t.Errorf("the last option is at %.0f pt, what follows at %.0f", end.yMax, after.yMin)
	}
}

// A box that grows over the whole of another keeps what is painted below it.
func TestGrownOverPicture(t *testing.T) {
	t.Parallel()
	page := `<div style="position: relative; height: 150px"><div style="height: 100%; background: #f00"></div>
		<div style="position: absolute; inset: 0; overflow: auto">` + strings.Repeat("<p>line</p>", 10) + `END</div></div>`
	result := mustPrint(t, openSlot(t), Print{HTML: page, Full: true})
	testkit.Contains(t, testkit.PDFText(t, result.PDF), "END")
	if picture := pagetest.PictureOf(t, result.PDF, 1); count(picture, color.RGBA{255, 0, 0, 255}) < 250*picture.Rect.Dx()/2 {
		t.Error("the box below is no higher")
	}
}

// A box that grows shrinks or breaks what scrolls sideways in it, and not the document; if that is not enough, the document, as without the box.
func TestGrownWideBox(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	row := "<tr>" + strings.Repeat(`<td style="white-space: nowrap">A CELL`, 17) + "<td>END"
	for name, c := range map[string]struct {
		html string
		kept bool // the size of the text beside it
	}{
		"table":   {"<table>" + strings.Repeat(row, 20) + "</table>", true},
		"picture": {`<svg width="1200" height="400"><text x="1150" y="350">END</text></svg>`, true},
		"code":    {"<pre>" + strings.Repeat(strings.Repeat("words ", 25)+"\n", 9) + "END</pre>", true},
		"others":  {strings.Repeat(`<p style="width: 1000px; text-align: right">END</p>`, 9), false},
	} {
		result := mustPrint(t, slot, Print{HTML: `<!doctype html><p>EDGE</p><div style="max-height: 100px; overflow: auto">` + c.html + `</div>`, Full: true})
		edge, end := wordAt(t, result.PDF, "EDGE"), wordAt(t, result.PDF, "END")
		if kept := edge.yMax-edge.yMin > 13; kept != c.kept || end.xMax > 595-20 || len(result.Warnings) > 0 {
			t.Errorf("%s: the text keeps its size: %t; its end is at %.0f pt; warnings %v", name, kept, end.xMax, result.Warnings)
		}
	}
}

// On paper, boxes in the flow of a page are as high as what they hold, with what holds them, unless that is empty, or stands in the way of something else.
func TestBoxesGrow(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	lines := strings.Repeat(`<p>line</p>`, 80)
	rows := "<tr><th>HEAD</th></tr>" + strings.Repeat("<tr><td>row</td></tr>", 80) + "<tr><td>END</td></tr>"
	box := func(style, html string) string {
		return `<div style="height: 200px; overflow: auto; ` + style + `">` + html + `</div><p>AFTER</p>`
	}
	end := lines + "<p>END</p>"
	for name, page := range map[string]struct {
		html       string
		grows, cut bool
	}{
		"list":          {box("", end), true, false},
		"at most":       {`<div style="max-height: 200px; overflow-y: scroll">` + end + `</div><p>AFTER</p>`, true, false},
		"table":         {box("", `<table>`+rows+`</table>`), true, false},
		"body of table": {`<table><tbody style="display: block; height: 200px; overflow-y: auto">` + rows + `</tbody></table><p>AFTER</p>`, true, false},
		"card":          {`<div style="height: 300px; display: flex; flex-direction: column; overflow: hidden"><h2>CARD</h2><div style="flex: 1 1 0; overflow: auto">` + end + `</div></div><p>AFTER</p>`, true, false},
		"contained":     {box("contain: strict", end), true, false},
		"in contained":  {`<div style="height: 200px; contain: strict"><div style="height: 100%; overflow: auto">` + end + `</div></div><p>AFTER</p>`, true, false},
		"an editor": {
			`<div style="height: 200px; position: relative; overflow: hidden"><div class="vscrollbar" style="position: absolute; right: 0"></div>` +
				`<div style="overflow: scroll; margin-bottom: -50px; padding-bottom: 50px; height: 100%; position: relative"><div style="min-height: 3000px">` +
				strings.Repeat("<p>line</p>", 5) + `</div></div></div><p>AFTER</p>`, false, true,
		},
		"within":        {box("", "<p>first</p>"+box("", end)), true, false},
		"at its end":    {`<script>addEventListener("load", () => document.querySelector("div").scrollTop = 1e6)</script>` + box("", end), true, false},
		"columns":       {`<div style="display: grid; grid-template-columns: 1fr 1fr; height: 300px"><div style="overflow: auto">` + end + `</div><div>BESIDE</div></div><p>AFTER</p>`, true, false},
		"in a row":      {`<div style="height: 200px; display: flex; overflow: hidden"><div style="flex: auto; overflow-y: scroll">` + end + `</div></div><p>AFTER</p>`, true, false},
		"wide in a row": {`<div style="height: 200px; display: flex"><div style="flex: 1; overflow-y: scroll"><p style="width: 900px">x</p>` + strings.Repeat("<p>"+strings.Repeat("word ", 99)+"</p>", 9) + `END</div><div style="width: 300px">BESIDE</div></div><p>AFTER</p>`, true, false},
		"fills":         {`<div style="position: relative; height: 200px"><div style="position: absolute; inset: 0; overflow: auto">` + end + `</div></div><p>AFTER</p>`, true, false},
		"with a double": {
			`<div style="position: relative; max-height: 200px; overflow: hidden"><div style="position: absolute; inset: 0; overflow: auto">` + end +
				`</div><div style="height: 4000px"></div></div><p>AFTER</p>`, true, false,
		},
		"by a script":    {box("position: relative; overflow: hidden", end+`<div class="x__rail-y" style="position: absolute; top: 0; right: 0"></div>`), true, false},
		"hidden":         {box("position: relative; overflow: hidden", end+`<div style="position: absolute; top: 0; right: 0"></div>`), false, false},
		"pictures":       {box("", strings.Repeat(`<svg width="100" height="150"></svg><br>`, 9)+"END"), true, false},
		"highest":        {box("", `<p>x</p>`+strings.Repeat(`<p style="margin: 0; height: 100px">line</p>`, 198)+"END"), true, false},
		"too high":       {box("", strings.Repeat(`<p style="margin: 0; height: 100px">line</p>`, 200)+"END"), false, true},
		"row of a grid":  {`<div style="display: grid; grid-template-rows: 200px 300px"><div style="overflow: auto">` + end + `</div><div>BELOW</div></div><p>AFTER</p>`, true, false},
		"rows of a grid": {`<div style="display: grid; grid-auto-rows: 200px"><div style="overflow: auto">` + end + `</div><div>BELOW</div></div><p>AFTER</p>`, true, false},
		"empty":          {box("", `<p>first</p><div style="height: 3000px"></div>END`), false, true},
		"spaced":         {box("position: relative", `<p>first</p><div style="position: absolute; top: 3000px">END</div>`), false, false},
		"part of a list": {box("", `<div style="position: relative; height: 9000px"><p style="position: absolute; top: 20px">first</p></div>`), false, true},
		"a scroll bar":   {`<div style="position: relative; height: 200px; overflow: hidden">first<div style="position: absolute; right: 0; top: 0; bottom: 0; width: 16px; overflow-y: scroll"><div style="height: 2400px"></div></div></div><p>AFTER</p>`, false, true},
		"both ways":      {box("", `<div style="width: 2000px">`+end+`</div>`), true, false},
		"menu":           {`<nav>` + box("", end) + `</nav>`, false, false},
		"links":          {box("", strings.Repeat(`<p><a href="/">line</a></p>`, 80)+`<p><a href="/">END</a></p>`), false, false},
		"table of links": {box("", "<table>"+strings.Repeat(`<tr><td><a href="/">line</a></td><td>with something</td></tr>`, 80)+"<tr><td>END</td></tr></table>"), true, false},
		"month of links": {box("", "<table>"+strings.Repeat(`<tr>`+strings.Repeat(`<td><a href="/">day</a></td>`, 7)+`</tr>`, 80)+`<tr><td><a href="/">END</a></td></tr></table>`), true, false},
		"hidden rows":    {box("overflow: hidden", `<table>`+rows+`</table>`), true, false},
		"held rows":      {`<div style="height: 200px; display: flex; flex-direction: column"><b>HEAD</b><div style="flex: 1; min-height: 0; overflow: hidden"><div style="height: 100%; overflow: hidden"><table>` + rows + `</table></div></div></div><p>AFTER</p>`, true, false},
		"rows of boxes":  {box("overflow: hidden", strings.Repeat(`<div role="row">row</div>`, 80)+`<div role="row">END</div>`), true, false},
		"rows and text":  {box("overflow: hidden", `<p>TEXT</p><table>`+rows+`</table>`), false, false},
		"a row":          {box("overflow: hidden; height: 30px", `<table>`+rows+`</table>`), false, false},
		"no row":         {box("overflow: hidden; height: 0", `<table>`+rows+`</table>`), false, false},
		"rows beyond":    {box("overflow: hidden", `<table>`+strings.Repeat("<tr><td>row</td></tr>", 5)+`</table><div style="margin-top: 90px">END</div>`), false, false},
		"placed rows":    {`<div style="position: absolute; top: 100px">` + box("overflow: hidden", `<table>`+rows+`</table>`) + `</div>`, false, true},
		"stays in view":  {box("position: sticky; top: 0", end), false, false},
		"only child":     {box("position: relative; padding: 20px", `<div style="position: absolute; inset: 0 0 auto">`+end+`</div>`), true, false},
		"fills a frame":  {`<div style="position: absolute; top: 100px; height: 200px"><div style="position: absolute; inset: 0; overflow: auto">` + end + `</div></div><p>AFTER</p>`, false, false},
		"placed":         {`<div style="position: absolute; top: 100px">` + box("", end) + `</div>`, false, true},
	} {
		web := pagetest.NewWeb(t, pagetest.Pages{"/": page.html + `<div style="height: 1200px"></div>`})
		result := mustPrint(t, slot, Print{URL: web.URL})
		text := testkit.PDFText(t, result.PDF)
		testkit.Contains(t, text, "AFTER")
		if grew := strings.Contains(text, "END"); grew != page.grows {
			t.Errorf("%s: grew %t", name, grew)
		}
		if page.grows && strings.Index(text, "AFTER") < strings.Index(text, "END") {
			t.Errorf("%s: what follows is not below the box", name)
		}
		if before, _, _ := strings.Cut(text, "AFTER"); strings.Contains(before, "\f\f") {
			t.Errorf("%s: an empty page", name)
		}
		if cut := len(result.Warnings) == 1 && result.Warnings[0].Code == contract.PageCut; cut != page.cut || len(result.Warnings) > 1 {
			t.Errorf("%s: warnings %v", name, result.Warnings)
		}
		if _, image := mustCapture(t, slot, Capture{URL: web.URL, Options: contract.Image{FullPage: true}}); image.Height > 2500 {
			t.Errorf("%s: the image is %d pixels high", name, image.Height)
		}
	}
}

// Frames are as high as what they show, on paper and in images of the whole page, unless they are out of the flow or hide the rest.
func TestFrames(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	const rows = `<p>TOP</p><div style="height: 1500px"></div><p>BOTTOM</p>`
	other := pagetest.NewWeb(t, pagetest.Pages{
		"/": rows, "/hero": `<div style="min-height: 100vh">TOP</div>` + strings.Replace(rows, "TOP", "", 1), "/hides": `<body style="overflow: hidden">` + rows, "/tall": rows + `<div style="height: 20000px"></div>DEEP`,
	})
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
		"/cut":    {`<div style="height: 250px; overflow: hidden">` + frame(`src="/rows"`) + `</div>`, true},
		"/fills": {
			`<div style="height: 300px; display: flex; flex-direction: column; overflow: hidden"><div style="flex: 1 1 0; overflow: hidden">` +
				`<iframe style="width: 100%; height: 100%" src="/rows"></iframe></div><p>END</p></div>`, true,
		},
		"/over": {
			`<div style="height: 250px; display: flex; overflow: hidden"><div style="flex: 1; position: relative"><iframe style="position: absolute; width: 100%; height: 100%; border: 0" ` +
				`src="/rows"></iframe></div></div><p>END</p>`, true,
		},
		"/square": {
			`<div style="height: 210px; position: relative; overflow: hidden"><div style="position: absolute; top: 0"><iframe style="height: 200px" src="/rows"></iframe></div></div><p>END</p>`, false,
		},
		"/object":    {`<object type="text/html" style="width: 300px; height: 200px" data="/rows"></object><p>END</p>`, true},
		"/still":     {frame(`scrolling="no" src="/rows"`), false},
		"/other":     {frame(`src="` + other.URL + `"`), true},
		"/sandboxed": {frame(`sandbox srcdoc="` + strings.ReplaceAll(rows, `"`, "'") + `"`), true},
		"/site":      {frame(`src="` + strings.Replace(other.URL, "127.0.0.1", "localhost", 1) + `"`), true},
		"/own":       {frame(`sandbox src="/rows"`), true},
		"/named":     {`<p id="foreign">` + frame(`src="`+other.URL+`"`), true},
		"/hero":      {frame(`src="` + other.URL + `/hero"`), true},
		"/closed":    {frame(`src="` + other.URL + `/hides"`), false},
		"/tall":      {frame(`src="` + other.URL + `/tall"`), false},
		"/placed":    {`<div style="position: absolute; top: 300px">` + frame(`src="/rows"`) + `</div>`, false},
		"/hides":     {frame(`srcdoc="<body style='overflow: hidden'>` + strings.ReplaceAll(rows, `"`, "'") + `"`), false},
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
		if warned := path == "/square" || path == "/placed" || path == "/tall"; warned != (len(result.Warnings) > 0) {
			t.Errorf("%s: warnings %v", path, result.Warnings)
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

// No line of a block that is shifted relative to its place is moved beyond the edge of a page, and everything is where it was.
func TestShifted(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	var lines strings.Builder
	for i := range 150 {
		fmt.Fprintf(&lines, `<p style="margin: 0; line-height: 20px">W%d</p>`, i)
	}
	for name, page := range map[string]string{
		"up":           `<p style="margin: 60px 0">BEFORE</p><div style="position: relative; top: -50px; margin: 20px 0">` + lines.String() + `</div><p style="margin: 20px 0">AFTER`,
		"down":         `<p>BEFORE</p><div style="position: relative; bottom: -20px">` + lines.String() + `</div><p>AFTER`,
		"in a box":     `<p>BEFORE</p><div style="max-height: 99px; overflow: auto; padding-top: 60px"><div style="position: relative; top: -50px">` + lines.String() + `</div></div><p>AFTER`,
		"with a child": `<p>BEFORE</p><div style="position: relative; top: -9px"><div style="position: absolute; bottom: 100%">ABOVE</div>` + lines.String() + `</div><p>AFTER`,
	} {
		pdf := mustPrint(t, slot, Print{HTML: "<!doctype html>" + page, Full: true}).PDF
		for line := range strings.Lines(testkit.Tool(t, pdf, "pdftotext", "-bbox", "-", "-")) {
			var top, bottom, skipped float64
			_, err := fmt.Sscanf(strings.TrimSpace(line), `<word xMin="%f" yMin="%f" xMax="%f" yMax="%f">`, &skipped, &top, &skipped, &bottom)
			if err == nil && (top < 27 || bottom > 842-27) { // the margins
				t.Errorf("%s: a line is cut: %s", name, line)
			}
		}
		before, first := wordAt(t, pdf, "BEFORE"), wordAt(t, pdf, "W0")
		plain := mustPrint(t, slot, Print{HTML: "<!doctype html>" + strings.Replace(page, lines.String(), `<p style="margin: 0; line-height: 20px">W0</p>`, 1), Full: true}).PDF
		if was := wordAt(t, plain, "W0").yMin - wordAt(t, plain, "BEFORE").yMin; math.Abs(first.yMin-before.yMin-was) > 1 {
			t.Errorf("%s: the first line is at %.0f pt, where it was at %.0f", name, first.yMin-before.yMin, was)
		}
	}
}

// Blocks whose margins collapse with those of their parent stay where they are, like the blocks between them.
func TestShiftedBesideOthers(t *testing.T) {
	t.Parallel()
	const shifted = `<p style="position: relative; top: 20px; margin: 40px 0">`
	pdf := mustPrint(t, openSlot(t), Print{HTML: "<!doctype html><p>TOP</p><div>" + shifted + "FIRST</p>" + shifted + "SECOND</p>" + shifted + "THIRD</p></div><p>END", Full: true}).PDF
	first, second, third := wordAt(t, pdf, "FIRST").yMin, wordAt(t, pdf, "SECOND").yMin, wordAt(t, pdf, "THIRD").yMin
	if math.Abs(second-first-(third-second)) > 1 {
		t.Errorf("the lines are at %.0f, %.0f and %.0f pt", first, second, third)
	}
}

// What the flow places, but does not hold, stays where it is when a block beside it has a margin instead of its shift.
func TestShiftedBelowABar(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><style>body { margin: 0 } p { margin: 0; line-height: 20px }</style><div style="position: fixed; height: 62px"><p>BAR</p><div style="position: absolute">MENU</div></div>` +
		`<div style="position: absolute; top: 62px; left: 400px">SIDE</div><div style="position: relative; top: 62px">`
	pdf := mustPrint(t, openSlot(t), Print{HTML: page + strings.Repeat("<p>x</p>", 90) + "<p>END</div><script></script>", Full: true}).PDF
	for word, want := range map[string]float64{"BAR": 29, "MENU": 44, "SIDE": 75} {
		if at := wordAt(t, pdf, word).yMin; math.Abs(at-want) > 4 {
			t.Errorf("%s is at %.0f pt, want %.0f", word, at, want)
		}
	}
}

// Sections as high as the window are as high as a page, be it wider than high.
func TestSectionsOfAPage(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	html := `<!doctype html><style>body { margin: 0 } section { height: 100vh }</style>` + strings.Repeat(`<section><p style="margin: 0">TEXT</p></section>`, 3)
	for _, landscape := range []bool{false, true} {
		if pages := mustPrint(t, slot, Print{HTML: html, Full: true, Options: contract.Paper{Landscape: landscape}}).Pages; pages != 3 {
			t.Errorf("landscape %t: %d pages", landscape, pages)
		}
	}
}

// A box that cuts what is beyond it grows on paper with what moves to the next page, whether its height is its own or that of a box around it.
func TestCuttingBoxes(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	const (
		cuts, all, high = "overflow: hidden; ", "height: 100%; ", "height: 4440px; "
		column          = "display: flex; flex-direction: column; "
	)
	lines := strings.Repeat(`<p style="margin: 0; line-height: 37px">line</p>`, 119) + `<p style="margin: 0; line-height: 37px">END</p>`
	slot := openSlot(t)
	for name, styles := range map[string][3]string{
		"column": {column + cuts + all, "", "overflow: auto; " + all}, "column of a height": {column + cuts + high, "flex: 1 1 0", all},
		"column in a box": {column + high, cuts + "flex: 1 1 0; min-height: 0", all},
		"row":             {"display: flex; " + cuts, "", all}, "grid": {"display: grid; " + cuts, all, ""}, "row of a grid": {"display: grid; grid-template-rows: 4440px", cuts, all},
		"high": {cuts + high, "", ""}, "at most": {cuts + "max-height: 4440px", "", ""}, "scrolls sideways": {"overflow: auto; " + high, "", ""},
	} {
		html := lines
		for _, style := range slices.Backward(styles[:]) {
			html = `<div style="` + style + `">` + html + `</div>`
		}
		for _, full := range []bool{false, true} {
			text := printed(t, slot, Print{HTML: "<!doctype html><html><head></head><body>" + html + "<p>AFTER</p></body></html>", Full: full})
			if end := strings.Index(text, "END"); end < 0 || strings.Index(text, "AFTER") < end {
				t.Errorf("%s: its end is cut, or covered", name)
			}
		}
	}
}

// A body whose hidden overflow is shown, because the window hides it as well, keeps its columns.
func TestHiddenOverflowKeepsColumns(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	for _, display := range []string{"flex", "grid; grid-template-columns: 1fr 1fr"} {
		html := `<!doctype html><style>html, body { overflow-x: hidden } body { position: relative; gap: 20px; display: ` + display + ` }</style>` +
			`<aside>LEFT</aside><main>RIGHT</main><div style="position: absolute; left: 90%; width: 500px; height: 9px"></div>`
		result := mustPrint(t, slot, Print{HTML: html, Full: true})
		if left, right := wordAt(t, result.PDF, "LEFT"), wordAt(t, result.PDF, "RIGHT"); math.Abs(left.yMin-right.yMin) > 1 {
			t.Errorf("%s: the columns are at %.0f and %.0f points", display, left.yMin, right.yMin)
		}
	}
}
