package document

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

func dataURI(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

const stamp100 = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="#ff0000"/></svg>`

// redBox returns the red part of a page, in pixels of 150 to the inch; empty if there is none.
func redBox(t *testing.T, pdf []byte, page int) (left, top, right, bottom int) {
	t.Helper()
	picture := rasterize(t, pdf, page)
	b := picture.Bounds()
	left, top = b.Max.X, b.Max.Y
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, bl, _ := picture.At(x, y).RGBA(); r > 0xe000 && g < 0x2000 && bl < 0x2000 {
				left, top, right, bottom = min(left, x), min(top, y), max(right, x+1), max(bottom, y+1)
			}
		}
	}
	return left, top, right, bottom
}

// A picture is placed as its position says, ten millimetres from the edges, at its own size.
func TestWatermarkPosition(t *testing.T) {
	printed := newPrinter(t)
	pdf := printed(`<p>one<p style="break-before: page">two`, contract.Paper{})
	size := rasterize(t, pdf, 2).Bounds().Size()
	perInch := float64(size.X) / (595.0 / 72)
	near := func(got int, inches float64) bool { return got > int(inches*perInch)-4 && got < int(inches*perInch)+4 }
	const edge, side = 10 / 25.4, 100.0 / 96
	places := map[string]float64{"start": edge, "center": 0, "end": 0}
	for position, where := range map[string][2]string{
		"": {"center", "center"}, "center": {"center", "center"}, "top-left": {"start", "start"}, "top": {"center", "start"}, "top-right": {"end", "start"},
		"left": {"start", "center"}, "right": {"end", "center"}, "bottom-left": {"start", "end"}, "bottom": {"center", "end"}, "bottom-right": {"end", "end"},
	} {
		out, err := Finish(t.Context(), pdf, marked(t, printed, pdf,
			Watermark{Text: "FIRST", Color: "black", FontSize: "9px", On: func(page int) bool { return page == 1 }},
			Watermark{Picture: dataURI("image/svg+xml", []byte(stamp100)), Position: position, On: func(page int) bool { return page == 2 }}))
		if err != nil {
			t.Fatal(err)
		}
		left, top, right, bottom := redBox(t, out, 2)
		for i, side0 := range []struct{ from, to, whole int }{{left, right, size.X}, {top, bottom, size.Y}} {
			whole := float64(side0.whole) / perInch
			places["center"], places["end"] = (whole-side)/2, whole-side-edge
			if from := places[where[i]]; !near(side0.from, from) || !near(side0.to, from+side) {
				t.Errorf("%q: it reaches from %d to %d of %d, want from %.2f inches", position, side0.from, side0.to, side0.whole, from)
			}
		}
	}
}

// Several watermarks are each on their pages, over or under the content, whether the PDF is tagged or not.
func TestWatermarkLayers(t *testing.T) {
	printed := newPrinter(t)
	half := 0.5
	marks := []Watermark{
		{Text: "EVERY", Color: "black", FontSize: "30px"},
		{Text: "SECOND", Color: "black", FontSize: "20px", Position: "bottom", On: func(page int) bool { return page == 2 }},
		{Picture: dataURI("image/svg+xml", []byte(stamp100)), Behind: true, Position: "top-left", Opacity: &half, On: func(page int) bool { return page != 2 }},
		{Picture: dataURI("image/png", pagetest.BlankPNG(50, 50)), Position: "top-right"},
	}
	for _, tagged := range []bool{false, true} {
		pdf := printed(`<p>one<p style="break-before: page">two<p style="break-before: page">three`, contract.Paper{Tagged: tagged})
		f := marked(t, printed, pdf, marks...)
		if want := []int{1, 3, 1}; !slices.Equal(f.Over, want) || !slices.Equal(f.Under, []int{2, 0, 2}) {
			t.Errorf("over are %v, want %v; under are %v", f.Over, want, f.Under)
		}
		f.Tagged = tagged
		out, err := Finish(t.Context(), pdf, f)
		if err != nil {
			t.Fatal(err)
		}
		mustQPDF(t, out, "--check")
		for i, want := range []struct {
			has, lacks string
			red        bool
		}{{"EVERY one", "SECOND", true}, {"EVERY SECOND two", "", false}, {"EVERY three", "SECOND", true}} {
			text := pageTexts(t, out)[i]
			for word := range strings.FieldsSeq(want.has) {
				testkit.Contains(t, text, word)
			}
			if want.lacks != "" && strings.Contains(text, want.lacks) {
				t.Errorf("tagged %v: page %d reads %q", tagged, i+1, text)
			}
			pink := countPixels(rasterize(t, out, i+1), func(r, g, b uint8) bool { return r > 240 && g > 110 && g < 145 && b > 110 && b < 145 })
			if (pink > 5_000) != want.red {
				t.Errorf("tagged %v: page %d has %d pixels of the picture behind it", tagged, i+1, pink)
			}
		}
	}
}

// A watermark behind the page is covered by the content, one above it is not.
func TestWatermarkBehind(t *testing.T) {
	printed := newPrinter(t)
	red := func(r, g, b uint8) bool { return r > 240 && g < 20 && b < 20 }
	for _, tagged := range []bool{false, true} {
		pdf := printed(`<div style="height: 1500px; background: #ffff00"></div>`, contract.Paper{Tagged: tagged})
		for _, behind := range []bool{false, true} {
			f := marked(t, printed, pdf, Watermark{Text: "████", Color: "#ff0000", FontSize: "100px", Behind: behind})
			f.Tagged = tagged
			out, err := Finish(t.Context(), pdf, f)
			if err != nil {
				t.Fatal(err)
			}
			if n := countPixels(rasterize(t, out, 1), red); (n > 5_000) == behind {
				t.Errorf("tagged %v, behind %v: %d red pixels on yellow", tagged, behind, n)
			}
		}
	}
}

// A picture larger than the page is reduced to the page; one without a size fills the page as far as its proportions allow.
func TestWatermarkFits(t *testing.T) {
	printed := newPrinter(t)
	pdf := printed("<p>one", contract.Paper{Format: "A6"})
	for name, svg := range map[string]string{
		"large":        `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><rect width="4000" height="4000" fill="#ff0000"/></svg>`,
		"without size": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10" fill="#ff0000"/></svg>`,
	} {
		out, err := Finish(t.Context(), pdf, marked(t, printed, pdf, Watermark{Picture: dataURI("image/svg+xml", []byte(svg))}))
		if err != nil {
			t.Fatal(err)
		}
		left, top, right, bottom := redBox(t, out, 1)
		width, height := right-left, bottom-top
		if size := rasterize(t, out, 1).Bounds().Size(); width < size.X/4 || width > size.X || height < width-3 || height > width+3 {
			t.Errorf("%s: it has %d by %d of %v", name, width, height, size)
		}
	}
}

// The style of Markdown has no background that would hide a watermark behind it.
func TestWatermarkBehindMarkdown(t *testing.T) {
	printed := newPrinter(t)
	html, err := Markdown("# Heading\n\ntext")
	if err != nil {
		t.Fatal(err)
	}
	pdf := printed(html, contract.Paper{})
	out, err := Finish(t.Context(), pdf, marked(t, printed, pdf, Watermark{Text: "████", Color: "#ff0000", FontSize: "100px", Behind: true}))
	if err != nil {
		t.Fatal(err)
	}
	if n := countPixels(rasterize(t, out, 1), func(r, g, b uint8) bool { return r > 240 && g < 20 && b < 20 }); n < 5_000 {
		t.Errorf("%d red pixels behind the text", n)
	}
}
