package page

import (
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"

	_ "golang.org/x/image/webp"

	"platen.dev/browserpool/pagetest"
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

// An element is shown wherever a box is scrolled, a section is not drawn yet, or a background is fixed to the window; an image of the window begins where
// the fragment of the URL says, and otherwise at the top of the page, even if script has scrolled it.
func TestCaptureBesideTheWindow(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	const style = `<!doctype html><style>body { margin: 0 } .r { background: red } .b { background: blue } .g { background: green } .r, .b, .g { height: 100px }</style>`
	box := func(style, html string) string {
		return `<div id="box" style="height: 150px; overflow: auto; ` + style + `">` + html + `</div><div class="g"></div>`
	}
	red9 := strings.Repeat(`<div class="r"></div>`, 9)
	for name, c := range map[string]struct {
		html          string
		fragment      string
		options       contract.Image
		width, height int
		colour        color.RGBA
		cut           bool
	}{
		"low in a box":          {box("", red9+`<div class="b" id="e"></div>`), "", contract.Image{Selector: "#e"}, 1024, 100, blue, false},
		"right in a box":        {box("", `<div style="width: 3000px; display: flex; justify-content: end"><div class="b" id="e" style="width: 90px"></div></div>`), "", contract.Image{Selector: "#e"}, 90, 100, blue, false},
		"in boxes in boxes":     {box("", red9+box("scroll-behavior: smooth", red9+`<div class="b" id="e"></div>`)), "", contract.Image{Selector: "#e"}, 0, 100, blue, false},
		"above what is seen":    {box("", `<div class="b" id="e"></div>`+red9) + `<script>box.scrollTop = 500</script>`, "", contract.Image{Selector: "#e"}, 0, 100, blue, false},
		"larger than its box":   {`<div style="height: 50px; overflow: hidden"><div class="b" id="e"></div></div>`, "", contract.Image{Selector: "#e"}, 1024, 100, blue, true},
		"wider than an image":   {`<div class="b" id="e" style="width: 3000px"></div>`, "", contract.Image{Selector: "#e"}, 1920, 100, blue, true},
		"not drawn yet":         {`<div style="height: 5000px"></div><div id="e" style="content-visibility: auto; contain-intrinsic-size: auto 500px"><div class="b"></div></div>`, "", contract.Image{Selector: "#e"}, 1024, 100, blue, false},
		"on a fixed background": {`<div style="height: 2000px"></div><div id="e" style="height: 100px; background: linear-gradient(blue, blue) fixed"></div>`, "", contract.Image{Selector: "#e"}, 1024, 100, blue, false},
		"over a fixed element":  {`<div class="b" style="position: fixed; inset: 0; height: auto; z-index: -1"></div><div style="height: 2000px"></div><div id="e" style="height: 100px"></div>`, "", contract.Image{Selector: "#e"}, 1024, 100, blue, false},
		"clip on a fixed one":   {`<div style="height: 2000px"></div><div style="height: 100px; background: linear-gradient(blue, blue) fixed"></div>`, "", contract.Image{Clip: contract.Box{Y: 2000, Width: 50, Height: 50}}, 50, 50, blue, false},
		"follows the window": {
			`<div class="b" id="e"></div><div style="height: 5000px"></div><script>const f = () => e.style.height = innerHeight + "px"; f(); onresize = f</script>`,
			"",
			contract.Image{Selector: "#e"},
			1024, 768, blue, false,
		},
		"scrolled by script": {`<div class="b" style="height: 1000px"></div><div class="g" style="height: 3000px" id="e"></div><script>onload = () => e.scrollIntoView()</script>`, "", contract.Image{}, 1024, 768, blue, false},
		"a fragment":         {`<div class="g" style="height: 1000px"></div><div class="b" style="height: 3000px" id="e"></div>`, "#e", contract.Image{}, 1024, 768, blue, false},
		"below a bar":        {`<style>html { scroll-padding-top: 60px } #e { scroll-margin-top: 40px }</style><div class="g" style="height: 900px"></div><div class="b" style="height: 100px"></div><div class="b" style="height: 3000px" id="e"></div>`, "#e", contract.Image{}, 1024, 768, blue, false},
		"a fragment at the end": {
			`<div class="g" style="height: 1000px"></div><div class="b" style="height: 768px"></div><p id="e" style="margin: -9px 0 0; height: 9px"></p>`, "#e", contract.Image{}, 1024, 768, blue, false,
		},
		"an unknown fragment": {`<div class="b" style="height: 1000px"></div><div class="g" style="height: 1000px"></div>`, "#x", contract.Image{}, 1024, 768, blue, false},
	} {
		web := pagetest.NewWeb(t, pagetest.Pages{"/": style + c.html})
		picture, result := mustCapture(t, slot, Capture{URL: web.URL + "/" + c.fragment, Options: c.options})
		if c.width > 0 && result.Width != c.width || result.Height != c.height || c.cut != (len(result.Warnings) > 0) {
			t.Errorf("%s: %d × %d, %v", name, result.Width, result.Height, result.Warnings)
		}
		if name == "larger than its box" {
			shows(t, picture, 9, 9, c.colour)
			continue
		}
		for _, y := range []int{1, result.Height - 2} {
			t.Run(name, func(t *testing.T) { shows(t, picture, result.Width/2, y, c.colour) })
		}
	}
}

// In an image of the whole page, a bar that is fixed to the window is as high as in the window, and an open popover dims nothing.
func TestCaptureOfFixedParts(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/bar": `<!doctype html><body style="margin: 0; padding-top: 100px"><header style="position: fixed; top: 0; left: 0; right: 0; height: 50px; padding: 25px; background: blue"></header>` +
			strings.Repeat(`<p style="height: 80px">text</p>`, 20),
		"/popover": `<!doctype html><style>::backdrop { background: rgb(0 0 0 / 50%) } body { margin: 0 } #p { width: 300px; height: 90px; padding: 20px; border: 0; background: blue }</style>` +
			`<div style="height: 3000px; background: red"></div><div id="p" popover></div><script>p.showPopover()</script>`,
	})
	picture, _ := mustCapture(t, slot, Capture{URL: web.URL + "/bar", Options: contract.Image{FullPage: true}})
	shows(t, picture, 512, 98, blue)
	shows(t, picture, 512, 102, white)
	picture, _ = mustCapture(t, slot, Capture{URL: web.URL + "/popover", Options: contract.Image{FullPage: true}})
	shows(t, picture, 10, 10, red)
	shows(t, picture, 512, 384-60, blue)
	shows(t, picture, 512, 384+60, blue)
	shows(t, picture, 512, 2900, red)
}
