package pagetext

import (
	"math"

	"platen.dev/document/pdfa/cos"
)

// ink is a colour, if it is known. Its parts are from 0 to 1.
type ink struct {
	r, g, b float32
	known   bool
}

var (
	black = ink{0, 0, 0, true}
	white = ink{1, 1, 1, true}
)

// paint is an ink with how it is put on.
type paint struct {
	ink
	alpha float64
	// normal is set if it replaces what is under it. Otherwise it is blended with that, so that text under it may remain legible.
	normal bool
}

// opaque is the least opacity of what hides text under it.
const opaque = 0.85

func (p paint) covers() bool { return p.normal && p.alpha >= opaque }

// replaces reports whether the paint hides all that is under it.
func (p paint) replaces() bool { return p.covers() && p.alpha > 0.99 }

// over returns the resulting ink of the paint on another.
func (p paint) over(under ink) ink {
	switch {
	case p.alpha < 0.01:
		return under
	case p.replaces():
		return p.ink
	case !p.known || !under.known || !p.normal:
		return ink{}
	}
	mix := func(a, b float32) float32 { return b + (a-b)*float32(p.alpha) }
	return ink{mix(p.r, under.r), mix(p.g, under.g), mix(p.b, under.b), true}
}

// minContrast is the least contrast of visible text, by WCAG 2: 1 is none, 21 is black on white. The palest grey that people print has about 1.5.
const minContrast = 1.2

// seenOn reports whether something in the paint is seen on a colour.
func (p paint) seenOn(under ink) bool {
	if !p.known || !under.known {
		return p.alpha >= 0.1
	}
	p.normal = true
	a, b := luminance(p.over(under)), luminance(under)
	return (max(a, b)+0.05)/(min(a, b)+0.05) >= minContrast || apart(p.over(under), under)
}

// apart reports whether two colours of similar lightness are easy to tell apart.
func apart(a, b ink) bool {
	return max(math.Abs(float64(a.r-b.r)), math.Abs(float64(a.g-b.g)), math.Abs(float64(a.b-b.b))) >= 0.35
}

func luminance(i ink) float64 {
	linear := func(v float32) float64 {
		if v <= 0.04045 {
			return float64(v) / 12.92
		}
		return math.Pow((float64(v)+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(i.r) + 0.7152*linear(i.g) + 0.0722*linear(i.b)
}

// space describes a colour space, if it is known: the number of its components, and whether it has a single ink with a tint.
type space struct {
	parts int
	tint  bool
}

func (r *reader) space(value any, depth int) space {
	if depth > 4 {
		return space{}
	}
	switch v := r.file.Resolve(value).(type) {
	case cos.Name:
		switch v {
		case "DeviceGray", "CalGray", "G":
			return space{parts: 1}
		case "DeviceRGB", "CalRGB", "RGB":
			return space{parts: 3}
		case "DeviceCMYK", "CMYK":
			return space{parts: 4}
		}
	case cos.Array:
		if len(v) == 0 {
			return space{}
		}
		switch name := r.name(v[0]); name {
		case "ICCBased":
			if len(v) > 1 {
				return space{parts: int(r.file.Int(r.file.Dict(v[1])["N"], 0))}
			}
		case "Separation":
			return space{parts: 1, tint: true}
		default:
			return r.space(name, depth+1)
		}
	}
	return space{}
}

// initial returns the initial colour of a space.
func (s space) initial() ink {
	if s.parts == 0 {
		return ink{}
	}
	return black
}

// ink is the colour that operands give.
func (s space) ink(operands []any) ink {
	v := make([]float32, 0, 4)
	for _, operand := range operands[:min(len(operands), 4)] {
		switch operand.(type) {
		case int64, float64:
			v = append(v, float32(min(max(number(operand), 0), 1)))
		}
	}
	switch {
	case len(v) != s.parts || len(v) != len(operands):
		return ink{}
	case s.tint && v[0] < 0.01:
		return white
	case s.tint:
		return ink{}
	case s.parts == 1:
		return ink{v[0], v[0], v[0], true}
	case s.parts == 3:
		return ink{v[0], v[1], v[2], true}
	case s.parts == 4:
		return ink{(1 - v[0]) * (1 - v[3]), (1 - v[1]) * (1 - v[3]), (1 - v[2]) * (1 - v[3]), true}
	}
	return ink{}
}
