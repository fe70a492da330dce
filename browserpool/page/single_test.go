package page

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// A single page is as high as its content between the margins, for documents sent or visited, with page breaks, as high as the window, wide or short.
func TestSinglePage(t *testing.T) {
	slot := openSlot(t)
	const block = `<div style="height: 3000px">TOP</div><p style="margin: 0; height: 20px">END</p>`
	for name, c := range map[string]struct {
		html   string
		o      contract.Paper
		points float64 // the height; 0 if it is not known
		width  float64
	}{
		"long":     {`<body style="margin: 0">` + block, noMargin, 3020 * 0.75, 595},
		"margins":  {`<body style="margin: 0">` + block, contract.Paper{MarginTop: "1in", MarginBottom: "1in"}, 3020*0.75 + 144, 595},
		"width":    {`<body style="margin: 0">` + block, contract.Paper{Width: "10in"}, 3020*0.75 + 56, 720},
		"turned":   {`<body style="margin: 0">` + block, contract.Paper{Landscape: true, SizeGiven: true}, 3020*0.75 + 56, 842},
		"scaled":   {`<body style="margin: 0">` + block, contract.Paper{Scale: 0.5}, 3020*0.375 + 56, 595},
		"broken":   {`<body style="margin: 0"><p style="margin: 0; height: 100px; break-after: page">TOP</p><p style="margin: 0; height: 100px; page-break-before: always !important">END</p>`, noMargin, 150, 595},
		"short":    {`<body style="margin: 0"><span style="font-size: 5px">TOP END</span>`, noMargin, 28.35, 595},
		"wide":     {`<body style="margin: 0"><div style="width: 1000px; height: 1000px">TOP</div><p style="margin: 0; height: 20px">END</p>`, noMargin, 0, 595},
		"window":   {`<body style="margin: 0"><div style="height: 100vh">TOP</div><div style="min-height: calc(50vh + 10px)">END</div>`, noMargin, 0, 595},
		"strips":   {`<p>TOP</p><table><tr>` + strings.Repeat(`<td><div style="width: 500px; height: 300px">CELL</div>`, 4) + `</table><p>END</p>`, contract.Paper{}, 0, 595},
		"code":     {`<p>TOP</p><pre style="overflow: auto">` + strings.Repeat(strings.Repeat("code ", 60)+"\n", 20) + `</pre><p>END</p>`, contract.Paper{}, 0, 595},
		"no style": {`<p>TOP</p>` + strings.Repeat("<p>x</p>", 300) + `<p>END</p>`, contract.Paper{}, 0, 595},
	} {
		c.o.SinglePage = true
		web := pagetest.NewWeb(t, pagetest.Pages{"/": `<!doctype html><style>@page { size: A3; margin: 0 } @page x { size: A6 }</style>` + c.html})
		full := c.o
		full.MarginTop, full.MarginBottom, full.MarginLeft, full.MarginRight = orCM(full.MarginTop), orCM(full.MarginBottom), orCM(full.MarginLeft), orCM(full.MarginRight)
		if full.Width == "" {
			full.SizeGiven = true
		}
		for kind, job := range map[string]Print{"sent": {HTML: wholeDocument(c.html), Options: c.o}, "visited": {URL: web.URL, Options: full}} {
			result := mustPrint(t, slot, job)
			_, width, height := geometry(t, result.PDF)
			if result.Pages != 1 || math.Abs(width-c.width) > 1 || c.points > 0 && math.Abs(height-c.points) > 3 {
				t.Errorf("%s, %s: %d pages of %v x %v points, want one of %v x %v", name, kind, result.Pages, width, height, c.width, c.points)
			}
			testkit.Contains(t, testkit.PDFText(t, result.PDF), "TOP", "END")
		}
	}
}

func orCM(margin string) string {
	if margin == "" {
		return "1cm"
	}
	return margin
}

// Content higher than the largest paper continues on further pages of that height; header, footer and page ranges work as usual.
func TestSinglePageGoesOn(t *testing.T) {
	slot := openSlot(t)
	html := func(pixels int) string {
		return wholeDocument(fmt.Sprintf(`<body style="margin: 0"><div style="height: %dpx">TOP</div><p style="margin: 0; height: 20px">END</p>`, pixels))
	}
	for pixels, want := range map[int]int{200*96 - 30: 1, 200*96 + 30: 2} {
		o := noMargin
		o.SinglePage = true
		result := mustPrint(t, slot, Print{HTML: html(pixels), Options: o})
		sizes := pageSizes(t, result.PDF)
		if len(sizes) != want || want == 2 && (sizes[0] != "596 x 14400" || sizes[1] != sizes[0]) {
			t.Errorf("%d pixels: %q", pixels, sizes)
		}
	}
	o := contract.Paper{SinglePage: true, HeaderFooter: true, Footer: `FOOT <span class="pageNumber"></span>/<span class="totalPages"></span>`, PageRanges: "2"}
	result := mustPrint(t, slot, Print{HTML: html(30_000), Options: o})
	if text := testkit.PDFText(t, result.PDF); result.Pages != 1 || !strings.Contains(text, "FOOT 2/2") || strings.Contains(text, "TOP") {
		t.Errorf("%d pages: %q", result.Pages, text)
	}
}

// Preferred page rules set the width and margins of a single page.
func TestSinglePageOfPageRules(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": `<!doctype html><style>@page { size: 5in 5in; margin: 1in } body { margin: 0 }</style><div style="height: 960px">TOP</div>`})
	result := mustPrint(t, slot, Print{URL: web.URL, Options: contract.Paper{SinglePage: true, PreferCSS: true}})
	if _, width, height := geometry(t, result.PDF); result.Pages != 1 || width != 360 || math.Abs(height-12*72) > 3 {
		t.Errorf("%d pages of %v x %v points", result.Pages, width, height)
	}
}

// Margins of page rules that the request leaves open hold on a single page as on others; those that it gives do not.
func TestSinglePageWithMarginsOfPageRules(t *testing.T) {
	slot := openSlot(t)
	for margin, points := range map[string]float64{"1in": 144, "0": 0, "0.5in 2in": 72} {
		web := pagetest.NewWeb(t, pagetest.Pages{"/": `<!doctype html><style>@page { size: A3; margin: ` + margin + ` } body { margin: 0 }</style>` +
			`<div style="height: 3000px">TOP</div><div style="width: 100%; height: 20px">END</div>`})
		for top, more := range map[string]float64{"": points, "10mm": points/2 + 28} {
			result := mustPrint(t, slot, Print{URL: web.URL, Options: contract.Paper{SinglePage: true, MarginTop: top}})
			if _, width, height := geometry(t, result.PDF); result.Pages != 1 || math.Abs(width-595) > 1 || math.Abs(height-3020*0.75-more) > 3 {
				t.Errorf("%s, %q at the top: %d pages of %v x %v points, want one of 595 x %v", margin, top, result.Pages, width, height, 3020*0.75+more)
			}
		}
	}
}
