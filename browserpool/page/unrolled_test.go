package page

import (
	"image"
	"image/color"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
)

// What depends on the window is shown in the whole of a high image: sections that are drawn only in the window, backgrounds that are fixed to it, bars at
// its lower edge, what appears on its way through it, and boxes as high as a share of a frame. The last two are on paper, too.
func TestUnrolled(t *testing.T) {
	t.Parallel()
	const (
		square   = `<div style="width: 100px; height: 100px; background: #00f"></div>`
		filling  = `<!doctype html><body style="margin: 0"><div style="height: 4900px"></div>`
		appear   = `<style>@keyframes appear { from { opacity: 0 } } @keyframes passes { from, to { opacity: 0 } 50% { opacity: 1 } } @keyframes leave { to { opacity: 0 } }</style>`
		sections = `<section style="content-visibility: auto; contain-intrinsic-height: 100px">`
	)
	driven := func(animation string) string {
		return appear + filling + `<div style="animation: ` + animation + `">` + square + `</div>`
	}
	pages := pagetest.Pages{
		"/section": filling + sections + square + `</section>`,
		"/fixed":   `<!doctype html><body style="margin: 0; height: 5000px; background: linear-gradient(#00f, #00f) fixed">`,
		"/appears": driven("appear linear both; animation-timeline: view()"),
		"/passes":  driven("passes linear both; animation-timeline: view()"),
		"/leaves":  driven("leave linear both; animation-timeline: view(); animation-range: exit"),
		"/frame":   filling + `<iframe src="/inner" style="display: block; width: 300px; height: 50px; border: 0"></iframe>`,
		"/bar":     filling + `<div style="position: sticky; bottom: 0">` + square + `</div>`,
		"/inner":   `<!doctype html><body style="margin: 0"><div style="height: 100vh">TEXT</div>` + square + `TEXT`,
	}
	web := pagetest.NewWeb(t, pages)
	slot := openSlot(t)
	for path, y := range map[string]int{"/section": 4950, "/fixed": 4950, "/appears": 4950, "/passes": 4950, "/leaves": 4950, "/frame": 5000, "/bar": 4950} {
		picture, taken := mustCapture(t, slot, Capture{URL: web.URL + path, Options: contract.Image{FullPage: true}})
		if shown := color.RGBAModel.Convert(picture.At(50, y)); shown != blue {
			t.Errorf("%s: %v at %d of %d", path, shown, y, taken.Height)
		}
		if path == "/section" || path == "/fixed" || path == "/bar" {
			continue
		}
		pdf := mustPrint(t, slot, Print{URL: web.URL + path}).PDF
		if count(pagetest.PictureOf(t, pdf, 1), blue) < 1000 {
			t.Errorf("%s: not on paper", path)
		}
	}
}

// count returns how many pixels of a picture have a colour.
func count(picture *image.RGBA, c color.RGBA) (n int) {
	for i := 0; i < len(picture.Pix); i += 4 {
		if [4]byte(picture.Pix[i:]) == [4]byte{c.R, c.G, c.B, c.A} {
			n++
		}
	}
	return n
}
