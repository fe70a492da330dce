package page

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// These tests check that documents keep to the requested paper (fit.go, arrange.go).

// noMargin is paper without margins.
var noMargin = contract.Paper{MarginTop: "0", MarginRight: "0", MarginBottom: "0", MarginLeft: "0"}

// Boxes exactly as large as the paper take one page each, with or without a requested scale of 1.
func TestSheetsOfThePapersSize(t *testing.T) {
	slot := openSlot(t)
	sizes := map[string]string{
		"A4": "width: 210mm; height: 297mm", "A3": "width: 297mm; height: 420mm", "Letter": "width: 8.5in; height: 11in",
		"Legal": "width: 8.5in; height: 14in", "Tabloid": "width: 11in; height: 17in", "Ledger": "width: 17in; height: 11in",
		"A0": "width: 841mm; height: 1189mm", "A1": "width: 594mm; height: 841mm", "A2": "width: 420mm; height: 594mm", "A5": "width: 148mm; height: 210mm", "A6": "width: 105mm; height: 148mm",
	}
	for format, size := range sizes {
		for _, size := range []string{size, size[strings.Index(size, "height"):]} {
			sheet := `<div style="` + size + `; background: #eef; break-after: page">S</div>`
			html := `<!doctype html><html><head></head><body style="margin: 0">` + strings.Repeat(sheet, 3)
			for _, scale := range []float64{0, 1} {
				o := noMargin
				o.Format, o.Scale = format, scale
				if got := mustPrint(t, slot, Print{HTML: html, Options: o}).Pages; got != 3 {
					t.Errorf("%s, %s, scale %v: %d pages, want 3", format, size, scale, got)
				}
			}
		}
	}
}

// The caller's size and margins override page rules; page rules may set those that the caller omits.
func TestPageRules(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	rules := map[string]string{
		"none":          ``,
		"size":          `@page { size: A3 }`,
		"turned":        `@page { size: landscape }`,
		"size, turned":  `@page { size: A5 landscape; margin: 2in }`,
		"margin":        `@page { margin: 0 }`,
		"important":     `@page { size: A3 landscape !important; margin: 0 !important }`,
		"first page":    `@page :first { size: A3 landscape; margin: 0 !important }`,
		"named":         `@page w { size: A3 landscape; margin: 0 !important } body { page: w }`,
		"in media":      `@media print { @page { size: A3 landscape; margin: 0 } }`,
		"in a layer":    `@layer x { @page { size: A3 landscape !important; margin: 0 } }`,
		"another sheet": `@import "/rules.css";`,
	}
	css := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, `@page { size: A3 landscape; margin: 0 }`)
	}
	pages := pagetest.Pages{"/rules.css": http.HandlerFunc(css)}
	body := `</style><body style="margin: 0"><div style="display: flex; justify-content: space-between"><b>LEFT</b><b>RIGHT</b></div>`
	for name, rule := range rules {
		pages["/"+name] = `<!doctype html><style>` + rule + body
	}
	web := pagetest.NewWeb(t, pages)
	pages["/strange"] = `<!doctype html><link rel="stylesheet" href="` + web.LocalhostURL() + `/rules.css"><style>` + body
	for name := range pages {
		if name == "/rules.css" {
			continue
		}
		for _, landscape := range []bool{false, true} {
			o := contract.Paper{
				Format:       "Letter",
				Landscape:    landscape,
				SizeGiven:    true,
				MarginTop:    "1in",
				MarginRight:  "1in",
				MarginBottom: "1in",
				MarginLeft:   "1in",
				HeaderFooter: true,
				Header:       "HEAD",
			}
			pdf := mustPrint(t, slot, Print{URL: web.URL + strings.ReplaceAll(name, " ", "%20"), Options: o}).PDF
			_, width, height := geometry(t, pdf)
			want := [2]float64{612, 792}
			if landscape {
				want = [2]float64{792, 612}
			}
			if math.Abs(width-want[0]) > 1 || math.Abs(height-want[1]) > 1 {
				t.Errorf("%s, turned %v: %v x %v points, want %v", name, landscape, width, height, want)
			}
			left, right := wordAt(t, pdf, "LEFT"), wordAt(t, pdf, "RIGHT")
			if math.Abs(left.xMin-72) > 1.5 || math.Abs(right.xMax-(want[0]-72)) > 1.5 || left.yMin < 71 || left.yMin > 80 {
				t.Errorf("%s, turned %v: text from %v to %v, %v from the top", name, landscape, left.xMin, right.xMax, left.yMin)
			}
			if head := wordAt(t, pdf, "HEAD"); head.yMax > 72 {
				t.Errorf("%s, turned %v: the header ends at %v", name, landscape, head.yMax)
			}
		}
	}
	// Omitted by the caller: the rule decides.
	pdf := mustPrint(t, slot, Print{URL: web.URL + "/size,%20turned"}).PDF
	if _, width, height := geometry(t, pdf); width < height {
		t.Errorf("a page rule did not turn the paper: %v x %v", width, height)
	}
	// The caller's sides override rules like a format does.
	pdf = mustPrint(t, slot, Print{URL: web.URL + "/important", Options: contract.Paper{Width: "6in", Height: "4in"}}).PDF
	if _, width, height := geometry(t, pdf); width != 432 || height != 288 {
		t.Errorf("a page rule made paper of 6 x 4 inches %v x %v points", width, height)
	}
	pdf = mustPrint(t, slot, Print{URL: web.URL + "/margin"}).PDF
	if at := wordAt(t, pdf, "LEFT"); at.xMin > 1 {
		t.Errorf("a page rule did not set the margin: text at %v", at.xMin)
	}
	// Only one side given: the rule sets the others.
	pdf = mustPrint(t, slot, Print{URL: web.URL + "/margin", Options: contract.Paper{MarginLeft: "1in"}}).PDF
	if left, right := wordAt(t, pdf, "LEFT"), wordAt(t, pdf, "RIGHT"); math.Abs(left.xMin-72) > 1.5 || right.xMax < 594 {
		t.Errorf("text from %v to %v, want it from 72 to 596", left.xMin, right.xMax)
	}
}

