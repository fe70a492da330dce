package page

import (
	"errors"
	"image"
	"image/color"
	_ "image/png"
	"io"
	"os"
	"regexp"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

// reduced is a picture a third as wide and high; each pixel is the mean of nine.
func reduced(picture *image.RGBA, to image.Rectangle) *image.RGBA {
	all, small := pagetest.SumsOf(picture), image.NewRGBA(to)
	for y := range to.Dy() {
		for x := range to.Dx() {
			mean := all.Average(image.Rect(3*x, 3*y, 3*x+3, 3*y+3))
			small.SetRGBA(x, y, color.RGBA{uint8(mean[0] + 0.5), uint8(mean[1] + 0.5), uint8(mean[2] + 0.5), 255})
		}
	}
	return small
}

func decodePicture(t *testing.T, from io.Reader) *image.RGBA {
	t.Helper()
	decoded, _, err := image.Decode(from)
	if err != nil {
		t.Fatal(err)
	}
	return pagetest.Opaque(decoded)
}

func readPicture(t *testing.T, path string) *image.RGBA {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%v: make it with go test ./browserpool/page -run 'TestGolden$' -update, and look at it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return decodePicture(t, f)
}

var lineBox = regexp.MustCompile(`<(page) width="([0-9.]+)"|<(line) xMin="([0-9.]+)" yMin="([0-9.]+)" xMax="([0-9.]+)" yMax="([0-9.]+)"`)

// linesOf returns where the lines of text are on the picture of a PDF.
func linesOf(t *testing.T, pdf []byte) (lines []image.Rectangle) {
	t.Helper()
	const scale = float64(pagetest.DPI) / 72
	left, width := 0.0, -float64(pagetest.Gap)
	for _, m := range lineBox.FindAllStringSubmatch(testkit.Tool(t, pdf, "pdftotext", "-bbox-layout", "-", "-"), -1) {
		if m[1] == "page" {
			left, width = left+width+pagetest.Gap, number(t, m[2])*scale
			continue
		}
		at := func(i int) float64 { return number(t, m[i]) * scale }
		lines = append(lines, image.Rect(int(left+at(4)), int(at(5)), int(left+at(6))+1, int(at(7))+1))
	}
	if len(lines) == 0 {
		t.Fatal("no text on the picture")
	}
	return lines
}
