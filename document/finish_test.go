package document

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	palette "image/color"
	"image/png"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/browserpool"
	browserpage "platen.dev/browserpool/page"
	"platen.dev/events"
)

// press prints documents as the service does.
func press(t *testing.T) func(html string, margin browserpage.Margin) []byte {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	pool, err := browserpool.Open(browserpool.Config{Slots: 1, System: system, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close(context.Background()); system.Shutdown() })
	return func(html string, margin browserpage.Margin) []byte {
		t.Helper()
		lease, err := pool.Acquire(t.Context(), events.Quick)
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Return()
		result, err := lease.Print(t.Context(), browserpage.Print{HTML: html, Options: browserpage.PDFOptions{Margin: margin}})
		if err != nil {
			t.Fatal(err)
		}
		return result.PDF
	}
}

var paperEdge = browserpage.Margin{Top: "0", Right: "0", Bottom: "0", Left: "0"}

// tool runs a program over a PDF and gives its output.
func tool(t *testing.T, pdf []byte, name string, args ...string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "it.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "PDF", path)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	return string(out), err
}

func must(t *testing.T, pdf []byte, name string, args ...string) string {
	t.Helper()
	out, err := tool(t, pdf, name, args...)
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

// rendered is a page of a PDF as a picture of about 72 dots per inch.
func rendered(t *testing.T, pdf []byte, page int) image.Image {
	t.Helper()
	dir := t.TempDir()
	must(t, pdf, "pdftoppm", "-r", "72", "-png", "-f", fmt.Sprint(page), "-l", fmt.Sprint(page), "PDF", filepath.Join(dir, "p"))
	found, _ := filepath.Glob(filepath.Join(dir, "p*.png"))
	if len(found) != 1 {
		t.Fatalf("page %d: got %d pictures", page, len(found))
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// pixels is how many pixels of a picture are of a kind.
func pixels(picture image.Image, is func(r, g, b uint8) bool) (n int) {
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			c := palette.RGBAModel.Convert(picture.At(x, y)).(palette.RGBA)
			if is(c.R, c.G, c.B) {
				n++
			}
		}
	}
	return n
}

const twoPages = `<div style="height: 400px; background: #ffff00">one</div><p style="break-before: page">two</p>`

func TestWatermark(t *testing.T) {
	print := press(t)
	pdf := print(twoPages, browserpage.Margin{})
	for name, tc := range map[string]struct {
		mark Watermark
		// seen tells whether a pixel is the watermark's on white paper.
		seen func(r, g, b uint8) bool
		text string
	}{
		"opaque":     {Watermark{Text: "DRAFT", Color: "rgb(255, 0, 0)", FontSize: "90px", Rotation: -45}, func(r, g, b uint8) bool { return r > 240 && g < 20 && b < 20 }, ""}, // its letters are lines of their own
		"half alpha": {Watermark{Text: "DRAFT", Color: "rgba(0, 0, 255, 0.5)", FontSize: "90px", Rotation: 0}, func(r, g, b uint8) bool { return r > 118 && r < 138 && g > 118 && g < 138 && b > 240 }, "DRAFT"},
		"Arabic":     {Watermark{Text: "مسودة", Color: "#00aa00", FontSize: "3cm", Rotation: 30}, func(r, g, b uint8) bool { return r < 20 && g > 150 && g < 190 && b < 20 }, ""},
		"Chinese":    {Watermark{Text: "草稿", Color: "#00aa00", FontSize: "1in", Rotation: 0}, func(r, g, b uint8) bool { return r < 20 && g > 150 && g < 190 && b < 20 }, "草稿"},
		"markup":     {Watermark{Text: "<b>&amp;", Color: "#00aa00", FontSize: "1in", Rotation: 0}, func(r, g, b uint8) bool { return r < 20 && g > 150 && g < 190 && b < 20 }, "<b>&amp;"},
	} {
		out, err := Finish(t.Context(), pdf, Finishing{Overlay: print(tc.mark.HTML(), paperEdge)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		must(t, out, "qpdf", "--check", "PDF")
		if text := must(t, out, "pdftotext", "PDF", "-"); !strings.Contains(text, "one") || !strings.Contains(text, "two") || strings.Count(text, tc.text) < 2 {
			t.Errorf("%s: the text is %q", name, text)
		}
		for page := 1; page <= 2; page++ {
			if n := pixels(rendered(t, out, page), tc.seen); n < 500 {
				t.Errorf("%s: page %d shows %d pixels of the watermark", name, page, n)
			}
		}
	}
}

// A watermark lies above what the page shows.
func TestWatermarkIsAbove(t *testing.T) {
	print := press(t)
	pdf := print(`<div style="height: 1500px; background: #ffff00"></div>`, browserpage.Margin{})
	mark := Watermark{Text: "████", Color: "#ff0000", FontSize: "100px"}
	out, err := Finish(t.Context(), pdf, Finishing{Overlay: print(mark.HTML(), paperEdge)})
	if err != nil {
		t.Fatal(err)
	}
	if n := pixels(rendered(t, out, 1), func(r, g, b uint8) bool { return r > 240 && g < 20 && b < 20 }); n < 5_000 {
		t.Errorf("%d red pixels are seen on yellow", n)
	}
}

func TestEncryption(t *testing.T) {
	pdf := press(t)(twoPages, browserpage.Margin{})
	for _, password := range []string{"secret", "päßwörd ✓", `--replace-input "x" '@-`, "--", `\"}`, strings.Repeat("x", 127)} {
		for _, level := range []int{0, 1, 4, 9} {
			out, err := Finish(t.Context(), pdf, Finishing{Password: password, Level: level})
			if err != nil {
				t.Fatalf("%q: %v", password, err)
			}
			if len(password) <= 32 { // pdftotext takes no longer ones
				if text := must(t, out, "pdftotext", "-upw", password, "PDF", "-"); !strings.Contains(text, "two") {
					t.Errorf("%q, level %d: with the password the text is %q", password, level, text)
				}
			}
			must(t, out, "qpdf", "--password="+password, "--check", "PDF")
			if text, err := tool(t, out, "pdftotext", "PDF", "-"); err == nil {
				t.Errorf("%q, level %d: without the password the text is %q", password, level, text)
			}
			if shown := must(t, out, "qpdf", "--password="+password, "--show-encryption", "PDF"); !strings.Contains(shown, "AESv3") || !strings.Contains(shown, "R = 6") {
				t.Errorf("%q, level %d: qpdf says %s", password, level, shown)
			}
		}
	}
	for _, password := range []string{"a\nb", "a\x00"} {
		if _, err := Finish(t.Context(), pdf, Finishing{Password: password}); !errors.Is(err, ErrPassword) {
			t.Errorf("%q: got %v", password, err)
		}
	}
}

func TestCompressionLevels(t *testing.T) {
	pdf := press(t)(twoPages+strings.Repeat("<p>The quick brown fox jumps over the lazy dog.</p>", 300), browserpage.Margin{})
	for level := 1; level <= 9; level++ {
		out, err := Finish(t.Context(), pdf, Finishing{Level: level})
		if err != nil {
			t.Fatalf("level %d: %v", level, err)
		}
		must(t, out, "qpdf", "--check", "PDF")
		_, notLinear := tool(t, out, "qpdf", "--check-linearization", "PDF")
		linear := must(t, out, "pdfinfo", "PDF")
		if got := strings.Contains(linear, "Optimized:       yes"); got != (level > 6) || (level > 6 && notLinear != nil) {
			t.Errorf("level %d: linearised %t (%v)", level, got, notLinear)
		}
		if got := bytes.Contains(out, []byte("/ObjStm")); got != (level > 3) {
			t.Errorf("level %d: object streams %t", level, got)
		}
		if level > 3 && level < 7 && len(out) >= len(pdf) {
			t.Errorf("level %d: %d bytes became %d", level, len(pdf), len(out))
		}
		if text := must(t, out, "pdftotext", "PDF", "-"); strings.Count(text, "quick") != 300 {
			t.Errorf("level %d: the text was changed", level)
		}
	}
}

func TestImageQuality(t *testing.T) {
	print := press(t)
	photo := image.NewRGBA(image.Rect(0, 0, 400, 300))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range photo.Pix { // soft colours with some noise, as photographs have
		photo.Pix[i] = uint8((i/4%400)/4 + (i/1600)/3 + rng.IntN(20))
		if i%4 == 3 {
			photo.Pix[i] = 255
		}
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, photo); err != nil {
		t.Fatal(err)
	}
	pdf := print(`<img src="data:image/png;base64,`+base64.StdEncoding.EncodeToString(encoded.Bytes())+`"><p>caption</p>`, browserpage.Margin{})
	last := len(pdf)
	for _, quality := range []int{95, 60, 20, 1} {
		out, err := Finish(t.Context(), pdf, Finishing{ImageQuality: quality})
		if err != nil {
			t.Fatal(err)
		}
		must(t, out, "qpdf", "--check", "PDF")
		if len(out) >= last {
			t.Errorf("quality %d: %d bytes, not less than %d", quality, len(out), last)
		}
		last = len(out)
		if list := must(t, out, "pdfimages", "-list", "PDF"); !strings.Contains(list, "jpeg") {
			t.Errorf("quality %d: the images are\n%s", quality, list)
		}
		before, after := rendered(t, pdf, 1), rendered(t, out, 1)
		if quality >= 60 && difference(before, after) > 8 {
			t.Errorf("quality %d: a pixel differs by %d on average", quality, difference(before, after))
		}
	}
}

// difference is by how much two pictures differ, per pixel and colour.
func difference(a, b image.Image) int {
	sum, n := 0, 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			p, q := palette.RGBAModel.Convert(a.At(x, y)).(palette.RGBA), palette.RGBAModel.Convert(b.At(x, y)).(palette.RGBA)
			for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
				sum += max(d, -d)
				n++
			}
		}
	}
	return sum / n
}

// What is broken is an error.
func TestFinishBrokenFiles(t *testing.T) {
	for _, f := range []Finishing{{Overlay: []byte("%PDF-1.4")}, {ImageQuality: 50}, {Level: 1}, {Password: "x"}} {
		if _, err := Finish(t.Context(), []byte("%PDF-1.7 broken"), f); err == nil {
			t.Errorf("%+v makes something of a broken file", f)
		}
	}
}