// A requested scale is kept, and invisible content does not count.
func TestScaleIsKept(t *testing.T) {
	slot := openSlot(t)
	const text = `<p style="font: 20px 'Liberation Sans'; margin: 0">SIZED</p>`
	size := func(html string, scale float64) (height float64, warnings []Warning) {
		result := mustPrint(t, slot, Print{HTML: wholeDocument(html), Options: contract.Paper{Scale: scale}})
		at := wordAt(t, result.PDF, "SIZED")
		return at.xMax - at.xMin, result.Warnings
	}
	whole, _ := size(text, 1)
	for name, c := range map[string]struct {
		html        string
		asked, want float64
		cut         bool
	}{
		"a wide box at scale 1":            {text + `<div style="width: 1500px">x</div>`, 1, 1, true},
		"a long word at scale 1":           {text + strings.Repeat("x", 300), 1, 1, false},
		"a wide box at scale 2":            {text + `<div style="width: 1500px">x</div>`, 2, 2, true},
		"a percentage at scale 1.5":        {text + `<div style="width: 130%">x</div>`, 1.5, 1.5, true},
		"something positioned at scale 1":  {text + `<div style="position: absolute; left: 100px; width: 1500px">x</div>`, 1, 1, true},
		"something off the paper":          {text + `<div style="position: absolute; left: 2000px; width: 100px">x</div>`, 1, 1, true},
		"a narrow body at scale 1":         {`</body><body style="width: 300px">` + text + `<div style="width: 1500px">x</div>`, 1, 1, true},
		"a wide box":                       {text + `<div style="width: 900px">x</div>`, 0, 0.8, false},
		"a wider box":                      {text + `<div style="width: 1200px">x</div>`, 0, 0.6, false},
		"far too wide":                     {text + `<div style="width: 3000px">x</div>`, 0, 0.5, true},
		"a wide box that is not visible":   {text + `<div style="width: 3000px; visibility: hidden">x</div>`, 0, 1, false},
		"a wide box without opacity":       {text + `<div style="width: 3000px; opacity: 0">x</div>`, 0, 1, false},
		"a clipped box":                    {text + `<div style="width: 100px; overflow: hidden"><div style="width: 3000px">x</div></div>`, 0, 1, false},
		"a body that hides":                {`</body><body style="overflow: hidden">` + text + `<div style="width: 3000px">x</div>`, 0, 1, false},
		"hidden, beside a wide box":        {text + `<div style="width: 900px">x</div><div style="width: 3000px; visibility: hidden">x</div>`, 0, 0.8, false},
		"hidden and positioned":            {text + `<div style="position: absolute; left: 500px; width: 3000px; visibility: hidden">x</div>`, 0, 1, false},
		"a menu beside the window":         {text + `<div style="position: absolute; right: -300px; width: 300px; visibility: hidden">x</div>`, 0, 1, false},
		"positioned in a box that is left": {text + `<div style="width: 100px; overflow: hidden; position: relative"><div style="position: absolute; left: 50px; width: 3000px">x</div></div>`, 0, 1, false},
	} {
		got, warnings := size(c.html, c.asked)
		if got /= whole; math.Abs(got-c.want) > 0.012 {
			t.Errorf("%s: printed at scale %.3f, want %v", name, got, c.want)
		}
		if cut := len(warnings) == 1 && warnings[0].Code == contract.PageCut; cut != c.cut || !cut && len(warnings) > 0 {
			t.Errorf("%s: warnings %v, want one that something is cut: %v", name, warnings, c.cut)
		}
	}
}

