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
	web := pagetest.NewWeb(t, pagetest.Pages{"/": wide, "/hidden": wide + `<div style="width: 100px; overflow: hidden"><p style="width: 3000px">HIDDEN</p></div>`})
	for name, job := range map[string]Print{
		"posted": {HTML: wide}, "on a single page": {HTML: wide, Options: contract.Paper{SinglePage: true}},
		"visited": {URL: web.URL}, "beside hidden text": {URL: web.URL + "/hidden"}, "from the right": {HTML: `<div dir="rtl">` + wide + `</div>`},
		"twice as wide": {HTML: strings.Replace(wide, "110", "190", 1)},
	} {
		result := mustPrint(t, slot, job)
		if right := edge(t, result.PDF); right > 595-20 {
			t.Errorf("%s: EDGE reaches to %.0f pt", name, right)
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
