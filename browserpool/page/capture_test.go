package page

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// shows fails unless the pixel at (x, y) has about the wanted colour; JPEG is inexact.
func shows(t *testing.T, picture image.Image, x, y int, want color.RGBA) {
	t.Helper()
	showsWithin(t, picture, x, y, want, 6)
}

// showsWithin is shows with another tolerance.
func showsWithin(t *testing.T, picture image.Image, x, y int, want color.RGBA, most float64) {
	t.Helper()
	r, g, b, a := picture.At(x, y).RGBA()
	got := color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}
	far := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) > most }
	if far(got.R, want.R) || far(got.G, want.G) || far(got.B, want.B) || got.A != want.A {
		t.Errorf("the pixel at %d, %d is %v, want %v", x, y, got, want)
	}
}

var (
	white = color.RGBA{255, 255, 255, 255}
	red   = color.RGBA{255, 0, 0, 255}
	green = color.RGBA{0, 128, 0, 255}
	blue  = color.RGBA{0, 0, 255, 255}
)

// stripes returns a page of coloured blocks of the same height, one below the other.
func stripes(height string, colours ...string) string {
	var body strings.Builder
	for _, colour := range colours {
		body.WriteString(`<div style="height: ` + height + `; background: ` + colour + `"></div>`)
	}
	return `<!doctype html><body style="margin: 0">` + body.String()
}

func TestCapture(t *testing.T) {
	slot := openSlot(t)

	t.Run("the viewport by default", func(t *testing.T) {
		picture, result := mustCapture(t, slot, Capture{HTML: stripes("400px", "red", "blue", "green")})
		if result.Width != 1024 || result.Height != 768 {
			t.Errorf("%d x %d, want 1024 x 768", result.Width, result.Height)
		}
		shows(t, picture, 0, 0, red)
		shows(t, picture, 1023, 399, red)
		shows(t, picture, 1023, 401, blue)
		shows(t, picture, 512, 767, blue)
		if result.Load <= 0 || result.Capture <= 0 {
			t.Errorf("load %v, capture %v", result.Load, result.Capture)
		}
	})

	t.Run("the smallest and the largest viewport", func(t *testing.T) {
		for _, size := range []Size{{320, 320}, {1920, 8192}, {320, 8192}, {1920, 320}} {
			picture, result := mustCapture(t, slot, Capture{HTML: stripes("100vh", "green"), Options: contract.Image{Width: int64(size.Width), Height: int64(size.Height)}})
			if result.Width != size.Width || result.Height != size.Height {
				t.Errorf("%d x %d, want %v", result.Width, result.Height, size)
			}
			shows(t, picture, size.Width-1, size.Height-1, green)
		}
	})

	t.Run("jpeg and its quality", func(t *testing.T) {
		html := `<body style="margin: 0"><img src="data:image/png;base64,` + noise(t, 400, 400) + `"><p>text`
		var sizes []int
		for _, quality := range []int{1, 0, 100} {
			_, result := mustCapture(t, slot, Capture{HTML: html, Options: contract.Image{Format: "jpeg", Quality: int64(quality)}})
			sizes = append(sizes, len(result.Data))
		}
		if sizes[0]*2 > sizes[1] || sizes[1]*5/4 > sizes[2] {
			t.Errorf("quality 1, default and 100 take %v bytes", sizes)
		}
		picture, _ := mustCapture(t, slot, Capture{HTML: stripes("400px", "red", "blue"), Options: contract.Image{Format: "jpeg"}})
		shows(t, picture, 500, 200, red)
		shows(t, picture, 500, 600, blue)
	})

	t.Run("white where the page has nothing", func(t *testing.T) {
		for _, html := range []string{"", `<body style="background: transparent">`} {
			picture, _ := mustCapture(t, slot, Capture{HTML: html})
			shows(t, picture, 500, 500, white)
		}
	})

	t.Run("the medium is screen", func(t *testing.T) {
		picture, _ := mustCapture(t, slot, Capture{HTML: byMedia})
		shows(t, picture, 500, 500, green)
	})

	t.Run("no script runs", func(t *testing.T) {
		picture, _ := mustCapture(t, slot, Capture{HTML: stripes("768px", "green") + `<script>document.body.innerHTML = ""</script>`})
		shows(t, picture, 500, 500, green)
	})

	t.Run("the limit on size", func(t *testing.T) {
		html := `<img src="data:image/png;base64,` + noise(t, 400, 400) + `">`
		if _, err := slot.Capture(t.Context(), Capture{HTML: html, MaxBytes: 100_000}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("got %v, want ErrTooLarge", err)
		}
	})
}

