package page

import (
	"errors"
	"math"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
)

// Preferred page rules decide size, orientation and margins, whatever the caller asks for; the caller's values apply to those that they omit.
func TestPreferCSSPageSize(t *testing.T) {
	slot := openSlot(t)
	const body = `</style><body style="margin: 0"><div style="display: flex; justify-content: space-between"><b>LEFT</b><b>RIGHT</b></div>`
	for name, c := range map[string]struct {
		rule                     string
		width, height, left, top float64
	}{
		"none":         {``, 612, 792, 72, 72},
		"size":         {`@page { size: A5 }`, 420, 595, 72, 72},
		"lengths":      {`@page { size: 6in calc(3in + 1in); margin: 0.5in }`, 432, 288, 36, 36},
		"one length":   {`@page { size: 5in }`, 360, 360, 72, 72},
		"turned":       {`@page { size: landscape }`, 792, 612, 72, 72},
		"size, turned": {`@page { size: A5 landscape; margin: 2in }`, 595, 420, 144, 144},
		"margin":       {`@page { margin: 0 1in 0 0 }`, 612, 792, 0, 0},
		"important":    {`@page { size: A5 !important } @page { size: A3 }`, 420, 595, 72, 72},
		"in media":     {`@media print { @page { size: A5 } } @media screen { @page { size: A3 } }`, 420, 595, 72, 72},
	} {
		web := pagetest.NewWeb(t, pagetest.Pages{"/": `<!doctype html><style>` + c.rule + body})
		o := contract.Paper{
			Format: "Letter", SizeGiven: true, MarginTop: "1in", MarginRight: "1in", MarginBottom: "1in", MarginLeft: "1in",
			PreferCSS: true, HeaderFooter: true, Header: "HEAD",
		}
		result := mustPrint(t, slot, Print{URL: web.URL, Options: o})
		_, width, height := geometry(t, result.PDF)
		if math.Abs(width-c.width) > 1 || math.Abs(height-c.height) > 1 || result.Pages != 1 {
			t.Errorf("%s: %v x %v points on %d pages, want %v x %v", name, width, height, result.Pages, c.width, c.height)
		}
		left, right := wordAt(t, result.PDF, "LEFT"), wordAt(t, result.PDF, "RIGHT")
		if math.Abs(left.xMin-c.left) > 1.5 || left.yMin < c.top-1 || left.yMin > c.top+8 || right.xMax > c.width {
			t.Errorf("%s: text from %v to %v, %v from the top", name, left.xMin, right.xMax, left.yMin)
		}
		if head := wordAt(t, result.PDF, "HEAD"); math.Abs(head.xMin-c.left) > 1.5 {
			t.Errorf("%s: the header begins at %v", name, head.xMin)
		}
	}
}

// Content fits between the margins of page rules also if the rules are not preferred, since the browser applies them; what is cut there is warned of.
func TestMarginsOfPageRules(t *testing.T) {
	slot := openSlot(t)
	cells := strings.Repeat(`<td style="white-space: nowrap">A CELL`, 10) + "<td>END"
	for name, c := range map[string]struct {
		html string
		cut  bool
	}{
		"in a box":    {`<div style="overflow: auto"><table><tr>` + cells + `</table></div>`, false},
		"scaled":      {`<table><tr>` + cells + `</table>`, false},
		"much wider":  {`<div style="width: 1400px; text-align: right">END</div>`, true},
		"in sections": {`<style>@page narrow { margin: 80mm }</style><div style="overflow: auto"><table><tr>` + cells + `</table></div>`, false},
	} {
		result := mustPrint(t, slot, Print{HTML: `<!doctype html><style>@page { margin: 30mm }</style>` + c.html, Full: true})
		if c.cut != (len(result.Warnings) > 0) {
			t.Errorf("%s: warnings %v", name, result.Warnings)
		}
		if c.cut {
			continue
		}
		if end := wordAt(t, result.PDF, "END"); end.xMax > 595-84 {
			t.Errorf("%s: the end is at %.0f pt", name, end.xMax)
		}
	}
	// Margins that leave no room are left to the browser.
	if _, err := slot.Print(t.Context(), Print{HTML: `<!doctype html><style>@page { margin: 300mm }</style><p>x</p>`, Full: true}); err != nil {
		t.Errorf("with page rules that leave no room: %v", err)
	}
}

