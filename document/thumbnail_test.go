package document

import (
	"bytes"
	"image"
	palette "image/color"
	"image/jpeg"
	"image/png"
	"testing"
)

// encoded returns a picture of the given size, red on the left and blue on the right.
func encoded(t *testing.T, width, height int, encode func(*bytes.Buffer, image.Image) error) []byte {
	t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, width, height), palette.Palette{palette.RGBA{255, 0, 0, 255}, palette.RGBA{0, 0, 255, 255}})
	for y := range height {
		for x := width / 2; x < width; x++ {
			p.Pix[y*width+x] = 1
		}
	}
	var b bytes.Buffer
	if err := encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(b *bytes.Buffer, p image.Image) error { return png.Encode(b, p) }

func asJPEG(b *bytes.Buffer, p image.Image) error { return jpeg.Encode(b, p, nil) }

func TestThumbnail(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		size image.Point
	}{
		"a wide PNG":         {encoded(t, 1600, 800, asPNG), image.Pt(800, 400)},
		"a wide JPEG":        {encoded(t, 1600, 801, asJPEG), image.Pt(800, 400)},
		"one that fits":      {encoded(t, 800, 9, asPNG), image.Pt(800, 9)},
		"one that is narrow": {encoded(t, 10, 3000, asPNG), image.Pt(10, 3000)},
		"a line":             {encoded(t, 5000, 1, asPNG), image.Pt(800, 1)},
		"the largest":        {encoded(t, 5000, 5000, asPNG), image.Pt(800, 800)},
	} {
		small, err := Thumbnail(c.file, 800)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := png.Decode(bytes.NewReader(small))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Bounds().Size() != c.size {
			t.Errorf("%s: %v, not %v", name, got.Bounds().Size(), c.size)
		}
		if r, _, b, _ := got.At(0, 0).RGBA(); r < 0xf000 || b > 0x0fff {
			t.Errorf("%s: the left is %v", name, got.At(0, 0))
		}
	}
}

// A picture that would fill the memory is refused by its header alone.
func TestThumbnailRefuses(t *testing.T) {
	large := encoded(t, 5001, 5000, asPNG)
	fine := encoded(t, 10, 10, asPNG)
	for name, c := range map[string]struct {
		file  []byte
		width int
	}{
		"25 million pixels and more": {large, 800}, "its head alone": {large[:40], 800}, "nothing": {nil, 800},
		"half of one": {fine[:len(fine)/2], 800}, "no width": {fine, 0}, "a text": {[]byte("%PDF-1.7"), 800},
	} {
		if _, err := Thumbnail(c.file, c.width); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
