package pagetext

import (
	"math"
	"slices"
)

// matrix is [a b c d e f] in PDF's notation.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the matrix that applies m, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(p point) point {
	return point{m[0]*p.x + m[2]*p.y + m[4], m[1]*p.x + m[3]*p.y + m[5]}
}

// vector transforms a direction.
func (m matrix) vector(p point) point { return point{m[0]*p.x + m[2]*p.y, m[1]*p.x + m[3]*p.y} }

func (m matrix) determinant() float64 { return m[0]*m[3] - m[1]*m[2] }

// inverse returns the matrix that undoes m. It reports false if there is none.
func (m matrix) inverse() (inverse matrix, ok bool) {
	d := m.determinant()
	if math.Abs(d) < 1e-12 || math.IsNaN(d) || math.IsInf(d, 0) {
		return identity, false
	}
	return matrix{m[3] / d, -m[1] / d, -m[2] / d, m[0] / d, (m[2]*m[5] - m[3]*m[4]) / d, (m[1]*m[4] - m[0]*m[5]) / d}, true
}

type point struct{ x, y float64 }

func (p point) length() float64 { return math.Hypot(p.x, p.y) }

// rect is from the least to the greatest coordinates.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) empty() bool { return !(r.x1 > r.x0 && r.y1 > r.y0) }

func (r rect) and(s rect) rect {
	return rect{max(r.x0, s.x0), max(r.y0, s.y0), min(r.x1, s.x1), min(r.y1, s.y1)}
}

func (r rect) has(p point) bool { return p.x >= r.x0 && p.x <= r.x1 && p.y >= r.y0 && p.y <= r.y1 }

// corners returns the corners of a rectangle after a transformation.
func (r rect) corners(m matrix) []point {
	all := make([]point, 0, 5) // and the first one again
	return append(all, m.apply(point{r.x0, r.y0}), m.apply(point{r.x1, r.y0}), m.apply(point{r.x1, r.y1}), m.apply(point{r.x0, r.y1}))
}

// boxOf is the smallest rectangle with all points.
func boxOf(points []point) rect {
	box := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		box = rect{min(box.x0, p.x), min(box.y0, p.y), max(box.x1, p.x), max(box.y1, p.y)}
	}
	return box
}

// near brings points that are far beyond any page, to where their coordinates have no limits, closer to it.
func near(outline []point) []point {
	const far = 1e7
	if box := boxOf(outline); min(box.x0, box.y0) >= -far && max(box.x1, box.y1) <= far {
		return outline
	}
	all := make([]point, len(outline))
	for i, p := range outline {
		all[i] = point{min(max(p.x, -far), far), min(max(p.y, -far), far)}
	}
	return all
}

// within returns the part of an outline that is in a box. Parts that are not connected are joined along its sides.
func (r rect) within(outline []point) []point {
	for _, side := range []func(point) float64{ // how far a point is inside
		func(p point) float64 { return p.x - r.x0 },
		func(p point) float64 { return r.x1 - p.x },
		func(p point) float64 { return p.y - r.y0 },
		func(p point) float64 { return r.y1 - p.y },
	} {
		if !slices.ContainsFunc(outline, func(p point) bool { return side(p) < 0 }) {
			continue
		}
		var kept []point
		for i, a := range outline {
			b := outline[(i+1)%len(outline)]
			in, next := side(a), side(b)
			if in >= 0 {
				kept = append(kept, a)
			}
			if in < 0 != (next < 0) {
				t := in / (in - next)
				kept = append(kept, point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t})
			}
		}
		outline = kept
	}
	return outline
}

// isBox reports whether a closed outline is an axis-parallel rectangle. It may return to its first point several times.
func isBox(outline []point) bool {
	for last := len(outline) - 1; last > 3 && outline[last] == outline[0]; last-- {
		outline = outline[:last]
	}
	if len(outline) != 4 {
		return false
	}
	const tolerance = 0.01
	level := func(a, b point) bool { return math.Abs(a.y-b.y) < tolerance }
	plumb := func(a, b point) bool { return math.Abs(a.x-b.x) < tolerance }
	a, b, c, d := outline[0], outline[1], outline[2], outline[3]
	return level(a, b) && plumb(b, c) && level(c, d) && plumb(d, a) || plumb(a, b) && level(b, c) && plumb(c, d) && level(d, a)
}
