package page

import (
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"

	_ "golang.org/x/image/webp"

	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// An image shows the requested part of the page, wherever it is.
func TestCapturePart(t *testing.T) {
	slot := openSlot(t)
	page := stripes("1000px", "red", "blue", "green") + `<div id="below" style="position: absolute; left: 100px; top: 1500px; width: 300px; height: 1200px; background: blue"></div>`

	t.Run("a clip in the window", func(t *testing.T) {
		picture, result := mustCapture(t, slot, Capture{HTML: page, Options: contract.Image{Clip: contract.Box{X: 10, Y: 20, Width: 30, Height: 40}}})
		if result.Width != 30 || result.Height != 40 {
			t.Errorf("%d × %d", result.Width, result.Height)
		}
		shows(t, picture, 29, 39, red)
	})
	t.Run("a clip below it", func(t *testing.T) {
		picture, _ := mustCapture(t, slot, Capture{HTML: page, Options: contract.Image{Clip: contract.Box{X: 1000, Y: 990, Width: 200, Height: 20}}})
		shows(t, picture, 0, 9, red)
		shows(t, picture, 0, 11, blue)
		shows(t, picture, 100, 11, white) // to the right of the page
	})
	t.Run("one pixel, and the last", func(t *testing.T) {
		for _, clip := range []contract.Box{{Width: 1, Height: 1}, {X: 1919, Y: 8191, Width: 1, Height: 1}} {
			if _, result := mustCapture(t, slot, Capture{HTML: page, Options: contract.Image{Clip: clip}}); result.Width != 1 || result.Height != 1 {
				t.Errorf("%v: %d × %d", clip, result.Width, result.Height)
			}
		}
	})
	t.Run("an element", func(t *testing.T) {
		picture, result := mustCapture(t, slot, Capture{HTML: page, Options: contract.Image{Selector: "#below"}})
		if result.Width != 300 || result.Height != 1200 {
			t.Errorf("%d × %d", result.Width, result.Height)
		}
		shows(t, picture, 0, 0, blue)
		shows(t, picture, 299, 1199, blue)
	})
	t.Run("a long element is cut", func(t *testing.T) {
		_, result := mustCapture(t, slot, Capture{HTML: stripes("9000px", "red"), Options: contract.Image{Selector: "div"}})
		if result.Height != 8192 || len(result.Warnings) != 1 || result.Warnings[0].Code != contract.PageCut {
			t.Errorf("%d high, %v", result.Height, result.Warnings)
		}
	})
	for selector, want := range map[string]string{"#none": "matches", "p:": "CSS", "head": "invisible"} {
		_, err := slot.Capture(t.Context(), Capture{HTML: page, Options: contract.Image{Selector: selector}})
		if !errors.Is(err, ErrSelector) || !strings.Contains(Reason(err), want) {
			t.Errorf("%s: %v, %q", selector, err, Reason(err))
		}
	}
}

// A larger scale gives a larger image of the same page, up to the largest possible, without seams.
func TestCaptureScale(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	picture, result := mustCapture(t, slot, Capture{HTML: stripes("400px", "red", "blue"), Options: contract.Image{Width: 400, Height: 600, Scale: 2.5}})
	if result.Width != 1000 || result.Height != 1500 {
		t.Errorf("%d × %d", result.Width, result.Height)
	}
	shows(t, picture, 999, 999, red)
	shows(t, picture, 999, 1001, blue)
	if _, result := mustCapture(t, slot, Capture{HTML: stripes("400px", "red")}); result.Width != contract.DefaultWidth {
		t.Errorf("the next image is %d wide", result.Width)
	}
	for _, format := range []string{"png", "jpeg", "webp"} {
		o := contract.Image{Format: format, Width: 320, Height: 320, Scale: 3, FullPage: true}
		picture, result := mustCapture(t, slot, Capture{HTML: stripes("500px", strings.Split(strings.Repeat("red blue green ", 6), " ")[:18]...), Options: o})
		if want := 3 * int(o.Largest(320)); result.Height != want || result.Width != 960 || len(result.Warnings) != 1 {
			t.Fatalf("%s: %d × %d, want it %d high; %v", format, result.Width, result.Height, want, result.Warnings)
		}
		for y := 750; y < result.Height; y += 1500 { // the middle of each stripe
			showsWithin(t, picture, 480, y, []color.RGBA{red, blue, green}[y/1500%3], offBy[format])
		}
	}
}

// Without a white background, a page is as transparent as its styles say, and the next page is white again.
func TestCaptureTransparent(t *testing.T) {
	slot := openSlot(t)
	html := `<body style="margin: 0"><div style="width: 50px; height: 50px; background: red"></div>`
	for _, format := range []string{"png", "webp"} {
		picture, _ := mustCapture(t, slot, Capture{HTML: html, Options: contract.Image{Format: format, Transparent: true}})
		showsWithin(t, picture, 25, 25, red, offBy[format])
		shows(t, picture, 60, 60, color.RGBA{})
		picture, _ = mustCapture(t, slot, Capture{HTML: html, Options: contract.Image{Format: format}})
		showsWithin(t, picture, 60, 60, white, offBy[format])
	}
}

// offBy is the tolerance for colours: Go decodes those of a WebP as if they were a JPEG's, whose range is wider.
var offBy = map[string]float64{"png": 0, "jpeg": 6, "webp": 24}

// WebP is smaller with less quality.
func TestCaptureWebP(t *testing.T) {
	slot := openSlot(t)
	html := `<body style="margin: 0"><img src="data:image/png;base64,` + noise(t, 400, 400) + `">`
	var sizes []int
	for _, quality := range []int64{1, 0, 100} {
		_, result := mustCapture(t, slot, Capture{HTML: html, Options: contract.Image{Format: "webp", Quality: quality}})
		sizes = append(sizes, len(result.Data))
	}
	if sizes[0]*2 > sizes[1] || sizes[1] >= sizes[2] {
		t.Errorf("quality 1, default and 100 take %v bytes", sizes)
	}
}

// An image of a document from right to left begins at its right, whatever is beyond the window; one of a page that script has scrolled begins at its left.
func TestCaptureFromRight(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	red := func(name, where string) string {
		return `<div id="` + name + `" style="position: absolute; ` + where + `; width: 40px; height: 40px; background: #f00"></div>`
	}
	wide := `<body style="margin: 0">` + red("first", "right: 0; top: 0") + red("last", "right: 0; top: 2000px") + `<div style="width: 3000px; height: 2040px"></div>`
	for name, c := range map[string]struct {
		html    string
		options contract.Image
		at      image.Point // of a corner of the box
		height  int
	}{
		"window": {`<html dir="rtl">` + wide, contract.Image{}, image.Pt(984, 0), 768},
		"page":   {`<html dir="rtl">` + wide, contract.Image{FullPage: true}, image.Pt(984, 2000), 2040},
		"share of the window": {
			`<html dir="rtl"><body style="margin: 0"><div style="height: 100vh"></div>` + red("last", "right: 0") + `<div style="width: 3000px; height: 1000px"></div>`, contract.Image{FullPage: true}, image.Pt(984, 768), 1768,
		},
		"vertical": {`<html style="writing-mode: vertical-rl">` + wide, contract.Image{}, image.Pt(984, 0), 768},
		"element":  {`<html dir="rtl">` + wide, contract.Image{Selector: "#last"}, image.Pt(0, 0), 40},
		"scrolled": {`<body style="margin: 0">` + red("first", "left: 0; top: 0") + `<div style="width: 3000px"></div><script>scrollTo(500, 0)</script>`, contract.Image{}, image.Pt(0, 0), 768},
	} {
		picture, captured := mustCapture(t, slot, Capture{HTML: c.html, Full: true, Options: c.options})
		for _, corner := range []image.Point{{2, 2}, {37, 37}} {
			at := c.at.Add(corner)
			if r, g, _, _ := picture.At(at.X, at.Y).RGBA(); r < 0xf000 || g > 0x1000 || captured.Height != c.height {
				t.Errorf("%s: %v at %v of %d pixels of height", name, picture.At(at.X, at.Y), at, captured.Height)
			}
		}
	}
}
