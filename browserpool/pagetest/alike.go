package pagetest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"platen.dev/events/testkit"
)

// Two pictures of a page are alike when each of their blocks has about the same average
// colour. Another version of a browser, a font or a rasteriser moves edges by parts of a
// pixel, which hardly changes an average. A line of text that is missing or has moved makes
// its blocks brighter or darker by much more.
const (
	// DPI is so low that a point is three quarters of a pixel.
	DPI = 54
	// Block is the side of a block, about the height of a line.
	Block = 8
	// Slack is by how many pixels a block may have moved in any direction.
	Slack = 1
	// tolerance is how far averages may be apart, of 255, in any channel.
	tolerance = 16
)

// Sums holds for each channel the sum of all values above and to the left of a point.
// With it, the average of any rectangle takes four look-ups.
type Sums struct {
	bounds image.Rectangle
	stride int
	values [][3]int
}

func SumsOf(picture *image.RGBA) Sums {
	b := picture.Bounds()
	s := Sums{bounds: b, stride: b.Dx() + 1, values: make([][3]int, (b.Dx()+1)*(b.Dy()+1))}
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

// Average is the mean colour of the part of the picture that a rectangle covers.
func (s Sums) Average(r image.Rectangle) (mean [3]float64) {
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
	g, w := SumsOf(got), SumsOf(want)
	for y := w.bounds.Min.Y; y < w.bounds.Max.Y; y += Block {
		for x := w.bounds.Min.X; x < w.bounds.Max.X; x += Block {
			r := image.Rect(x, y, x+Block, y+Block).Intersect(w.bounds)
			if !g.near(r, w.Average(r)) {
				blocks = append(blocks, r)
			}
		}
	}
	return blocks
}

// near reports whether the block, or one within Slack of it, has about the colour.
func (s Sums) near(r image.Rectangle, want [3]float64) bool {
	for dy := -Slack; dy <= Slack; dy++ {
		for dx := -Slack; dx <= Slack; dx++ {
			if apart(s.Average(r.Add(image.Pt(dx, dy))), want) <= tolerance {
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

// PictureOf shows the pages of a PDF side by side, at so many times DPI.
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
	return sideBySide(pages, times*Gap)
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

// Gap is how many pixels of grey are between pages.
const Gap = Block

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

// Opaque is a picture on white paper.
func Opaque(picture image.Image) *image.RGBA {
	b := picture.Bounds()
	flat := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(flat, flat.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), picture, b.Min, draw.Over)
	return flat
}

// Marked is a pale copy of a picture with some blocks in red.
func Marked(picture *image.RGBA, blocks []image.Rectangle) *image.RGBA {
	out := image.NewRGBA(picture.Bounds())
	draw.Draw(out, out.Bounds(), picture, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), image.NewUniform(color.RGBA{160, 160, 160, 160}), image.Point{}, draw.Over)
	for _, r := range blocks {
		draw.Draw(out, r, image.NewUniform(color.RGBA{150, 0, 0, 150}), image.Point{}, draw.Over)
	}
	return out
}

// WritePicture writes a picture as PNG.
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
