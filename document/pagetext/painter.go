package pagetext

import (
	"slices"

	"platen.dev/document/pdfa/cos"
)

// state is the graphics state (8.4).
type state struct {
	ctm                        matrix
	clip                       clip
	fill, stroke               ink
	fillSpace, strokeSpace     space
	fillAlpha, strokeAlpha     float64
	masked                     bool // by a soft mask
	normal                     bool // blend mode
	font                       *font
	size, spacing, wordSpacing float64
	stretch, leading, rise     float64
	mode                       int64
	pen                        pen
}

// group is the combined effect of the transparency groups around an operation.
type group struct {
	alpha          float64
	masked, normal bool
}

// painter runs the operations of a page.
type painter struct {
	*reader
	canvas    *canvas
	page      rect
	state     state
	saved     []state
	group     group
	resources cos.Dict
	hidden    int // number of enclosing layers that are off
	marks     []mark
	path      path
	lines     [][]point // the shapes of its lines, while it is stroked
	pending   bool      // the path becomes a clip once it is painted
	text      textState
	glyphs    []glyph
	sight     sight
	operation int32
	depth     int
}

func newPainter(r *reader, base matrix, width, height float64) *painter {
	page := rect{0, 0, width, height}
	return &painter{
		reader: r, canvas: newCanvas(width, height, &r.painted), glyphs: r.room, page: page, group: group{alpha: 1, normal: true},
		state: state{
			ctm: base, clip: clip{box: page}, fill: black, stroke: black, fillSpace: space{parts: 1}, strokeSpace: space{parts: 1},
			fillAlpha: 1, strokeAlpha: 1, normal: true, stretch: 1, pen: finePen,
		},
	}
}

// run runs a content stream.
func (p *painter) run(data []byte, resources cos.Dict, depth int) error {
	if depth > maxDepth || !p.read(len(data)+streamWork) {
		return ErrLimit
	}
	outer, outerSaved, outerMarks, outerDepth := p.resources, p.saved, p.marks, p.depth
	p.resources, p.saved, p.marks, p.depth = resources, nil, nil, depth
	hidden := p.hidden
	defer func() {
		p.resources, p.saved, p.marks, p.depth, p.hidden = outer, outerSaved, outerMarks, outerDepth, hidden
	}()
	content := cos.NewContent(data)
	var operands []any
	for {
		operator, found, err := content.Next(operands)
		if err != nil || operator == "" {
			return nil // viewers show the content before a fault
		}
		operands = found
		if p.operators--; p.operators < 0 || p.painted < 0 || p.bytes < 0 || p.reader.glyphs < 0 {
			return ErrLimit
		}
		p.operation++
		if err := p.do(operator, operands); err != nil {
			return err
		}
	}
}

