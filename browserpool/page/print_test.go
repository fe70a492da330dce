package page

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// wholeDocument returns a document with this body.
func wholeDocument(body string) string {
	return `<!doctype html><html><head><meta charset="utf-8"><title>t</title></head><body>` + body + `</body></html>`
}

func TestPrint(t *testing.T) {
	slot := openSlot(t)
	t.Run("text of many scripts can be read back", func(t *testing.T) { printsManyScripts(t, slot) })
	t.Run("paper", func(t *testing.T) { printsOnPaper(t, slot) })
	t.Run("wide content is fitted between the margins", func(t *testing.T) { fitsWideContent(t, slot) })
	t.Run("narrow content keeps its size", func(t *testing.T) { keepsNarrowContent(t, slot) })
	t.Run("backgrounds", func(t *testing.T) { printsBackgrounds(t, slot) })
	t.Run("no script runs", func(t *testing.T) { runsNoScript(t, slot) })
	t.Run("the limit on size", func(t *testing.T) { limitsSize(t, slot) })
	t.Run("a file of many chunks is whole", func(t *testing.T) { readsManyChunks(t, slot) })
	t.Run("the file is not tagged", func(t *testing.T) { isNotTagged(t, slot) })
	t.Run("times are reported", func(t *testing.T) { reportsTimes(t, slot) })
}

func printsManyScripts(t *testing.T, slot *slot) {
	words := []string{"Grüße", "Ελληνικά", "Кириллица", "漢字かな", "한국어", "中文字体"}
	result := mustPrint(t, slot, Print{HTML: wholeDocument("<p>" + strings.Join(words, "</p><p>") + `</p><p dir="rtl">مرحبا</p><p dir="rtl">שלום</p>`)})
	text := testkit.PDFText(t, result.PDF)
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("no %s in %q", word, text)
		}
	}
	// Poppler returns Arabic in visual or in reading order, so look for its letters.
	for _, letter := range "مرحباשלום" {
		if !strings.ContainsRune(text, letter) {
			t.Errorf("no letter %c in %q", letter, text)
		}
	}
	for _, font := range strings.Split(strings.TrimSpace(testkit.Tool(t, result.PDF, "pdffonts", "-")), "\n")[2:] {
		if !strings.Contains(font, " yes ") {
			t.Errorf("font not embedded: %s", font)
		}
	}
}

func printsOnPaper(t *testing.T, slot *slot) {
	for _, c := range []struct {
		options       contract.Paper
		width, height float64 // points
	}{
		{contract.Paper{}, 595, 842},
		{contract.Paper{Format: "a4", Landscape: true}, 842, 595},
		{contract.Paper{Format: "A3"}, 842, 1191},
		{contract.Paper{Format: "Letter"}, 612, 792},
		{contract.Paper{Format: "Legal"}, 612, 1008},
		{contract.Paper{Format: "TABLOID", Landscape: true}, 1224, 792},
		{contract.Paper{Format: "A0"}, 2384, 3370},
		{contract.Paper{Format: "a1", Landscape: true}, 2384, 1684},
		{contract.Paper{Format: "A2"}, 1191, 1684},
		{contract.Paper{Format: "A5"}, 420, 595},
		{contract.Paper{Format: "a6"}, 298, 420},
		{contract.Paper{Format: "Ledger"}, 1224, 792},
		{contract.Paper{Format: "LEDGER", Landscape: true}, 792, 1224},
		{contract.Paper{Width: "6in", Height: "4in"}, 432, 288},
		{contract.Paper{Width: "10mm", Height: "10mm", MarginTop: "0", MarginRight: "0", MarginBottom: "0", MarginLeft: "0"}, 28.35, 28.35},
		{contract.Paper{Width: "200in", Height: "5080mm"}, 14400, 14400},
	} {
		result := mustPrint(t, slot, Print{HTML: wholeDocument("x"), Options: c.options})
		pages, width, height := geometry(t, result.PDF)
		if pages != 1 || math.Abs(width-c.width) > 1.5 || math.Abs(height-c.height) > 1.5 {
			t.Errorf("%+v: %d pages of %v x %v, want 1 of %v x %v", c.options, pages, width, height, c.width, c.height)
		}
	}
}

