package pagetest

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// Two pictures of a page are alike when each of their blocks has about the same average colour. Another version of a
// browser, a font or a rasteriser moves edges by fractions of a pixel, which hardly changes an average. A missing or
// moved line of text makes its blocks much brighter or darker.
const (
	// DPI is so low that a point is three quarters of a pixel.
	DPI = 54
	// Block is the side of a block, about the height of a line.
	Block = 8
	// Slack is by how many pixels a block may have moved in any direction.
	Slack = 1
	// tolerance is how far averages may differ in any channel, of 255.
	tolerance = 16
)

// sums holds for each channel the sum of all values above and to the left of a point.
// With it, the average of any rectangle takes four look-ups.
type sums struct {
	bounds image.Rectangle
	stride int
	values [][3]int
}

func sumsOf(picture *image.RGBA) sums {
	b := picture.Bounds()
	s := sums{bounds: b, stride: b.Dx() + 1, values: make([][3]int, (b.Dx()+1)*(b.Dy()+1))}
	for y := range b.Dy() {
		var row [3]int
		for x := range b.Dx() {
			at := picture.PixOffset(b.Min.X+x, b.Min.Y+y)
			above, here := &s.values[y*s.stride+x+1], &s.values[(y+1)*s.stride+x+1]
			for c := range row {
				row[c] += int(picture.Pix[at+c])
				here[c] = above[c] + row[c]
			}
		}
	}
	return s
}

// average is the mean colour of the part of the picture that a rectangle covers.
func (s sums) average(r image.Rectangle) (mean [3]float64) {
	r = r.Intersect(s.bounds).Sub(s.bounds.Min)
	if r.Empty() {
		return mean
	}
	a, b := r.Min.Y*s.stride, r.Max.Y*s.stride
	for c := range mean {
		sum := s.values[b+r.Max.X][c] - s.values[b+r.Min.X][c] - s.values[a+r.Max.X][c] + s.values[a+r.Min.X][c]
		mean[c] = float64(sum) / float64(r.Dx()*r.Dy())
	}
	return mean
}

// Unlike lists the blocks in which two pictures of the same size differ.
func Unlike(got, want *image.RGBA) (blocks []image.Rectangle) {
	g, w := sumsOf(got), sumsOf(want)
	for y := w.bounds.Min.Y; y < w.bounds.Max.Y; y += Block {
		for x := w.bounds.Min.X; x < w.bounds.Max.X; x += Block {
			r := image.Rect(x, y, x+Block, y+Block).Intersect(w.bounds)
			if !g.near(r, w.average(r)) {
				blocks = append(blocks, r)
			}
		}
	}
	return blocks
}

// near reports whether the block, or one within slack of it, has about the colour.
func (s sums) near(r image.Rectangle, want [3]float64) bool {
	for dy := -Slack; dy <= Slack; dy++ {
		for dx := -Slack; dx <= Slack; dx++ {
			if apart(s.average(r.Add(image.Pt(dx, dy))), want) <= tolerance {
				return true
			}
		}
	}
	return false
}

// apart is the largest difference between two colours in any channel.
func apart(a, b [3]float64) (most float64) {
	for c := range a {
		most = max(most, a[c]-b[c], b[c]-a[c])
	}
	return most
}

// PictureOf shows the pages of a PDF side by side, at a multiple of DPI.
func PictureOf(t testing.TB, pdf []byte, times int) *image.RGBA {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "page")
	testkit.Tool(t, pdf, "pdftoppm", "-r", strconv.Itoa(times*DPI), "-", prefix)
	names, err := filepath.Glob(prefix + "*.ppm") // in the order of the pages
	if err != nil || len(names) == 0 {
		t.Fatalf("no picture of the PDF: %v", err)
	}
	var pages []*image.RGBA
	for _, name := range names {
		ppm, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, DecodePPM(t, ppm))
	}
	return sideBySide(pages, times*gap)
}

// DecodePPM reads what pdftoppm writes, which is much faster than as PNG.
func DecodePPM(t testing.TB, ppm []byte) *image.RGBA {
	t.Helper()
	var width, height, most int
	if n, err := fmt.Fscanf(bytes.NewReader(ppm), "P6\n%d %d\n%d\n", &width, &height, &most); n != 3 || most != 255 {
		t.Fatalf("not a picture with a byte per channel: %v", err)
	}
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	pixels := ppm[len(ppm)-3*width*height:]
	for i := range width * height {
		copy(picture.Pix[4*i:], pixels[3*i:3*i+3])
		picture.Pix[4*i+3] = 0xff
	}
	return picture
}

// gap is the number of grey pixels between pages.
const gap = Block

func sideBySide(pages []*image.RGBA, gap int) *image.RGBA {
	whole := image.Rectangle{}
	for _, p := range pages {
		whole.Max = image.Pt(whole.Max.X+p.Bounds().Dx()+gap, max(whole.Max.Y, p.Bounds().Dy()))
	}
	whole.Max.X -= gap
	all := image.NewRGBA(whole)
	draw.Draw(all, whole, image.NewUniform(color.Gray{0x80}), image.Point{}, draw.Src)
	at := image.Point{}
	for _, p := range pages {
		draw.Draw(all, p.Bounds().Add(at), p, image.Point{}, draw.Src)
		at.X += p.Bounds().Dx() + gap
	}
	return all
}

