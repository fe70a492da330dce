package pagetext

import "platen.dev/document/pdfa/cos"

// path is the path that is being built, in points of the page.
type path struct {
	outlines [][]point
	points   int
	at       point // in user space
	start    point
}

var pathless = path{}

func (p *path) move(to point) { p.outlines = append(p.outlines, []point{to}) }

func (p *path) line(to point) {
	if p.points++; p.points > maxPoints {
		return
	}
	if n := len(p.outlines); n > 0 {
		p.outlines[n-1] = append(p.outlines[n-1], to)
	}
}

// outline does the operations on paths. It reports false for others.
func (p *painter) outline(operator cos.Operator, operands []any) bool {
	v := [6]float64{}
	for i := range v[:min(len(operands), 6)] {
		v[i] = number(operands[i])
	}
	on := p.state.ctm.apply
	switch operator {
	case "m":
		p.path.at = point{v[0], v[1]}
		p.path.start = p.path.at
		if p.path.points++; p.path.points <= maxPoints {
			p.path.move(on(p.path.at))
		}
	case "l":
		p.path.at = point{v[0], v[1]}
		p.path.line(on(p.path.at))
	case "c":
		p.curve(point{v[0], v[1]}, point{v[2], v[3]}, point{v[4], v[5]})
	case "v":
		p.curve(p.path.at, point{v[0], v[1]}, point{v[2], v[3]})
	case "y":
		p.curve(point{v[0], v[1]}, point{v[2], v[3]}, point{v[2], v[3]})
	case "h":
		p.closePath()
	case "re":
		p.path.at = point{v[0], v[1]}
		p.path.start = p.path.at
		if p.path.points += 4; p.path.points <= maxPoints {
			corners := rect{v[0], v[1], v[0] + v[2], v[1] + v[3]}.corners(p.state.ctm)
			p.path.outlines = append(p.path.outlines, append(corners, corners[0]))
		}
	case "W", "W*":
		p.pending = true
	case "b", "b*", "s":
		p.closePath()
		p.endPath(operator != "s", true)
	case "B", "B*":
		p.endPath(true, true)
	case "f", "F", "f*":
		p.endPath(true, false)
	case "S":
		p.endPath(false, true)
	case "n":
		p.endPath(false, false)
	default:
		return false
	}
	return true
}

// curve adds a Bézier curve as lines.
func (p *painter) curve(b, c, d point) {
	const steps = 8
	a := p.path.at
	for i := 1; i <= steps; i++ {
		t := float64(i) / steps
		u := 1 - t
		f, g, h, k := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		p.path.line(p.state.ctm.apply(point{f*a.x + g*b.x + h*c.x + k*d.x, f*a.y + g*b.y + h*c.y + k*d.y}))
	}
	p.path.at = d
}

// closePath leads the path back to its beginning.
func (p *painter) closePath() {
	p.path.at = p.path.start
	if n := len(p.path.outlines); n > 0 {
		if last := p.path.outlines[n-1]; len(last) == 1 || last[len(last)-1] != last[0] {
			p.path.line(last[0])
		}
	}
}

// endPath paints the path, and clips by it if it is to.
func (p *painter) endPath(filled, stroked bool) {
	if filled || p.pending {
		s := p.canvas.shapeOf(p.path.outlines)
		if filled && len(p.path.outlines) > 0 {
			p.paint(s, p.with(p.state.fill, p.state.fillAlpha))
		}
		if stroked {
			p.stroke()
		}
		if p.pending {
			p.state.clip = p.state.clip.and(s)
		}
	} else if stroked {
		p.stroke()
	}
	p.path, p.pending = pathless, false
}