// placed is the box of a word on paper, in points from the top left corner.
type placed struct{ xMin, yMin, xMax, yMax float64 }

func wordAt(t *testing.T, pdf []byte, word string) (at placed) {
	t.Helper()
	for line := range strings.Lines(testkit.Tool(t, pdf, "pdftotext", "-bbox", "-", "-")) {
		if strings.Contains(line, ">"+word+"<") {
			if _, err := fmt.Sscanf(strings.TrimSpace(line), `<word xMin="%f" yMin="%f" xMax="%f" yMax="%f">`, &at.xMin, &at.yMin, &at.xMax, &at.yMax); err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Errorf("no word %s", word)
	return at
}

// A heading stays with what follows it in the same element, unless the document says otherwise. What follows an element that ends with one may begin a page.
func TestHeadingsStay(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	for name, tc := range map[string]struct {
		before, after string // the text that follows the heading
		apart         bool
	}{
		"by itself":      {"", "<p>TEXT</p>", false},
		"overruled":      {"<style>h2 { break-after: auto }</style>", "<p>TEXT</p>", true},
		"by any rule":    {"<style>* { break-after: auto }</style>", "<p>TEXT</p>", true},
		"ends its box":   {"<div>", "</div><p>TEXT</p>", true},
		"two headings":   {"", "<h3>SUB</h3><p>TEXT</p>", false},
		"within columns": {`<div style="display: flex"><div>`, "<p>TEXT</p></div></div>", false},
	} {
		html := `<!doctype html><div style="height: 985px"></div>` + tc.before + `<h2 style="margin: 0">HEAD</h2>` + tc.after
		web := pagetest.NewWeb(t, pagetest.Pages{"/": html})
		for way, job := range map[string]Print{"posted": {HTML: html}, "full": {HTML: html, Full: true}, "visited": {URL: web.URL}} {
			first, _, _ := strings.Cut(testkit.PDFText(t, mustPrint(t, slot, job).PDF), "\f")
			if apart := strings.Contains(first, "HEAD"); apart != tc.apart || strings.Contains(first, "TEXT") {
				t.Errorf("%s, %s: the first page has %q", name, way, first)
			}
		}
	}
}
