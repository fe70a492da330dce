package page

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// An empty last page is left out, unless a break asks for it, or something is on it; empty pages before it stay.
func TestBlankEnd(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	const fresh = `style="break-before: page"`
	for name, c := range map[string]struct {
		html  string
		pages int
	}{
		"a margin":                 {`<p>TEXT</p><div style="height: 900px; margin-bottom: 200px">TEXT</div><p></p>`, 1},
		"the height of the paper":  {`<div style="height: 297mm">TEXT</div>`, 1},
		"a page for nothing":       {`<div style="break-after: page">TEXT</div><div style="break-after: page">TEXT</div><p></p>`, 2},
		"two empty pages":          {`<div style="height: 2500px">TEXT</div>`, 2},
		"white on white":           {`<div style="height: 1800px; background: #fff">TEXT</div>`, 1},
		"a page that is asked for": {`<p>TEXT</p><p ` + fresh + `>&nbsp;</p>`, 2},
		"after another":            {`<p style="break-after: page">TEXT</p><p>&nbsp;</p>`, 2},
		"within a box":             {`<main><p>TEXT</p><div ` + fresh + `><p>&nbsp;</p></div></main>`, 2},
		"a colour":                 {`<div style="height: 1500px; background: #eee">TEXT</div>`, 2},
		"a border":                 {`<div style="height: 1500px; border: 1px solid">TEXT</div>`, 2},
		"a line":                   {`<div style="height: 1500px">TEXT</div>END`, 2},
		"a link":                   {`<div style="height: 1500px">TEXT</div><a href="https://example.com/" style="display: block; height: 20px"></a>`, 2},
		"one page":                 {`<p style="height: 100px">`, 1},
	} {
		web := pagetest.NewWeb(t, pagetest.Pages{"/": c.html})
		for kind, job := range map[string]Print{
			"posted": {HTML: c.html}, "tagged": {HTML: c.html, Options: contract.Paper{Tagged: true}}, "full": {HTML: c.html, Full: true}, "visited": {URL: web.URL},
		} {
			if result := mustPrint(t, slot, job); result.Pages != c.pages {
				t.Errorf("%s, %s: %d pages, want %d", name, kind, result.Pages, c.pages)
			}
		}
	}
	for pages, want := range map[int]int{maxPrintedTwice: maxPrintedTwice - 1, maxPrintedTwice + 1: maxPrintedTwice + 1} {
		html := strings.Repeat(`<p style="break-after: page">TEXT</p>`, pages-2) + `<div style="height: 1500px">TEXT</div>`
		if result := mustPrint(t, slot, Print{HTML: html}); result.Pages != want {
			t.Errorf("%d pages become %d, want %d", pages, result.Pages, want)
		}
	}
	high := `<div style="height: 1500px">TEXT</div>`
	for name, o := range map[string]contract.Paper{"pages that are asked for": {PageRanges: "1-2"}, "a footer": {HeaderFooter: true, Footer: "FOOT"}} {
		if result := mustPrint(t, slot, Print{HTML: high, Options: o}); result.Pages != 2 {
			t.Errorf("%s: %d pages, want 2", name, result.Pages)
		}
	}
}

// Anything but the browser's own form of a page that paints nothing but white counts as a page with content.
func TestEndsBlank(t *testing.T) {
	for content, want := range map[string]bool{
		"q 1 1 1 rg 0 0 9 9 re f Q": true, "": true, "q 0 0 9 9 re W* n Q": true, "0 0 0 rg q 1 1 1 rg f Q": true,
		"0 0 9 9 re f": false, "q 1 1 1 rg Q f": false, "1 1 1 rg .9 .9 .9 rg f*": false, "Q 1 1 1 rg f": false, "BT (x) Tj ET": false, "/X0 Do": false,
		"1 1 1 RG 0 0 m 9 9 l S": false, "1 1 1 rg 0 g f": false,
	} {
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		fmt.Fprint(z, content)
		z.Close()
		if got := showsNothing(packed.Bytes()); got != want {
			t.Errorf("%q: %v, want %v", content, got, want)
		}
	}
	if showsNothing([]byte("not compressed")) || rawPDF("%PDF-1.4 nothing else").endsBlank() {
		t.Error("what cannot be read counts as empty")
	}
}
