package pagetext

import "math"

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
	return []point{m.apply(point{r.x0, r.y0}), m.apply(point{r.x1, r.y0}), m.apply(point{r.x1, r.y1}), m.apply(point{r.x0, r.y1})}
}

// boxOf is the smallest rectangle with all points.
func boxOf(points []point) rect {
	box := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		box = rect{min(box.x0, p.x), min(box.y0, p.y), max(box.x1, p.x), max(box.y1, p.y)}
	}
	return box
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
