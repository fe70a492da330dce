package document

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	palette "image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"platen.dev/browserpool"
	browserpage "platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// newPrinter opens a browser, and returns a function that prints HTML like the service.
func newPrinter(t *testing.T) func(html string, paper contract.Paper) []byte {
	t.Helper()
	pool, err := browserpool.Open(browserpool.Config{Slots: 1, System: testkit.System(t), Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close(context.Background()) })
	return func(html string, paper contract.Paper) []byte {
		t.Helper()
		lease, err := pool.Acquire(t.Context(), "", events.Quick)
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Return()
		result, err := lease.Print(t.Context(), browserpage.Print{HTML: html, Options: paper})
		if err != nil {
			t.Fatal(err)
		}
		return result.PDF
	}
}

// marked returns a finishing that adds these watermarks to a PDF.
func marked(t *testing.T, printed func(string, contract.Paper) []byte, pdf []byte, marks ...Watermark) Finishing {
	t.Helper()
	sizes, ofPage, err := PageSizes(pdf)
	if err != nil {
		t.Fatal(err)
	}
	l := LayOut(marks, sizes, ofPage)
	paper := noMargin
	paper.PreferCSS, paper.Scale = true, 1
	return Finishing{Overlay: printed(l.HTML, paper), Over: l.Over, Under: l.Under}
}

var noMargin = contract.Paper{MarginTop: "0", MarginRight: "0", MarginBottom: "0", MarginLeft: "0"}

// pdfText returns the text of a PDF, in reading order.
func pdfText(t *testing.T, pdf []byte, args ...string) string {
	t.Helper()
	return testkit.Tool(t, pdf, "pdftotext", append(args, "-", "-")...)
}

