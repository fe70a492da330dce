package page

import (
	"encoding/base64"
	"image"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

// What the browser prints as a picture is drawn: shadows, and text below filters that change nothing, colours, or only add a shadow. Other filters make
// a picture.
func TestRedrawing(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	box := func(style string) string {
		return `<body style="background: #eef"><div style="margin: 20px; padding: 20px; height: 60px; ` + style + `">TEXT</div>`
	}
	for style, drawn := range map[string]bool{
		"box-shadow: 0 2px 8px rgba(0, 0, 0, 0.4)":                                            true,
		"box-shadow: inset 0 0 0 2px #888, 1px 2px 30px 3px rgb(0 0 255 / 20%), 0 0 1px #000": true,
		"box-shadow: 0 0 10px -3px #000; transition: all 3s":                                  true,
		"filter: blur(0)": true,
		"filter: grayscale(0) brightness(100%) opacity(1) hue-rotate(0deg)":                                               true,
		"filter: drop-shadow(0 2px 4px #888)":                                                                             true,
		"filter: drop-shadow(0 2px 4px #888) blur(0); background: #fff":                                                   true,
		"filter: grayscale(1); background: url('data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=')": false,
		"filter: blur(2px)":                                                         false,
		"filter: grayscale(1)":                                                      true,
		"filter: drop-shadow(0 2px 4px #888) invert(1)":                             false,
		"box-shadow: 0 0 300px #000":                                                false, // wider than its box
		"box-shadow: 0 0 20px #000":                                                 false, // a frame with mitres, if it were drawn
		"box-shadow: 0 0 20px #000; border-radius: 5px":                             true,
		"box-shadow: 0 0 9px #000; width: 9px":                                      false, // a small picture costs less
		"box-shadow: inset 0 0 9px #000":                                            false,
		"box-shadow: 0 0 9px color(display-p3 0 0 1)":                               false,
		"box-shadow: 0 0 9px transparent; filter: drop-shadow(1px 1px transparent)": true,
	} {
		web := pagetest.NewWeb(t, pagetest.Pages{"/": box(style)})
		for name, job := range map[string]Print{"visited": {URL: web.URL}, "posted": {HTML: box(style)}} {
			pdf := mustPrint(t, slot, job).PDF
			pictures := strings.Count(testkit.Tool(t, pdf, "pdfimages", "-list", "-"), "\n") - 2
			if (pictures == 0) != drawn {
				t.Errorf("%s, %s: %d pictures", name, style, pictures)
			}
			if drawn {
				testkit.Contains(t, testkit.PDFText(t, pdf), "TEXT")
			}
		}
	}
}

// Shadows that are drawn look like those of pseudo-elements, which the browser prints, within a tenth of the range; the difference is at corners.
func TestRedrawnShadows(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	picture := func(style, of string) *image.RGBA {
		page := `<style>div { margin: 60px; height: 200px; position: relative; border-radius: 12px } div::before { content: ""; position: absolute;
			inset: 0; border-radius: 12px } ` + of + ` { ` + style + `}</style><div></div>`
		return pagetest.PictureOf(t, mustPrint(t, slot, Print{HTML: page, Full: true}).PDF, 2)
	}
	for _, style := range []string{
		"box-shadow: 0 0 20px rgba(0, 0, 0, 0.4)", "box-shadow: 5px 10px 30px 4px rgba(200, 0, 0, 0.4), 0 0 4px #ccf",
		"filter: drop-shadow(0 0 10px #aaa); background: #fff", "box-shadow: 0 25px 50px -12px rgba(0, 0, 0, 0.25)",
	} {
		got, want, without := picture(style, "div"), picture(style, "div::before"), picture("", "div")
		if same, shadow := apart(got, want), apart(want, without); same > 24 || shadow < 25 {
			t.Errorf("%s: %d levels from what the browser prints, whose shadow has %d", style, same, shadow)
		}
	}
}

// Text below a filter has the colours that the filter makes, on and beside what keeps it.
func TestRecolouring(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	// Without text, the browser filters.
	page := func(filter, text string) *image.RGBA {
		html := `<style>div > * { height: 40px; margin: 10px } * { color: transparent } p { height: auto; font: 0/0 serif; background: #c63; border: 9px solid #00c }
			i { position: absolute; top: 5px; right: 5px; width: 90px; background: #093; box-shadow: 5px 5px #f0f; z-index: -1 }
			p::before, p::after { content: ""; display: block; height: 30px; background: #f36; border: 3px solid transparent }
			p::after { border-image: linear-gradient(#866, #668) 3 }</style>
			<div style="filter: ` + filter + `; background: #eef"><i></i><p>` + text + `</p><img width="90" src="data:image/png;base64,` +
			base64.StdEncoding.EncodeToString([]byte(pagetest.Pixel)) + `"><h1 style="background: linear-gradient(#866, #668)">` + text + `</h1><svg><rect width="90" height="9" fill="#0f0" /></svg></div>`
		return pagetest.PictureOf(t, mustPrint(t, slot, Print{HTML: html, Full: true}).PDF, 1)
	}
	for _, filter := range []string{"grayscale(1)", "invert(1) hue-rotate(180deg)", "sepia(0.7) opacity(0.5) brightness(0.8)", "contrast(2) opacity(20%)", "saturate(3)"} {
		got, want, without := page(filter, "TEXT"), page(filter, ""), page("none", "TEXT")
		if blocks := pagetest.Unlike(got, want); len(blocks) > 0 {
			t.Errorf("%s: unlike what the browser filters at %v", filter, blocks)
		}
		if len(pagetest.Unlike(want, without)) == 0 {
			t.Errorf("%s: nothing changes", filter)
		}
	}
}

// apart is the largest difference of two pictures of one size in any channel.
func apart(a, b *image.RGBA) (levels int) {
	for i := range a.Pix {
		levels = max(levels, int(a.Pix[i])-int(b.Pix[i]), int(b.Pix[i])-int(a.Pix[i]))
	}
	return levels
}