// Pages of several sizes keep them; content is fitted to the paper of the rules, not to the caller's.
func TestPreferredPaperFits(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/named": `<!doctype html><style>@page { size: A5 } @page wide { size: A4 landscape } section { page: wide }</style><p>ONE</p><section>TWO</section>`,
		"/wide":  `<!doctype html><style>@page { size: 20in 5in; margin: 0 } body { margin: 0 }</style><div style="width: 1900px; text-align: right">RIGHT</div>`,
		"/small": `<!doctype html><style>@page { size: 4in 5in; margin: 0 } body { margin: 0 }</style><div style="width: 480px; text-align: right">RIGHT</div>`,
	})
	pdf := mustPrint(t, slot, Print{URL: web.URL + "/named", Options: contract.Paper{PreferCSS: true}}).PDF
	if sizes := pageSizes(t, pdf); len(sizes) != 2 || sizes[0] != "420 x 595" || sizes[1] != "842 x 595" {
		t.Errorf("sizes %q", sizes)
	}
	for path, want := range map[string]float64{"/wide": 1900. * 72 / 96, "/small": 4 * 72} {
		result := mustPrint(t, slot, Print{URL: web.URL + path, Options: contract.Paper{PreferCSS: true}})
		if at := wordAt(t, result.PDF, "RIGHT"); math.Abs(at.xMax-want) > 1.5 || len(result.Warnings) > 0 {
			t.Errorf("%s: the text ends at %v, want %v; %v", path, at.xMax, want, result.Warnings)
		}
	}
}

// What the requester gave and cannot be says why.
func TestReasonsOfOptions(t *testing.T) {
	slot := openSlot(t)
	for want, job := range map[string]Print{
		"leave no room": {HTML: "x", Options: contract.Paper{MarginLeft: "20cm", MarginRight: "20cm"}},
		"has spaces":    {URL: "http://127.0.0.1/", Auth: Auth{Type: "bearer", Value: "a b"}},
	} {
		if _, err := slot.Print(t.Context(), job); !errors.Is(err, ErrOptions) || !strings.Contains(Reason(err), want) {
			t.Errorf("%s: %v because %q", want, err, Reason(err))
		}
	}
}

// Page rules with an impossible paper size fail the job.
func TestImpossiblePageRules(t *testing.T) {
	slot := openSlot(t)
	for rule, want := range map[string]string{
		"size: 9.9mm 10cm": "outside the range of 10 mm to 200 in", "size: 10in 200.1in": "outside the range of 10 mm to 200 in", "size: 10mm 200in; margin: 0": "",
		"size: A5; margin: 8cm": "leave no room", "size: A5; margin: 7cm": "",
	} {
		web := pagetest.NewWeb(t, pagetest.Pages{"/": "<style>@page { " + rule + " }</style>x"})
		_, err := slot.Print(t.Context(), Print{URL: web.URL, Options: contract.Paper{PreferCSS: true}})
		if (err != nil) != (want != "") || err != nil && !errors.Is(err, ErrOptions) || !strings.Contains(Reason(err), want) {
			t.Errorf("%s: %v because %s", rule, err, Reason(err))
		}
	}
}

// Without a size of the caller's, content is laid out for the size of the page rules, and fitted to that, before the browser scales it to A4.
func TestSizeOfPageRules(t *testing.T) {
	slot := openSlot(t)
	for size, c := range map[string]struct{ width, right float64 }{
		"A4 landscape": {842, 816}, "landscape": {842, 816}, "A3": {595, 578}, "A3 landscape": {842, 824}, "A5": {595, 482},
	} {
		html := `<!doctype html><style>@page { size: ` + size + ` } body { margin: 0 }</style><div style="width: 102%; text-align: right">RIGHT</div>`
		result := mustPrint(t, slot, Print{HTML: html, Full: true})
		_, width, _ := geometry(t, result.PDF)
		if right := wordAt(t, result.PDF, "RIGHT").xMax; math.Abs(width-c.width) > 1 || right > c.right || right < c.right-12 {
			t.Errorf("%s: RIGHT ends at %.0f of %.0f points, want %.0f of %.0f", size, right, width, c.right, c.width)
		}
	}
}
