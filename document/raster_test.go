package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/events/testkit"
)

// drawnPDF returns a PDF with a page for each size, in points. Each page shows the same picture, of width by height RGB samples, over its whole area.
func drawnPDF(width, height int, samples []byte, pages ...[2]int) []byte {
	var w pdfWriter
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	w.object("<</Type /Catalog /Pages 2 0 R>>")
	w.object("<</Type /Pages /Count %d /Kids [%s]>>", len(pages), kids)
	w.object("<</Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceRGB /Length %d>>\nstream\n%s\nendstream",
		width, height, len(samples), samples)
	for i, size := range pages {
		w.object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources <</XObject <</I 3 0 R>>>>>>", size[0], size[1], 5+2*i)
		shown := fmt.Sprintf("%d 0 0 %d 0 0 cm /I Do", size[0], size[1])
		w.object("<</Length %d>>\nstream\n%s\nendstream", len(shown), shown)
	}
	return w.end()
}

// mustPicture returns the picture of a page.
func mustPicture(t *testing.T, pdf []byte, page, width int) image.Image {
	t.Helper()
	drawn, err := Picture(t.Context(), pdf, page, width)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// teal has the samples of one pixel.
var teal = []byte{0, 128, 128}

func TestPicture(t *testing.T) {
	pdf := drawnPDF(1, 1, teal, [2]int{595, 842}, [2]int{842, 595})
	for page, want := range map[int]image.Point{1: {300, 425}, 2: {300, 212}} {
		picture := mustPicture(t, pdf, page, 300)
		if got := picture.Bounds().Size(); got.X != want.X || got.Y < want.Y-1 || got.Y > want.Y+1 {
			t.Errorf("page %d: size %v, want %v", page, got, want)
		}
		is := func(r, g, b uint8) bool { return r == teal[0] && g == teal[1] && b == teal[2] }
		if got, all := countPixels(picture, is), picture.Bounds().Dx()*picture.Bounds().Dy(); got < all*9/10 {
			t.Errorf("page %d: %d pixels of %d have the colour", page, got, all)
		}
	}
	for _, page := range []int{-1, 0, 3, MaxPicturePage, MaxPicturePage + 1, 1<<32 + 1} { // pdftoppm takes the last for 1
		if _, err := Picture(t.Context(), pdf, page, 300); !errors.Is(err, ErrNoPage) {
			t.Errorf("page %d: %v", page, err)
		}
	}
}

func TestPictureSizes(t *testing.T) {
	square := drawnPDF(1, 1, teal, [2]int{100, 100})
	for _, width := range []int{1, MaxPictureWidth} {
		if got := mustPicture(t, square, 1, width).Bounds().Size(); got != image.Pt(width, width) {
			t.Errorf("width %d: got %v", width, got)
		}
	}
	for _, width := range []int{-1, 0, MaxPictureWidth + 1} {
		if _, err := Picture(t.Context(), square, 1, width); !errors.Is(err, errPicture) {
			t.Errorf("width %d: %v", width, err)
		}
	}
	for size, want := range map[[2]int]image.Point{ // the longest page of a PDF has 14,400 points by its standard
		{100, 400}: {100, 400}, {100, 401}: {100, 400}, {1, 1_000_000_000}: {100, 400}, {1_000_000_000, 1}: {100, 1}, {1_000_000, 1_000_000}: {100, 100},
	} {
		if got := mustPicture(t, drawnPDF(1, 1, teal, size), 1, 100).Bounds().Size(); got != want {
			t.Errorf("a page of %v points: got %v, want %v", size, got, want)
		}
	}
}

// Noise does not compress: the file is as large as its pixels.
func TestPictureBytes(t *testing.T) {
	testkit.Long(t)
	for height, fits := range map[int]bool{2700: true, 3200: false} {
		noise := make([]byte, 2000*height*3)
		_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
		_, err := Picture(t.Context(), drawnPDF(2000, height, noise, [2]int{2000, height}), 1, 2000)
		if (err == nil) != fits {
			t.Errorf("%d bytes of noise: %v", len(noise), err)
		}
	}
}

func TestPictureOfNoPDF(t *testing.T) {
	pdf, err := os.ReadFile("testdata/invoice.pdf")
	if err != nil {
		t.Fatal(err)
	}
	mustPicture(t, pdf, 6, 200)
	locked, err := Finish(t.Context(), pdf, Finishing{Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	for name, pdf := range map[string][]byte{
		"nothing": nil, "text": []byte("<h1>PDF</h1>"), "half": pdf[:len(pdf)/2], "a password": locked, "no pages": drawnPDF(1, 1, teal),
	} {
		if drawn, err := Picture(t.Context(), pdf, 1, 200); err == nil {
			t.Errorf("%s: %d bytes of picture", name, len(drawn))
		}
	}
}

// A picture waits for others under way, for at most ten seconds.
func TestPicturesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if err := drawing.Acquire(t.Context(), cores); err != nil {
			t.Fatal(err)
		}
		defer drawing.Release(cores)
		begin := time.Now()
		_, err := Picture(t.Context(), drawnPDF(1, 1, teal, [2]int{100, 100}), 1, 100)
		if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took != pictureTime {
			t.Errorf("%v after %v", err, took)
		}
	})
}
