package page_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-rod/rod/lib/proto"
	"golang.org/x/image/draw"

	"platen.dev/events/testkit"
)

var update = flag.Bool("update", false, "write the pictures of the pages anew")

// pictures are the variants that are compared: wide and narrow, light and dark.
var pictures = []struct {
	width int
	theme string
}{{1280, "light"}, {1280, "dark"}, {360, "light"}, {360, "dark"}}

// TestPictures compares the pages with their pictures in testdata/golden, coarsely: fonts differ between machines.
func TestPictures(t *testing.T) {
	testkit.Long(t)
	p := newSite(t, views()).open(t)
	for _, v := range views() {
		for _, as := range pictures {
			p.show(v.name, as.width, as.theme)
			taken, err := p.Screenshot(true, &proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng})
			must(t, err)
			path := filepath.Join("testdata", "golden", fmt.Sprintf("%s-%d-%s.png", v.name, as.width, as.theme))
			if *update {
				keep(t, path, decoded(t, taken))
				continue
			}
			known, err := os.ReadFile(path)
			must(t, err)
			if differs := difference(decoded(t, taken), decoded(t, known)); differs != "" {
				t.Errorf("%s: %s: look at it, and run this test with -update", path, differs)
			}
		}
	}
	p.quiet()
}

func decoded(t *testing.T, file []byte) image.Image {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(file))
	must(t, err)
	return picture
}

// difference describes how much a page's look has changed. It returns "" for no change, or one that other fonts explain.
func difference(got, want image.Image) string {
	g, w := got.Bounds(), want.Bounds()
	if g.Dx() != w.Dx() || 8*abs(g.Dy()-w.Dy()) > w.Dy() {
		return fmt.Sprintf("its size is %v, not %v", g.Max, w.Max)
	}
	small := image.Rect(0, 0, w.Dx()/20, w.Dy()/20)
	a, b, sum := shrunk(got, small), shrunk(want, small), 0
	for i := range a.Pix {
		sum += abs(int(a.Pix[i]) - int(b.Pix[i]))
	}
	if mean := float64(sum) / float64(len(a.Pix)); mean > 8 {
		return fmt.Sprintf("its picture differs by %.1f of 255", mean)
	}
	return ""
}

func shrunk(picture image.Image, size image.Rectangle) *image.RGBA {
	small := image.NewRGBA(size)
	draw.BiLinear.Scale(small, size, picture, picture.Bounds(), draw.Src, nil)
	return small
}

func abs(n int) int { return max(n, -n) }

// keep writes a picture as a small file with few colours: pages have no more.
func keep(t *testing.T, path string, picture image.Image) {
	t.Helper()
	few := image.NewPaletted(picture.Bounds(), palette(picture))
	draw.Draw(few, few.Bounds(), picture, image.Point{}, draw.Src)
	var file bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, few))
	must(t, os.WriteFile(path, file.Bytes(), 0o644))
}

// palette returns the most frequent colours of a picture.
func palette(picture image.Image) color.Palette {
	counts := map[color.RGBA]int{}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)]++
		}
	}
	return most(counts, 48)
}

func most(counts map[color.RGBA]int, n int) (colours color.Palette) {
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	for _, c := range all[:min(n, len(all))] {
		colours = append(colours, c)
	}
	return colours
}
