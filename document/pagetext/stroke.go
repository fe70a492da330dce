package pagetext

import (
	"math"
	"slices"

	"platen.dev/document/pdfa/cos"
)

// pen is how lines are drawn (8.4.3). Its lengths are in user space.
type pen struct {
	width, miter float64
	cap, join    int64
	dashes       []float64 // drawn and left out in turn; nil for a line without gaps
	phase        float64
}

var finePen = pen{width: 1, miter: 10}

// penEntries are the entries of an ExtGState that do what operators do.
var penEntries = map[cos.Name]cos.Operator{"LW": "w", "LC": "J", "LJ": "j", "ML": "M"}

// minWide is the width of a line from which on it can hide text, in points. A narrower one leaves enough samples of any glyph.
const minWide = 2

// Ends of a line.
const (
	butt = iota
	round
	square
)

// set does the operations on the pen. It reports false for others.
func (n *pen) set(operator cos.Operator, operands []any) bool {
	value := 0.0
	if len(operands) > 0 {
		value = number(operands[0])
	}
	switch operator {
	case "w":
		n.width = value
	case "J":
		n.cap = int64(value)
	case "j":
		n.join = int64(value)
	case "M":
		n.miter = value
	case "d":
		if len(operands) == 2 {
			lengths, _ := operands[0].(cos.Array)
			n.dash(lengths, number(operands[1]))
		}
	default:
		return false
	}
	return true
}

// dash sets the lengths of dashes and gaps.
func (n *pen) dash(lengths cos.Array, phase float64) {
	n.dashes, n.phase = nil, phase
	total := 0.0
	for _, v := range lengths {
		length := max(number(v), 0)
		total += length
		n.dashes = append(n.dashes, length)
	}
	if len(n.dashes)%2 == 1 {
		n.dashes = append(n.dashes, n.dashes...)
	}
	if total == 0 {
		n.dashes = nil
	}
	if phase < 0 && total > 0 { // it goes back in the pattern, which is as long as total twice
		n.phase = math.Mod(phase, 2*total) + 2*total
	}
}

// stroke paints the lines of the path, if they are wide enough to hide text. What is beyond the ends of lines, at joins that are neither round nor
// right angles, is left out.
func (p *painter) stroke() {
	back, ok := p.state.ctm.inverse()
	if !ok || p.hidden > 0 || p.widest() < minWide {
		return
	}
	for _, outline := range p.path.outlines {
		points := make([]point, 0, len(outline))
		for _, at := range outline {
			if at = back.apply(at); len(points) == 0 || at != points[len(points)-1] {
				points = append(points, at)
			}
		}
		switch {
		case len(points) > 1:
			p.strokeLine(points, len(points) > 2 && outline[0] == outline[len(outline)-1])
		case len(outline) > 1: // a dot
			p.segment(points[0], points[0], p.state.pen.cap, p.state.pen.cap)
		}
	}
	p.paintLines()
}

// strokeLine paints a line through points in user space.
func (p *painter) strokeLine(points []point, closed bool) {
	last := len(points) - 1
	offset := p.state.pen.phase
	for i := range last {
		begin, end := p.state.pen.cap, p.state.pen.cap
		if i > 0 {
			begin = p.joint(points[i-1], points[i], points[i+1])
		} else if closed {
			begin = p.joint(points[last-1], points[0], points[1])
		}
		if i < last-1 {
			end = p.joint(points[i], points[i+1], points[i+2])
		} else if closed {
			end = p.joint(points[last-1], points[0], points[1])
		}
		if p.state.pen.dashes == nil {
			p.segment(points[i], points[i+1], begin, end)
		} else {
			offset = p.dashed(points[i], points[i+1], offset)
		}
		if p.painted < 0 {
			return
		}
	}
}

// joint returns the end that two lines have where they meet: at a right angle, a mitre is that of two squares.
func (p *painter) joint(a, b, c point) int64 {
	u, v := point{b.x - a.x, b.y - a.y}, point{c.x - b.x, c.y - b.y}
	const tolerance = 0.01
	switch right := math.Abs(u.x*v.x+u.y*v.y) < tolerance*u.length()*v.length(); {
	case p.state.pen.join == 1:
		return round
	case p.state.pen.join == 0 && right && p.state.pen.miter >= math.Sqrt2:
		return square
	}
	return butt
}

// maxDashes bounds the dashes of one line.
const maxDashes = 4096