// Reduced is a picture a third as wide and high; each pixel is the mean of nine.
func Reduced(picture *image.RGBA, to image.Rectangle) *image.RGBA {
	all, small := sumsOf(picture), image.NewRGBA(to)
	for y := range to.Dy() {
		for x := range to.Dx() {
			mean := all.average(image.Rect(3*x, 3*y, 3*x+3, 3*y+3))
			small.SetRGBA(x, y, color.RGBA{uint8(mean[0] + 0.5), uint8(mean[1] + 0.5), uint8(mean[2] + 0.5), 255})
		}
	}
	return small
}

func decodePicture(t testing.TB, from io.Reader) *image.RGBA {
	t.Helper()
	decoded, _, err := image.Decode(from)
	if err != nil {
		t.Fatal(err)
	}
	return Opaque(decoded)
}

// Opaque is a picture on white paper.
func Opaque(picture image.Image) *image.RGBA {
	b := picture.Bounds()
	flat := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(flat, flat.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), picture, b.Min, draw.Over)
	return flat
}

// ReadPicture reads a picture on white paper; the test fails without it.
func ReadPicture(t testing.TB, path string) *image.RGBA {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%v: run this test with -update, and look at the picture", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return decodePicture(t, f)
}

// WritePicture writes a picture to a file.
func WritePicture(t testing.TB, path string, picture image.Image) {
	t.Helper()
	var encoded bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&encoded, picture); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, encoded.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// marked is a pale copy of a picture with some blocks in red.
func marked(picture *image.RGBA, blocks []image.Rectangle) *image.RGBA {
	out := image.NewRGBA(picture.Bounds())
	draw.Draw(out, out.Bounds(), picture, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), image.NewUniform(color.RGBA{160, 160, 160, 160}), image.Point{}, draw.Over)
	for _, r := range blocks {
		draw.Draw(out, r, image.NewUniform(color.RGBA{150, 0, 0, 150}), image.Point{}, draw.Over)
	}
	return out
}

var lineBox = regexp.MustCompile(`<(page) width="([0-9.]+)"|<(line) xMin="([0-9.]+)" yMin="([0-9.]+)" xMax="([0-9.]+)" yMax="([0-9.]+)"`)

// LinesOf returns where the lines of text are on the picture of a PDF.
func LinesOf(t testing.TB, pdf []byte) (lines []image.Rectangle) {
	t.Helper()
	const scale = float64(DPI) / 72
	left, width := 0.0, -float64(gap)
	for _, m := range lineBox.FindAllStringSubmatch(testkit.Tool(t, pdf, "pdftotext", "-bbox-layout", "-", "-"), -1) {
		if m[1] == "page" {
			left, width = left+width+gap, number(t, m[2])*scale
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

// LooksLike compares a picture with a golden one, a file, or writes the file anew. When they
// differ it keeps both, and one that shows where they differ, for a person to look at.
func LooksLike(t testing.TB, got *image.RGBA, path string, update bool) {
	t.Helper()
	if update {
		WritePicture(t, path, got)
		return
	}
	want := ReadPicture(t, path)
	var blocks []image.Rectangle
	if got.Bounds() == want.Bounds() {
		if blocks = Unlike(got, want); len(blocks) <= strays(osRelease()) {
			return
		}
	}
	dir, err := os.MkdirTemp("", "platen-golden-")
	if err != nil {
		t.Fatal(err)
	}
	WritePicture(t, filepath.Join(dir, "got.png"), got)
	WritePicture(t, filepath.Join(dir, "want.png"), want)
	if got.Bounds() != want.Bounds() {
		t.Errorf("the picture is %v, want %v; see %s", got.Bounds().Size(), want.Bounds().Size(), dir)
		return
	}
	WritePicture(t, filepath.Join(dir, "diff.png"), marked(got, blocks))
	t.Errorf("%d blocks differ, the first at %v; see %s", len(blocks), blocks[0].Min, dir)
}

// strays returns how many blocks may differ from a golden picture on a system with an ID as in os-release(5). Debian 13 draws some
// emoji differently, and its later Liberation fonts have slightly bolder small figures: at most three blocks differ.
func strays(release string) int {
	if hasReferenceFonts(release) {
		return 0
	}
	return 4
}

// ReferenceFonts reports whether this system has the fonts of the golden pictures and sizes, those of Debian 12.
func ReferenceFonts() bool { return hasReferenceFonts(osRelease()) }

func hasReferenceFonts(release string) bool {
	return strings.Contains("\n"+release, "\nID=debian\n") && strings.Contains(release, "VERSION_ID=\"12\"\n")
}

// osRelease returns the system's description of itself, "" if there is none.
func osRelease() string {
	text, _ := os.ReadFile("/etc/os-release")
	return string(text)
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