// byMedia is green on screens and red on paper.
const byMedia = `<style>@media screen { body { background: green } } @media print { html { background: red } }</style><body>MEDIA`

func TestCaptureFullPage(t *testing.T) {
	slot := openSlot(t)
	full := func(t *testing.T, html string, viewport Size) (image.Image, Image) {
		return mustCapture(t, slot, Capture{HTML: html, Options: contract.Image{Width: int64(viewport.Width), Height: int64(viewport.Height), FullPage: true}})
	}

	t.Run("a short page is as high as the viewport", func(t *testing.T) {
		picture, result := full(t, stripes("100px", "red"), Size{})
		if result.Width != 1024 || result.Height != 768 {
			t.Errorf("%d x %d, want 1024 x 768", result.Width, result.Height)
		}
		shows(t, picture, 10, 99, red)
		shows(t, picture, 10, 101, white)
	})

	t.Run("a longer page is captured to its end", func(t *testing.T) {
		picture, result := full(t, stripes("1000px", "red", "blue", "green"), Size{Width: 640, Height: 480})
		if result.Width != 640 || result.Height != 3000 {
			t.Errorf("%d x %d, want 640 x 3000", result.Width, result.Height)
		}
		shows(t, picture, 639, 0, red)
		shows(t, picture, 639, 1001, blue)
		shows(t, picture, 639, 2999, green)
	})

	t.Run("a very long page is cut", func(t *testing.T) {
		picture, result := full(t, stripes("4000px", "red", "blue", "green", "red", "blue"), Size{})
		if result.Height != 8192 {
			t.Errorf("%d high, want 8192", result.Height)
		}
		shows(t, picture, 1000, 0, red)
		shows(t, picture, 1000, 4001, blue)
		shows(t, picture, 1000, 8191, green)
	})

	t.Run("what overflows to the right is left out", func(t *testing.T) {
		html := stripes("1000px", "green") + `<div style="width: 5000px; height: 1000px; background: blue"></div>`
		picture, result := full(t, html, Size{Width: 800, Height: 600})
		if result.Width != 800 || result.Height != 2000 {
			t.Errorf("%d x %d, want 800 x 2000", result.Width, result.Height)
		}
		shows(t, picture, 799, 1999, blue)
	})

	t.Run("the height of the viewport stays what it was", func(t *testing.T) {
		picture, result := full(t, stripes("100vh", "red", "blue", "green"), Size{Width: 640, Height: 480})
		if result.Height != 3*480 {
			t.Errorf("%d high, want %d", result.Height, 3*480)
		}
		shows(t, picture, 10, 479, red)
		shows(t, picture, 10, 481, blue)
		shows(t, picture, 10, 1439, green)
	})

	t.Run("a page in quirks mode", func(t *testing.T) {
		_, result := full(t, `<body><div style="height: 2000px">x</div>`, Size{})
		if result.Height < 2000 || result.Height > 2100 {
			t.Errorf("%d high, want a little over 2000", result.Height)
		}
	})
}

// Prints and captures on the same page do not affect each other's medium or viewport.
func TestPrintAndCaptureAlternate(t *testing.T) {
	slot := openSlot(t)
	responsive := `<style>p { display: none } @media print { .paper { display: block } } @media (min-width: 1500px) { .wide { display: block } }</style>
		<p class="paper">PAPER</p><p class="wide">WIDE</p><div style="width: 1100px; text-align: right">EDGE</div>`
	plain := mustPrint(t, slot, Print{HTML: responsive})
	shown, _ := mustCapture(t, slot, Capture{HTML: byMedia})
	for range 2 {
		mustCapture(t, slot, Capture{HTML: byMedia, Options: contract.Image{Width: 1920, Height: 1080, FullPage: true}})
		again := mustPrint(t, slot, Print{HTML: responsive})
		if undated(again.PDF) != undated(plain.PDF) {
			t.Errorf("after a capture the document prints differently: %q", testkit.PDFText(t, again.PDF))
		}
		if text := testkit.PDFText(t, again.PDF); !strings.Contains(text, "PAPER") || strings.Contains(text, "WIDE") {
			t.Errorf("text %q", text)
		}
		mustPrint(t, slot, Print{HTML: responsive, Options: contract.Paper{Landscape: true, Scale: 0.5}})
		picture, _ := mustCapture(t, slot, Capture{HTML: byMedia})
		shows(t, picture, 500, 500, green)
		if picture.Bounds() != shown.Bounds() {
			t.Errorf("after a print the picture is %v, before it was %v", picture.Bounds(), shown.Bounds())
		}
	}
	if slot.replaced != 0 {
		t.Errorf("the pages were replaced %d times", slot.replaced)
	}
}

