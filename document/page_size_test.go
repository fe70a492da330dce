package document

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"

	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// A watermark is centred on every page, and not scaled, whatever the page sizes, whether the PDF is tagged or not.
func TestWatermarkOnSizes(t *testing.T) {
	printed := newPrinter(t)
	const html = `<!doctype html><html><head><style>@page { size: A5 } @page wide { size: 20in 3in } @page high { size: 5in 100in } div { page: wide } p { page: high } b { page: auto }</style></head>` +
		`<body>one<div>two</div><p>three</p><div>four</div></body></html>`
	for _, tagged := range []bool{false, true} {
		pdf := printed(html, contract.Paper{PreferCSS: true, Tagged: tagged})
		sizes, ofPage, err := PageSizes(pdf)
		if err != nil || len(sizes) != 3 || !slices.Equal(ofPage, []int{1, 2, 3, 2}) {
			t.Fatalf("sizes %v of pages %v: %v", sizes, ofPage, err)
		}
		f := marked(t, printed, pdf, Watermark{Text: "MARK", Color: "red", FontSize: "30px"})
		if n, err := PageCount(f.Overlay); n != 3 {
			t.Fatalf("the overlay has %d pages: %v", n, err)
		}
		f.Tagged = tagged
		out, err := Finish(t.Context(), pdf, f)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`(?s)<page width="([\d.]+)" height="([\d.]+)">.*?xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">MARK<`).
			FindAllStringSubmatch(testkit.Tool(t, out, "pdftotext", "-bbox", "-", "-"), -1)
		if len(found) != 4 {
			t.Fatalf("tagged %v: the mark is on %d pages", tagged, len(found))
		}
		for i, f := range found {
			var n [6]float64
			for j := range n {
				if _, err := fmt.Sscan(f[j+1], &n[j]); err != nil {
					t.Fatal(err)
				}
			}
			if math.Abs(n[2]+n[4]-n[0]) > 2 || math.Abs(n[3]+n[5]-n[1]) > 10 || math.Abs(n[4]-n[2]-61) > 8 {
				t.Errorf("tagged %v: page %d of %v x %v has the mark from %v to %v, %v to %v", tagged, i+1, n[0], n[1], n[2], n[4], n[3], n[5])
			}
		}
	}
	if _, _, err := PageSizes([]byte("%PDF-1.4")); err == nil {
		t.Error("a broken PDF has sizes")
	}
}