// dashed paints the dashes of a line that begins at an offset in their pattern, and returns the offset of its end.
func (p *painter) dashed(a, b point, offset float64) float64 {
	pen := &p.state.pen
	period, drawn := 0.0, 0.0
	for i, d := range pen.dashes {
		period += d
		if i%2 == 0 {
			drawn += d
		}
	}
	length := point{b.x - a.x, b.y - a.y}.length()
	end := offset + length
	onPage := p.state.ctm.vector(point{b.x - a.x, b.y - a.y}).length() / length
	start, stop := p.onPage(a, b)
	start, stop = start*length, stop*length
	if period*onPage < p.canvas.size || (stop-start)/period*float64(len(pen.dashes)) > maxDashes { // too fine to be seen as dashes
		if drawn/period >= opaque {
			p.segment(a, b, butt, butt)
		}
		return end
	}
	on := func(t float64) point { return point{a.x + (b.x-a.x)*t/length, a.y + (b.y-a.y)*t/length} }
	at := start - math.Mod(offset+start, period)
	for at < stop {
		for i, d := range pen.dashes {
			if from, to := max(at, start), min(at+d, stop); i%2 == 0 && from <= to {
				p.segment(on(from), on(to), pen.cap, pen.cap)
			}
			at += d
		}
	}
	return end
}

// widest is the width on the page that no line exceeds.
func (p *painter) widest() float64 {
	m := p.state.ctm
	return math.Abs(p.state.pen.width) * math.Hypot(math.Hypot(m[0], m[1]), math.Hypot(m[2], m[3]))
}

// onPage returns the part of a line in user space that may be on the page, as shares of its length.
func (p *painter) onPage(a, b point) (from, to float64) {
	m := p.state.ctm
	margin := p.widest()
	room := rect{p.page.x0 - margin, p.page.y0 - margin, p.page.x1 + margin, p.page.y1 + margin}
	begin := m.apply(a)
	along := m.vector(point{b.x - a.x, b.y - a.y})
	from, to = 1, 0
	for _, at := range room.within([]point{begin, m.apply(b)}) {
		share := ((at.x-begin.x)*along.x + (at.y-begin.y)*along.y) / (along.x*along.x + along.y*along.y)
		from, to = min(from, share), max(to, share)
	}
	return max(from, 0), min(to, 1)
}

// segmentWork is what a segment counts for as painted, at least.
const segmentWork = 128

// maxLines is how many shapes of lines are kept until they are painted.
const maxLines = 4096

// segment paints a straight line in user space, with its ends.
func (p *painter) segment(a, b point, begin, end int64) {
	if p.painted -= segmentWork; p.painted < 0 {
		return
	}
	m, half := p.state.ctm, math.Abs(p.state.pen.width)/2
	along := point{half, 0}
	if d := (point{b.x - a.x, b.y - a.y}); d.length() > 0 {
		along = point{d.x * half / d.length(), d.y * half / d.length()}
	}
	if 2*half*half*math.Abs(m.determinant()) < minWide*m.vector(along).length() { // the width of its shape on the page
		return
	}
	for _, side := range []struct {
		at   *point
		kind int64
		sign float64
	}{{&a, begin, -1}, {&b, end, 1}} {
		switch side.kind {
		case round:
			p.dot(*side.at, half)
		case square:
			*side.at = point{side.at.x + side.sign*along.x, side.at.y + side.sign*along.y}
		}
	}
	x, y := -along.y, along.x
	p.strokeShape([]point{{a.x + x, a.y + y}, {b.x + x, b.y + y}, {b.x - x, b.y - y}, {a.x - x, a.y - y}})
}

// dot paints a round end.
func (p *painter) dot(at point, radius float64) {
	const corners = 16
	p.painted -= 2 * segmentWork
	circle := make([]point, corners)
	for i := range circle {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		circle[i] = point{at.x + radius*cos, at.y + radius*sin}
	}
	p.strokeShape(circle)
}

// strokeShape adds a convex shape in user space to those of the lines.
func (p *painter) strokeShape(corners []point) {
	outline := make([]point, len(corners))
	twice := 0.0 // its area, with a sign
	for i, at := range corners {
		outline[i] = p.state.ctm.apply(at)
	}
	for i, at := range outline {
		next := outline[(i+1)%len(outline)]
		twice += at.x*next.y - next.x*at.y
	}
	if math.IsNaN(twice) || math.IsInf(twice, 0) {
		return
	}
	if twice < 0 { // all in one direction: where they overlap, they do not cancel each other out
		slices.Reverse(outline)
	}
	if p.lines = append(p.lines, outline); len(p.lines) == maxLines {
		p.paintLines()
	}
}

// paintLines paints the shapes of the lines in their colour: together, as a curve has pieces that are smaller than a cell.
func (p *painter) paintLines() {
	with := p.with(p.state.stroke, p.state.strokeAlpha)
	slanted := p.lines[:0]
	for _, outline := range p.lines {
		if isBox(outline) {
			p.paint(shape{box: boxOf(outline)}, with)
		} else {
			slanted = append(slanted, outline)
		}
	}
	if len(slanted) > 0 {
		p.paint(p.canvas.shapeOf(slanted), with)
	}
	p.lines = p.lines[:0]
}