// The requested medium applies to HTML and pages, prints and captures, however often a document is printed, but only to this job.
func TestMedia(t *testing.T) {
	slot := openSlot(t)
	const html = `<style>p, b { display: none } @media print { p { display: block; color: #f00; background: #0f0; height: 600px } } @media screen { b { display: block } }</style>
		<p>PAPER</p><b>SCREEN</b><div style="width: 1200px">wide</div>`
	web := pagetest.NewWeb(t, pagetest.Pages{"/": html})
	for range 2 {
		for media, want := range map[string]string{"": "PAPER", "print": "PAPER", "screen": "SCREEN"} {
			load := contract.Load{Media: media}
			for name, job := range map[string]Print{"html": {HTML: html, Load: load}, "url": {URL: web.URL, Load: load}} {
				if text := printed(t, slot, job); !strings.Contains(text, want) || strings.Contains(text, "PAPER") && strings.Contains(text, "SCREEN") {
					t.Errorf("%s, media %q: the text is %q, want %s", name, media, text, want)
				}
			}
			for name, job := range map[string]Capture{"html": {HTML: html, Load: load}, "url": {URL: web.URL, Load: load}} {
				picture, _ := mustCapture(t, slot, job)
				if r, g, b, _ := picture.At(500, 300).RGBA(); (r == 0 && g == 0xffff && b == 0) != (media == "print") {
					t.Errorf("%s, media %q: the picture has %x %x %x", name, media, r, g, b)
				}
			}
		}
	}
	if _, err := slot.Print(t.Context(), Print{HTML: html, Load: contract.Load{Media: "tv"}}); !errors.Is(err, ErrOptions) {
		t.Errorf("an unknown medium: got %v", err)
	}
}

// A capture shows nothing of the document before it.
func TestCapturesAreIsolated(t *testing.T) {
	slot := openSlot(t)
	first, _ := mustCapture(t, slot, Capture{HTML: "<p>next</p>"})
	mustCapture(t, slot, Capture{HTML: `<html style="background: red; zoom: 2"><body style="height: 9000px"><input autofocus value="secret"><a name="end">`, Options: contract.Image{FullPage: true}})
	second, _ := mustCapture(t, slot, Capture{HTML: "<p>next</p>"})
	if !bytes.Equal(first.(*image.RGBA).Pix, second.(*image.RGBA).Pix) {
		t.Error("the document looks different on a used page")
	}
}

// The budget of a capture covers everything, however long loading may take.
func TestCaptureBudget(t *testing.T) {
	slot := openSlot(t)
	pictures := pagetest.NewPictures(t)
	_, err := slot.Capture(t.Context(), Capture{HTML: pictures.Document("x"), Load: contract.Load{Timeout: contract.MaxLoadTimeout.Milliseconds()}, CaptureTimeout: 1e8})
	if !errors.Is(err, ErrTimeout) || Retryable(err) {
		t.Errorf("got %v, want ErrTimeout", err)
	}
	mustCapture(t, slot, Capture{HTML: "next"})
}

func TestCaptureRefused(t *testing.T) {
	for _, job := range []Capture{
		{Options: contract.Image{Width: 319, Height: 320}},
		{Options: contract.Image{Width: 1921, Height: 320}},
		{Options: contract.Image{Width: 320, Height: 319}},
		{Options: contract.Image{Width: 320, Height: 8193}},
		{Options: contract.Image{Width: 1024}},
		{Options: contract.Image{Format: "gif"}},
		{Options: contract.Image{Format: "jpeg", Quality: 101}},
		{Options: contract.Image{Format: "jpeg", Quality: int64(-1)}},
		{Options: contract.Image{Quality: 50}},
	} {
		if _, err := job.resolve(); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: got %v, want ErrOptions", job, err)
		}
	}
	if _, err := (Capture{Options: contract.Image{Width: 320, Height: 8192, Format: "jpeg", Quality: 1}}).resolve(); err != nil {
		t.Error(err)
	}
}

// The largest image of incompressible noise arrives complete.
func TestCaptureOfNoise(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	html := `<body style="margin: 0; height: 8192px; background: url(data:image/png;base64,` + noise(t, 1920, 1024) + `)">`
	_, result := mustCapture(t, slot, Capture{HTML: html, Options: contract.Image{Width: 1920, Height: 8192}})
	if len(result.Data) < 40<<20 {
		t.Errorf("only %d bytes", len(result.Data))
	}
	t.Logf("%d bytes, captured in %v", len(result.Data), result.Capture)
}
