package pagetext

import (
	"math"

	"platen.dev/document/pdfa/cos"
)

// MinSize is the least size of text that can be read, in points: the height of a line, without white.
const MinSize = 2

// textState are the matrices of a text object (9.4).
type textState struct{ matrix, line matrix }

// glyph is one or more characters at their place on the page.
type glyph struct {
	text string
	// origin is the beginning of its base line, along the vector to its end, up that to the top of the line.
	origin, along, up point
	operation         int32
}

// textOperation does the operations on text, and ignores all others.
func (p *painter) textOperation(operator cos.Operator, operands []any) error {
	s := &p.state
	v := func(i int) float64 {
		if i < len(operands) {
			return number(operands[i])
		}
		return 0
	}
	switch operator {
	case "BT":
		p.text = textState{identity, identity}
	case "Tc":
		s.spacing = v(0)
	case "Tw":
		s.wordSpacing = v(0)
	case "Tz":
		s.stretch = v(0) / 100
	case "TL":
		s.leading = v(0)
	case "Ts":
		s.rise = v(0)
	case "Tr":
		s.mode = int64(v(0))
	case "Tf":
		s.font, s.size = p.fontOf(p.resource("Font", operands)), v(1)
	case "Td":
		p.nextLine(v(0), v(1))
	case "TD":
		s.leading = -v(1)
		p.nextLine(v(0), v(1))
	case "Tm":
		if m, ok := matrixOf(operands); ok {
			p.text = textState{m, m}
		}
	case "T*":
		p.nextLine(0, -s.leading)
	case "Tj", "TJ":
		return p.show(operands, 0)
	case "'":
		p.nextLine(0, -s.leading)
		return p.show(operands, 0)
	case "\"":
		s.wordSpacing, s.spacing = v(0), v(1)
		p.nextLine(0, -s.leading)
		return p.show(operands, 2)
	}
	return nil
}

func (p *painter) nextLine(x, y float64) {
	p.text.line = matrix{1, 0, 0, 1, x, y}.times(p.text.line)
	p.text.matrix = p.text.line
}

// show shows a string, or the strings of an array with the gaps between them.
func (p *painter) show(operands []any, at int) error {
	if at >= len(operands) || p.state.font == nil {
		return nil
	}
	switch v := operands[at].(type) {
	case cos.String:
		return p.showString(string(v))
	case cos.Array:
		for _, part := range v {
			if s, ok := part.(cos.String); ok {
				if err := p.showString(string(s)); err != nil {
					return err
				}
				continue
			}
			p.advance(-number(part) / 1000 * p.state.size)
		}
	}
	return nil
}

// advance moves on by a distance in text space, before it is stretched.
func (p *painter) advance(by float64) {
	by *= p.state.stretch
	if p.state.font.vertical {
		p.text.matrix = matrix{1, 0, 0, 1, 0, by}.times(p.text.matrix)
		return
	}
	p.text.matrix = matrix{1, 0, 0, 1, by, 0}.times(p.text.matrix)
}

func (p *painter) showString(s string) error {
	f := p.state.font
	for s != "" {
		code, length := f.next(s)
		s = s[length:]
		if p.reader.glyphs--; p.reader.glyphs < 0 {
			return ErrLimit
		}
		width := f.width(code)
		text, known := f.text(code)
		if !known {
			text = p.instead()
		}
		if text != "" {
			p.add(text, width)
		}
		by := width*p.state.size + p.state.spacing
		if f.vertical {
			by = -p.state.size + p.state.spacing
		}
		if length == 1 && code == ' ' {
			by += p.state.wordSpacing
		}
		p.advance(by)
	}
	return nil
}

// add adds a glyph, if it is visible so far.
func (p *painter) add(text string, width float64) {
	s := &p.state
	m := matrix{s.size * s.stretch, 0, 0, s.size, 0, s.rise}.times(p.text.matrix).times(s.ctm)
	g := glyph{text: text, origin: m.apply(point{}), along: m.vector(point{width, 0}), up: m.vector(point{0, 1}), operation: p.operation}
	if s.font.vertical {
		g.origin = m.apply(point{-0.5, -0.9})
		g.along = m.vector(point{1, 0})
	}
	if !finite(g.origin, g.along, g.up) || p.hidden > 0 || g.up.length() < MinSize || !p.seenNow(g) {
		return
	}
	p.glyphs = append(p.glyphs, g)
}

func finite(points ...point) bool {
	for _, p := range points {
		if math.IsNaN(p.x+p.y) || math.Abs(p.x) > 1e6 || math.Abs(p.y) > 1e6 {
			return false
		}
	}
	return true
}

// at is a point of a glyph, from its origin to the right and up, as parts of its width and of the size of its font.
func (g glyph) at(right, up float64) point {
	return point{g.origin.x + g.along.x*right + g.up.x*up, g.origin.y + g.along.y*right + g.up.y*up}
}

// samples are points of a glyph that are in most characters. A line through the text does not hide them all.
func (g glyph) samples() [5]point {
	return [5]point{g.at(0.5, 0.3), g.at(0.25, 0.1), g.at(0.75, 0.1), g.at(0.25, 0.55), g.at(0.75, 0.55)}
}

// enough is how many samples must be visible.
const enough = 3

// seenNow reports whether a glyph is seen on what is under it.
func (p *painter) seenNow(g glyph) bool {
	s := &p.state
	with := p.with(s.fill, s.fillAlpha)
	switch s.mode {
	case 3, 7:
		return false
	case 1, 5:
		with = p.with(s.stroke, s.strokeAlpha)
	}
	seen := 0
	for _, at := range g.samples() {
		c, on := p.canvas.at(at)
		if on && p.page.has(at) && s.clip.has(at) && p.sees(with, p.canvas.palette.inks[c.ink]) {
			seen++
		}
	}
	return seen >= enough
}

// sees caches the last answer of seenOn, which most neighbouring glyphs share.
func (p *painter) sees(with paint, under ink) bool {
	if p.sight.with != with || p.sight.under != under {
		p.sight = sight{with, under, with.seenOn(under)}
	}
	return p.sight.seen
}

// sight records whether a paint is visible on a colour.
type sight struct {
	with  paint
	under ink
	seen  bool
}

// seen are the glyphs that nothing covers.
func (p *painter) seen() []glyph {
	all := p.glyphs[:0]
	for _, g := range p.glyphs {
		free := 0
		for _, at := range g.samples() {
			if c, on := p.canvas.at(at); on && c.covered <= g.operation {
				free++
			}
		}
		if free >= enough {
			all = append(all, g)
		}
	}
	return all
}
