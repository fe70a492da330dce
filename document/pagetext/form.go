package pagetext

import (
	"slices"

	"platen.dev/document/pdfa/cos"
)

// object paints a form or an image.
func (p *painter) object(operands []any) error {
	s, ok := p.file.Resolve(p.resource("XObject", operands)).(*cos.Stream)
	if !ok || p.layers.off(p.file, s.Dict["OC"]) {
		return nil
	}
	switch p.name(s.Dict["Subtype"]) {
	case "Image":
		p.image(s.Dict["ImageMask"], s.Dict["SMask"], s.Dict["Mask"])
	case "Form":
		return p.form(s)
	}
	return nil
}

// form runs a form. In a transparency group, opacity begins anew.
func (p *painter) form(s *cos.Stream) error {
	state, around := p.state, p.group
	defer func() { p.state, p.group = state, around }()
	if p.file.Dict(s.Dict["Group"]) != nil {
		p.group = group{
			alpha: around.alpha * state.fillAlpha, masked: around.masked || state.masked, normal: around.normal && state.normal,
		}
		p.state.fillAlpha, p.state.strokeAlpha, p.state.masked, p.state.normal = 1, 1, false, true
	}
	p.state.ctm = p.matrix(s.Dict["Matrix"]).times(p.state.ctm)
	if box, ok := p.rect(s.Dict["BBox"]); ok {
		p.state.clip = p.state.clip.and(p.canvas.shapeOf([][]point{box.corners(p.state.ctm)}))
	}
	resources := p.file.Dict(s.Dict["Resources"])
	if resources == nil {
		resources = p.resources
	}
	text, path := p.text, p.path
	p.path = pathless
	err := p.run(p.decoded(s), resources, p.depth+1)
	p.text, p.path = text, path
	return err
}

// image paints the unit square. What may be transparent covers nothing.
func (p *painter) image(mask any, transparency ...any) {
	with := p.with(ink{}, p.state.fillAlpha)
	partly := p.file.Resolve(mask) == true || slices.ContainsFunc(transparency, func(v any) bool { return p.file.Resolve(v) != nil })
	with.normal = with.normal && !partly
	p.paint(p.canvas.shapeOf([][]point{rect{0, 0, 1, 1}.corners(p.state.ctm)}), with)
}

func (p *painter) inlineImage(operands []any) {
	if n := len(operands); n > 0 {
		d, _ := operands[n-1].(cos.Dict)
		mask := d["IM"]
		if mask == nil {
			mask = d["ImageMask"]
		}
		p.image(mask)
	}
}

// annotation paints what an annotation looks like (12.5.5).
func (p *painter) annotation(d cos.Dict, base matrix) error {
	const invisible = 1 | 2 | 32
	appearance := p.file.Dict(d["AP"])["N"]
	s, ok := p.file.Resolve(appearance).(*cos.Stream)
	if states, several := p.file.Resolve(appearance).(cos.Dict); several {
		s, ok = p.file.Resolve(states[p.name(d["AS"])]).(*cos.Stream)
	}
	place, placed := p.rect(d["Rect"])
	box, boxed := rect{}, false
	if ok {
		box, boxed = p.rect(s.Dict["BBox"])
	}
	if !ok || !placed || !boxed || p.file.Int(d["F"], 0)&invisible != 0 || p.name(d["Subtype"]) == "Popup" || p.layers.off(p.file, d["OC"]) {
		return nil
	}
	p.state = newPainter(&reader{painted: 1 << 30}, base, 1, 1).state
	p.state.clip = clip{box: p.page}
	turned := boxOf(box.corners(p.matrix(s.Dict["Matrix"])))
	if turned.empty() {
		return nil
	}
	sx, sy := (place.x1-place.x0)/(turned.x1-turned.x0), (place.y1-place.y0)/(turned.y1-turned.y0)
	p.state.ctm = matrix{sx, 0, 0, sy, place.x0 - turned.x0*sx, place.y0 - turned.y0*sy}.times(base)
	p.operation++
	p.saved, p.marks, p.hidden = nil, nil, 0
	return p.form(s)
}
