package page

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Of documents that are not HTML, only what they contain is shown, nothing of the browser's viewers, and all of it.
func TestViewers(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	dot := square(t, func(b *bytes.Buffer, p image.Image) error { return png.Encode(b, p) })
	const drawing = ` xmlns="http://www.w3.org/2000/svg"><rect width="2000" height="1000" fill="red"/><rect x="1500" width="500" height="1000" fill="blue"/></svg>`
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/json":    typed("application/json", `{"a":1}`),
		"/problem": typed("application/problem+json", `{"a":1}`),
		"/xml":     typed("text/xml", `<r><t>SHOWN</t></r>`),
		"/xhtml":   typed("application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p class="header">SHOWN</p></body></html>`),
		"/picture": typed("image/png", dot),
		"/wide":    typed("image/svg+xml", `<svg width="2000" height="1000"`+drawing),
		"/boxed":   typed("image/svg+xml", `<svg width="50cm" height="25cm" viewBox="0 0 2000 1000"`+drawing),
		"/narrow":  typed("image/svg+xml", `<svg width="400" height="200" viewBox="0 0 2000 1000"`+drawing),
	})
	for path, want := range map[string]string{"/json": `{"a":1}`, "/problem": `{"a":1}`, "/xml": "<r> <t>SHOWN</t> </r>", "/xhtml": "SHOWN"} {
		if text := strings.Join(strings.Fields(printed(t, slot, Print{URL: web.URL + path})), " "); text != want {
			t.Errorf("%s is printed as %q, want %q", path, text, want)
		}
	}
	bar, _ := mustCapture(t, slot, Capture{URL: web.URL + "/json"})
	shows(t, bar, 600, 8, white)

	picture := paper(t, mustPrint(t, slot, Print{URL: web.URL + "/picture"}).PDF, 1)
	shows(t, picture, 60, 60, white)
	shows(t, picture, picture.Bounds().Dx()/2, picture.Bounds().Dy()/2, green)

	for path, at := range map[string]image.Point{"/wide": {550, 250}, "/boxed": {550, 250}, "/narrow": {300, 60}} {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		page := paper(t, result.PDF, 1)
		shows(t, page, at.X, at.Y, blue)
		shows(t, page, 35, 60, red)
		if len(result.Warnings) != 0 || result.Pages != 1 {
			t.Errorf("%s: %d pages, warnings %v", path, result.Pages, result.Warnings)
		}
	}
	whole, _ := mustCapture(t, slot, Capture{URL: web.URL + "/wide", Options: contract.Image{FullPage: true}})
	shows(t, whole, 600, 900, red)
}

// XML that is not well-formed is shown up to the error, which a warning names.
func TestBrokenXML(t *testing.T) {
	t.Parallel()
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": typed("application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>FIRST</p><p>a&nbsp;b</p><p>LAST</p></body></html>`),
	})
	result := mustPrint(t, openSlot(t), Print{URL: web.URL})
	testkit.Contains(t, testkit.PDFText(t, result.PDF), "FIRST")
	if w := result.Warnings; len(w) != 1 || w[0].Code != contract.PageCut || !strings.HasSuffix(w[0].Detail, "Entity 'nbsp' not defined.") {
		t.Errorf("warnings %v", w)
	}
}

// A job's own style has the last word.
func TestViewersAreStyled(t *testing.T) {
	t.Parallel()
	web := pagetest.NewWeb(t, pagetest.Pages{"/": typed("application/json", `{"a":1}`)})
	text := printed(t, openSlot(t), Print{URL: web.URL, Load: contract.Load{Style: `body::after { content: "STYLED" }`}})
	testkit.Contains(t, text, "STYLED")
}