// do does one operation.
func (p *painter) do(operator cos.Operator, operands []any) error {
	switch operator {
	case "q":
		if len(p.saved) < maxSaved {
			p.saved = append(p.saved, p.state)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			p.state, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		if m, ok := matrixOf(operands); ok {
			p.state.ctm = m.times(p.state.ctm)
		}
	case "gs":
		p.setState(p.file.Dict(p.resource("ExtGState", operands)))
	case "BMC", "BDC", "EMC":
		p.mark(operator, operands)
	case "Do":
		return p.object(operands)
	case "BI":
		p.inlineImage(operands)
	case "sh":
		p.paint(shape{box: p.state.clip.box}, p.with(ink{}, p.state.fillAlpha))
	default:
		if !p.color(operator, operands) && !p.outline(operator, operands) && !p.state.pen.set(operator, operands) {
			return p.textOperation(operator, operands)
		}
	}
	return nil
}

func matrixOf(operands []any) (m matrix, ok bool) {
	if len(operands) != 6 {
		return m, false
	}
	for i := range m {
		m[i] = number(operands[i])
	}
	return m, true
}

// resource is the named resource that the first operand names.
func (p *painter) resource(kind cos.Name, operands []any) any {
	if len(operands) == 0 {
		return nil
	}
	name, _ := operands[0].(cos.Name)
	return p.file.Dict(p.resources[kind])[name]
}

// setState applies an ExtGState.
func (p *painter) setState(d cos.Dict) {
	s := &p.state
	if d["ca"] != nil {
		s.fillAlpha = p.number(d["ca"])
	}
	if d["CA"] != nil {
		s.strokeAlpha = p.number(d["CA"])
	}
	if d["SMask"] != nil {
		s.masked = p.name(d["SMask"]) != "None"
	}
	if d["BM"] != nil {
		mode := p.name(d["BM"])
		if modes := p.file.Array(d["BM"]); len(modes) > 0 {
			mode = p.name(modes[0])
		}
		s.normal = mode == "" || mode == "Normal" || mode == "Compatible"
	}
	for key, operator := range penEntries {
		if d[key] != nil {
			s.pen.set(operator, []any{p.file.Resolve(d[key])})
		}
	}
	if dashes := p.file.Array(d["D"]); len(dashes) == 2 {
		lengths := slices.Clone(p.file.Array(dashes[0]))
		for i, length := range lengths {
			lengths[i] = p.number(length)
		}
		s.pen.dash(lengths, p.number(dashes[1]))
	}
	if f := p.file.Array(d["Font"]); len(f) == 2 {
		s.font, s.size = p.fontOf(f[0]), p.number(f[1])
	}
}

// with is the paint of an ink in the present state.
func (p *painter) with(i ink, alpha float64) paint {
	return paint{ink: i, alpha: alpha * p.group.alpha, normal: p.state.normal && p.group.normal && !p.state.masked && !p.group.masked}
}

// paint paints a shape, unless it is in a layer that is off.
func (p *painter) paint(s shape, with paint) {
	if p.hidden == 0 {
		p.canvas.paint(s, p.state.clip, with, p.operation)
	}
}

// deviceParts is the number of colour components that an operation sets.
var deviceParts = map[cos.Operator]int{"g": 1, "rg": 3, "k": 4, "G": 1, "RG": 3, "K": 4}

// color performs the operations on colours. It reports false for others.
func (p *painter) color(operator cos.Operator, operands []any) bool {
	s := &p.state
	switch operator {
	case "g", "rg", "k":
		s.fillSpace = space{parts: deviceParts[operator]}
		s.fill = s.fillSpace.ink(operands)
	case "G", "RG", "K":
		s.strokeSpace = space{parts: deviceParts[operator]}
		s.stroke = s.strokeSpace.ink(operands)
	case "cs":
		s.fillSpace = p.named(operands)
		s.fill = s.fillSpace.initial()
	case "CS":
		s.strokeSpace = p.named(operands)
		s.stroke = s.strokeSpace.initial()
	case "sc", "scn":
		s.fill = s.fillSpace.ink(operands)
	case "SC", "SCN":
		s.stroke = s.strokeSpace.ink(operands)
	default:
		return false
	}
	return true
}

func (p *painter) named(operands []any) space {
	if value := p.resource("ColorSpace", operands); value != nil {
		return p.space(value, 0)
	}
	if len(operands) == 1 {
		return p.space(operands[0], 0)
	}
	return space{}
}

// mark is open marked content.
type mark struct {
	off bool // it is in a layer that is off
	// instead is its replacement text, for glyphs that stand for no text. It is decoded where it is needed.
	instead any
}

func (p *painter) mark(operator cos.Operator, operands []any) {
	if operator == "EMC" {
		if n := len(p.marks); n > 0 {
			if p.marks[n-1].off {
				p.hidden--
			}
			p.marks = p.marks[:n-1]
		}
		return
	}
	if len(p.marks) >= maxSaved {
		return
	}
	var m mark
	if operator == "BDC" && len(operands) == 2 {
		properties, _ := operands[1].(cos.Dict)
		var value any = properties
		if name, ok := operands[1].(cos.Name); ok {
			value = p.file.Dict(p.resources["Properties"])[name]
			properties = p.file.Dict(value)
		}
		m.off = operands[0] == cos.Name("OC") && p.layers.off(p.file, value)
		m.instead = properties["ActualText"]
	}
	if m.off {
		p.hidden++
	}
	p.marks = append(p.marks, m)
}

// instead takes the replacement text of the innermost marked content that has any.
func (p *painter) instead() string {
	for i := len(p.marks) - 1; i >= 0; i-- {
		s, _ := p.file.Resolve(p.marks[i].instead).(cos.String)
		p.marks[i].instead = nil
		if s == "" || !p.read(len(s)) {
			continue
		}
		if text := cos.Text(s); text != "" {
			return text
		}
	}
	return ""
}