// tryTool runs a program that may fail. It replaces the argument PDF with the path of a file, as qpdf cannot read its standard input.
func tryTool(t *testing.T, pdf []byte, name string, args ...string) (string, error) {
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

func mustQPDF(t *testing.T, pdf []byte, args ...string) string {
	t.Helper()
	out, err := tryTool(t, pdf, "qpdf", append(args, "PDF")...)
	if err != nil {
		t.Fatalf("qpdf %q: %v\n%s", args, err, out)
	}
	return out
}

// rasterize renders a page of a PDF at 72 dots per inch.
func rasterize(t *testing.T, pdf []byte, page int) image.Image {
	t.Helper()
	number := strconv.Itoa(page)
	picture, err := png.Decode(strings.NewReader(testkit.Tool(t, pdf, "pdftoppm", "-r", "72", "-png", "-f", number, "-l", number, "-")))
	if err != nil {
		t.Fatalf("page %d: %v", page, err)
	}
	return picture
}

// countPixels counts the pixels whose colour satisfies a condition.
func countPixels(picture image.Image, is func(r, g, b uint8) bool) (n int) {
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
	printed := newPrinter(t)
	pdf := printed(twoPages, contract.Paper{})
	for name, tc := range map[string]struct {
		mark Watermark
		// seen reports whether a pixel has the colour of the watermark on white paper.
		seen func(r, g, b uint8) bool
		text string
	}{
		"opaque":     {Watermark{Text: "DRAFT", Color: "rgb(255, 0, 0)", FontSize: "90px", Rotation: -45}, func(r, g, b uint8) bool { return r > 240 && g < 20 && b < 20 }, ""}, // rotated, each letter is a line of its own
		"half alpha": {Watermark{Text: "DRAFT", Color: "rgba(0, 0, 255, 0.5)", FontSize: "90px", Rotation: 0}, func(r, g, b uint8) bool { return r > 118 && r < 138 && g > 118 && g < 138 && b > 240 }, "DRAFT"},
		"Arabic":     {Watermark{Text: "مسودة", Color: "#00aa00", FontSize: "3cm", Rotation: 30}, func(r, g, b uint8) bool { return r < 20 && g > 150 && g < 190 && b < 20 }, ""},
		"Chinese":    {Watermark{Text: "草稿", Color: "#00aa00", FontSize: "1in", Rotation: 0}, func(r, g, b uint8) bool { return r < 20 && g > 150 && g < 190 && b < 20 }, "草稿"},
		"markup":     {Watermark{Text: "<b>&amp;", Color: "#00aa00", FontSize: "1in", Rotation: 0}, func(r, g, b uint8) bool { return r < 20 && g > 150 && g < 190 && b < 20 }, "<b>&amp;"},
	} {
		out, err := Finish(t.Context(), pdf, marked(t, printed, pdf, tc.mark))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		mustQPDF(t, out, "--check")
		if text := pdfText(t, out); !strings.Contains(text, "one") || !strings.Contains(text, "two") || strings.Count(text, tc.text) < 2 {
			t.Errorf("%s: the text is %q", name, text)
		}
		for page := 1; page <= 2; page++ {
			if n := countPixels(rasterize(t, out, page), tc.seen); n < 500 {
				t.Errorf("%s: page %d shows %d pixels of the watermark", name, page, n)
			}
		}
	}
}

// A watermark lies above the content of the page.
func TestWatermarkIsAbove(t *testing.T) {
	printed := newPrinter(t)
	pdf := printed(`<div style="height: 1500px; background: #ffff00"></div>`, contract.Paper{})
	mark := Watermark{Text: "████", Color: "#ff0000", FontSize: "100px"}
	out, err := Finish(t.Context(), pdf, marked(t, printed, pdf, mark))
	if err != nil {
		t.Fatal(err)
	}
	if n := countPixels(rasterize(t, out, 1), func(r, g, b uint8) bool { return r > 240 && g < 20 && b < 20 }); n < 5_000 {
		t.Errorf("only %d red pixels on yellow", n)
	}
}

func TestEncryption(t *testing.T) {
	testkit.Long(t)
	pdf := newPrinter(t)(twoPages, contract.Paper{})
	for _, password := range []string{"secret", "päßwörd ✓", `--replace-input "x" '@-`, "--", `\"}`, strings.Repeat("x", 127)} {
		for _, level := range []int{0, 1, 4, 9} {
			out, err := Finish(t.Context(), pdf, Finishing{Password: password, Level: level})
			if err != nil {
				t.Fatalf("%q: %v", password, err)
			}
			if len(password) <= 32 { // pdftotext accepts no longer ones
				if text := pdfText(t, out, "-upw", password); !strings.Contains(text, "two") {
					t.Errorf("%q, level %d: with the password the text is %q", password, level, text)
				}
			}
			mustQPDF(t, out, "--password="+password, "--check")
			if text, err := tryTool(t, out, "pdftotext", "PDF", "-"); err == nil {
				t.Errorf("%q, level %d: without the password the text is %q", password, level, text)
			}
			if shown := mustQPDF(t, out, "--password="+password, "--show-encryption"); !strings.Contains(shown, "AESv3") || !strings.Contains(shown, "R = 6") {
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

// Denied permissions apply to whoever has the user password or none, and to nobody else.
func TestPermissions(t *testing.T) {
	testkit.Long(t)
	pdf := newPrinter(t)(twoPages, contract.Paper{})
	lines := map[string]Denied{
		"print low resolution": {Printing: true}, "print high resolution": {Printing: true}, "extract for any purpose": {Copying: true}, "modify other": {Modifying: true},
		"modify annotations": {Annotating: true}, "modify forms": {FillingForms: true}, "modify document assembly": {Assembling: true},
		"extract for accessibility": {}, // always allowed
	}
	all := Denied{Printing: true, Copying: true, Modifying: true, Annotating: true, FillingForms: true, Assembling: true}
	for name, f := range map[string]Finishing{
		"owner": {OwnerPassword: "boss"}, "both": {Password: "secret", OwnerPassword: "boss"}, "user": {Password: "secret"}, "compressed": {OwnerPassword: "boss", Level: 9},
	} {
		for _, f.Denied = range []Denied{{}, {Printing: true}, {Copying: true}, {Modifying: true}, {Annotating: true}, {FillingForms: true}, {Assembling: true}, all} {
			out, err := Finish(t.Context(), pdf, f)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			shown := mustQPDF(t, out, "--password="+f.Password, "--show-encryption")
			for line, of := range lines {
				want := line + ": allowed\n"
				if of != (Denied{}) && (of == f.Denied || f.Denied == all) {
					want = line + ": not allowed\n"
				}
				if !strings.Contains(shown, want) {
					t.Errorf("%s, %+v: want %q in %s", name, f.Denied, want, shown)
				}
			}
			if !strings.Contains(shown, "AESv3") || strings.Contains(shown, "owner password") {
				t.Errorf("%s: qpdf says %s", name, shown)
			}
			if text := pdfText(t, out, "-upw", f.Password); !strings.Contains(text, "two") && !f.Denied.Copying {
				t.Errorf("%s: the text is %q", name, text)
			}
			if f.OwnerPassword != "" && !strings.Contains(mustQPDF(t, out, "--password=boss", "--show-encryption"), "owner password") {
				t.Errorf("%s: the owner's password is not", name)
			}
		}
	}
	if _, err := Finish(t.Context(), pdf, Finishing{OwnerPassword: "a\nb"}); !errors.Is(err, ErrPassword) {
		t.Errorf("an owner password with a line end: got %v", err)
	}
}

func TestCompressionLevels(t *testing.T) {
	testkit.Long(t)
	pdf := newPrinter(t)(twoPages+strings.Repeat("<p>The quick brown fox jumps over the lazy dog.</p>", 300), contract.Paper{})
	for level := 1; level <= 9; level++ {
		out, err := Finish(t.Context(), pdf, Finishing{Level: level})
		if err != nil {
			t.Fatalf("level %d: %v", level, err)
		}
		mustQPDF(t, out, "--check")
		_, notLinear := tryTool(t, out, "qpdf", "--check-linearization", "PDF")
		info := testkit.Tool(t, out, "pdfinfo", "-")
		if got := strings.Contains(info, "Optimized:       yes"); got != (level > 6) || (level > 6 && notLinear != nil) {
			t.Errorf("level %d: linearised %t (%v)", level, got, notLinear)
		}
		if got := bytes.Contains(out, []byte("/ObjStm")); got != (level > 3) {
			t.Errorf("level %d: object streams %t", level, got)
		}
		if level > 3 && level < 7 && len(out) >= len(pdf) {
			t.Errorf("level %d: %d bytes became %d", level, len(pdf), len(out))
		}
		if text := pdfText(t, out); strings.Count(text, "quick") != 300 {
			t.Errorf("level %d: the text was changed", level)
		}
	}
}

func TestImageQuality(t *testing.T) {
	printed := newPrinter(t)
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
	pdf := printed(`<img src="data:image/png;base64,`+base64.StdEncoding.EncodeToString(encoded.Bytes())+`"><p>caption</p>`, contract.Paper{})
	last := len(pdf)
	for _, quality := range []int{95, 60, 20, 1} {
		out, err := Finish(t.Context(), pdf, Finishing{ImageQuality: quality})
		if err != nil {
			t.Fatal(err)
		}
		mustQPDF(t, out, "--check")
		if len(out) >= last {
			t.Errorf("quality %d: %d bytes, not less than %d", quality, len(out), last)
		}
		last = len(out)
		if list := testkit.Tool(t, out, "pdfimages", "-list", "-"); !strings.Contains(list, "jpeg") {
			t.Errorf("quality %d: the images are\n%s", quality, list)
		}
		before, after := rasterize(t, pdf, 1), rasterize(t, out, 1)
		if quality >= 60 && meanDifference(before, after) > 8 {
			t.Errorf("quality %d: a pixel differs by %d on average", quality, meanDifference(before, after))
		}
	}
}

// meanDifference is the average difference of two images per pixel and component.
func meanDifference(a, b image.Image) int {
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

// A broken file is an error.
func TestFinishBrokenFiles(t *testing.T) {
	for _, f := range []Finishing{{Overlay: []byte("%PDF-1.4"), Over: []int{1}}, {ImageQuality: 50}, {Level: 1}, {Password: "x"}} {
		if _, err := Finish(t.Context(), []byte("%PDF-1.7 broken"), f); err == nil {
			t.Errorf("%+v: no error for a broken file", f)
		}
	}
}