func fitsWideContent(t *testing.T, slot *slot) {
	wide := wholeDocument(`<div style="width: 1100px; text-align: right">EDGE</div>`)
	margin := contract.Paper{MarginLeft: "1in", MarginRight: "1in"}
	fitted := edge(t, mustPrint(t, slot, Print{HTML: wide, Options: margin}).PDF)
	if limit := 595.0 - 72 + 1; fitted > limit || fitted < limit-20 {
		t.Errorf("the right edge is at %v pt, want just within %v", fitted, limit)
	}
	margin.Scale = 0.5
	if half := edge(t, mustPrint(t, slot, Print{HTML: wide, Options: margin}).PDF); half >= fitted-10 {
		t.Errorf("at scale 0.5 the right edge is at %v pt, fitted it was at %v", half, fitted)
	}
}

func keepsNarrowContent(t *testing.T, slot *slot) {
	at := func(scale float64) float64 {
		return edge(t, mustPrint(t, slot, Print{HTML: wholeDocument("EDGE"), Options: contract.Paper{Scale: scale}}).PDF)
	}
	if fitted, whole := at(0), at(1); fitted != whole {
		t.Errorf("fitted ends at %v, scale 1 at %v", fitted, whole)
	}
}

func printsBackgrounds(t *testing.T, slot *slot) {
	box := wholeDocument(`<div style="background: #ff0000; height: 100px"></div>`)
	for _, hide := range []bool{false, true} {
		result := mustPrint(t, slot, Print{HTML: box, Options: contract.Paper{OmitBackground: hide}})
		picture := testkit.Tool(t, result.PDF, "pdftoppm", "-r", "20", "-")
		if red := strings.Contains(picture, "\xff\x00\x00"); red == hide {
			t.Errorf("hidden %v, yet red on the page is %v", hide, red)
		}
	}
}

func runsNoScript(t *testing.T, slot *slot) {
	result := mustPrint(t, slot, Print{HTML: wholeDocument(
		`<p id="p">STATIC</p><script>document.getElementById("p").textContent = "RAN"</script>` +
			`<img src="data:," onerror="document.body.textContent = 'RAN'"><noscript>NOSCRIPT</noscript>`)})
	if text := testkit.PDFText(t, result.PDF); strings.Contains(text, "RAN") || !strings.Contains(text, "STATIC") {
		t.Errorf("text %q", text)
	}
}

func limitsSize(t *testing.T, slot *slot) {
	if _, err := slot.Print(t.Context(), Print{HTML: wholeDocument("x"), MaxBytes: 100}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
}

func readsManyChunks(t *testing.T, slot *slot) {
	picture := noise(t, 1250, 1250)
	result := mustPrint(t, slot, Print{HTML: wholeDocument(`<img src="data:image/png;base64,` + picture + `">`)})
	if len(result.PDF) <= chunk {
		t.Fatalf("%d bytes are only one chunk", len(result.PDF))
	}
	if pages, _, _ := geometry(t, result.PDF); pages == 0 || !strings.HasSuffix(strings.TrimSpace(string(result.PDF)), "%%EOF") {
		t.Error("the file is cut")
	}
	if _, err := slot.Print(t.Context(), Print{HTML: wholeDocument(`<img src="data:image/png;base64,` + picture + `">`), MaxBytes: chunk + 1}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
}

func isNotTagged(t *testing.T, slot *slot) {
	if info := testkit.Tool(t, mustPrint(t, slot, Print{HTML: wholeDocument("<h1>x</h1>")}).PDF, "pdfinfo", "-"); !strings.Contains(info, "Tagged:          no") {
		t.Errorf("pdfinfo says %s", info)
	}
}

func reportsTimes(t *testing.T, slot *slot) {
	result := mustPrint(t, slot, Print{HTML: wholeDocument("x")})
	if result.Load <= 0 || result.Print <= 0 || result.Load > 10*time.Second {
		t.Errorf("load %v, print %v", result.Load, result.Print)
	}
}

// noise returns an incompressible PNG, as base64.
func noise(t testing.TB, width, height int) string {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(picture.Pix)
	for i := 3; i < len(picture.Pix); i += 4 {
		picture.Pix[i] = 255 // opaque
	}
	var encoded bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	if err := encoder.Encode(&encoded, picture); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(encoded.Bytes())
}
