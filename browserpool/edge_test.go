package browserpool

import (
	"image"
	"math"
	"testing"
)

// A border at the right edge is printed as wide as the one at the left, whatever paper,
// margins and scale (but the largest) leave between them.
func TestRightEdge(t *testing.T) {
	pool := openPool(t, Config{})
	for _, o := range []PDFOptions{
		{},
		{Scale: 1},
		{Scale: 1.9},
		{Scale: 0.5},
		{Scale: 1.3},
		{Format: "Letter"},
		{Margin: Margin{Left: "28pt", Right: "28pt"}},
		{Margin: Margin{Left: "15mm", Right: "15mm"}},
		{Margin: Margin{Left: "2cm", Right: "13mm"}},
		{Margin: Margin{Left: "37.5px", Right: "1.234in"}},
		{Margin: Margin{Left: "20mm", Right: "60px"}, Scale: 0.77},
	} {
		result, err := pool.Print(t.Context(), Print{HTML: `<body style="margin: 0"><div style="border: solid #000; border-width: 0 2px; height: 300px">`, Options: o})
		if err != nil {
			t.Fatal(err)
		}
		left, right := edges(pictureOf(t, result.PDF, 6))
		if left == 0 || math.Abs(left-right) > 1.1 {
			t.Errorf("%+v: the border is %.1f dots at the left and %.1f at the right", o, left, right)
		}
	}
}

// edges are how many dots of ink two upright lines have, somewhere in the middle of them.
func edges(picture image.Image) (left, right float64) {
	bounds := picture.Bounds()
	middle := (bounds.Min.X + bounds.Max.X) / 2
	y := bounds.Min.Y + bounds.Dy()/20
	for ; y < bounds.Max.Y && left == 0; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, _, _, _ := picture.At(x, y+50).RGBA()
			ink := 1 - float64(r)/0xffff
			if x < middle {
				left += ink
			} else {
				right += ink
			}
		}
	}
	return left, right
}
