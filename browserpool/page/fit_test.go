package page

import (
	"math"
	"testing"
)

// A requested scale is kept; otherwise visible content is fitted, down to half its size.
func TestFit(t *testing.T) {
	const viewport = 700
	for name, c := range map[string]struct {
		asked float64
		e     extent
		want  fitting
	}{
		"narrow":                         {0, extent{content: 700}, fitting{scale: 1, layout: 700}},
		"a part of a pixel wider":        {0, extent{content: 701}, fitting{scale: 1, layout: 700}},
		"narrow at a scale":              {1.3, extent{content: 700}, fitting{scale: 1.3, layout: 700}},
		"wide at a scale":                {1.3, extent{content: 702, visible: 702}, fitting{scale: 1.3, hold: true, layout: 700, cut: true}},
		"wide at scale 1":                {1, extent{content: 5000, visible: 5000}, fitting{scale: 1, hold: true, layout: 700, cut: true}},
		"hidden at a scale":              {0.5, extent{content: 5000, visible: 700}, fitting{scale: 0.5, hold: true, layout: 700}},
		"as wide as the browser reduces": {0, extent{content: 980, visible: 980}, fitting{scale: 1, layout: 980}},
		"wider":                          {0, extent{content: 1000, visible: 1000}, fitting{scale: 0.75, layout: 1000}},
		"twice as wide":                  {0, extent{content: 1400, visible: 1400}, fitting{scale: 0.75, layout: 1400}},
		"wider than that":                {0, extent{content: 1401, visible: 1401}, fitting{scale: 0.75, layout: 1400, cut: true}},
		"wide only where nobody sees it": {0, extent{content: 5000, visible: 700}, fitting{scale: 1, hold: true, layout: 700}},
		"wider where nobody sees it":     {0, extent{content: 5000, visible: 1400}, fitting{scale: 0.5 * (1 + rounding), hold: true, layout: 1400}},
		"too wide where it is seen":      {0, extent{content: 5000, visible: 1401}, fitting{scale: 0.5 * (1 + rounding), hold: true, layout: 1400, cut: true}},
		"at both edges":                  {0, extent{content: 850, visible: 1000, both: true}, fitting{scale: 0.7 * (1 + rounding), hold: true, layout: 1000}},
		"from the right":                 {0, extent{content: 1000, visible: 1000, rtl: true}, fitting{scale: 0.7 * (1 + rounding), hold: true, layout: 1000}},
	} {
		got := fit(c.asked, viewport, c.e)
		if math.Abs(got.scale-c.want.scale) < 1e-9 {
			got.scale = c.want.scale
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
