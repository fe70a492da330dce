package page

import (
	"errors"
	"math"
	"testing"
)

func TestOptionsRefused(t *testing.T) {
	for _, options := range []PDFOptions{
		{Format: "A5"},
		{Scale: 0.49},
		{Scale: 2.01},
		{Scale: math.NaN()},
		{Scale: -1},
		{Margin: Margin{Top: "1em"}},
		{Margin: Margin{Top: "10"}},
		{Margin: Margin{Left: "11cm", Right: "10cm"}},
		{Margin: Margin{Top: "30cm"}},
		{Landscape: true, Margin: Margin{Top: "11cm", Bottom: "11cm"}},
	} {
		if _, err := options.params(); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: got %v, want ErrOptions", options, err)
		}
	}
	if _, err := (PDFOptions{Format: "Legal", Scale: 2, Margin: Margin{Top: "0"}}).params(); err != nil {
		t.Error(err)
	}
}

// Margins are sent in inches, 1 cm where none is set.
func TestMargins(t *testing.T) {
	p, err := PDFOptions{Margin: Margin{Top: "96px", Right: "25.4mm", Bottom: "0"}}.params()
	if err != nil {
		t.Fatal(err)
	}
	for side, c := range map[string]struct{ got, want float64 }{
		"top": {p.MarginTop, 1}, "right": {p.MarginRight, 1}, "bottom": {p.MarginBottom, 0}, "left": {p.MarginLeft, 1 / 2.54},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("the %s margin is %v in, want %v", side, c.got, c.want)
		}
	}
}
