package pdfa

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"platen.dev/document/pdfa/cos"
)

// operators are the operators of ISO 32000-1, annex A.
var operators = func() map[cos.Operator]bool {
	all := map[cos.Operator]bool{}
	for _, name := range strings.Fields(`b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID j J K k l m M MP n
		q Q re RG rg ri s S SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' "`) {
		all[cos.Operator(name)] = true
	}
	return all
}()

// maxSavedStates is how deeply q may be nested (6.1.13-8).
const maxSavedStates = 28

// part is a page, or something that pages show by way of others: a form, an image, a pattern, a glyph.
type part struct {
	users       []*part
	transparent bool
}

// queued is a content stream to be scanned, of a part that was used.
type queued struct {
	*part
	where                string
	stream               *cos.Stream
	resources, inherited cos.Dict
}

// contents checks what the pages show: their content streams, and the forms, patterns, fonts, images and colour spaces that these use, each once.
// Nothing else is ever shown, so that the rules of PDF/A for it do not apply.
func (c *checker) contents() {
	c.parts, c.fonts, c.spots = map[cos.Ref]*part{}, newFontReader(c.lookup), newSpotColors(c.lookup)
	pages := make([]*part, len(c.pageDicts))
	for n, page := range c.pageDicts {
		pages[n] = &part{}
		c.pageContents(pages[n], fmt.Sprintf("page %d", n+1), page, c.resources[n])
	}
	if c.outputSpace != "" {
		return
	}
	c.spreadTransparency()
	for n, page := range c.pageDicts {
		c.reportIf(pages[n].transparent && c.file.Dict(page["Group"])["CS"] == nil, "6.2.10-2", "page %d is transparent without an output intent or a colour space of its group", n+1)
	}
}

func (c *checker) pageContents(of *part, where string, page, inherited cos.Dict) {
	s := c.newScan(of, where, page["Resources"], inherited)
	s.colorSpace(c.file.Dict(page["Group"])["CS"], 0)
	for _, annotation := range c.file.Array(page["Annots"]) {
		normal := c.file.Dict(c.file.Dict(annotation)["AP"])["N"]
		s.xObject(normal)
		if _, one := c.file.Resolve(normal).(*cos.Stream); !one {
			states := c.file.Dict(normal)
			for _, name := range slices.Sorted(maps.Keys(states)) {
				s.xObject(states[name])
			}
		}
	}
	s.scan(c.pageContent(page))
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		data, err := c.file.Decode(next.stream)
		c.reportIf(err != nil, "6.1.7.2-1", "%s: %v", next.where, err)
		s := c.newScan(next.part, next.where, next.resources, next.inherited)
		s.state.fill, s.state.stroke = true, true // or those of whoever uses it
		s.scan(data)
	}
}

// spreadTransparency makes everything transparent that uses something transparent.
func (c *checker) spreadTransparency() {
	var spreading []*part
	for _, p := range c.parts {
		if p.transparent {
			spreading = append(spreading, p)
		}
	}
	for len(spreading) > 0 {
		last := len(spreading) - 1
		p := spreading[last]
		spreading = spreading[:last]
		for _, user := range p.users {
			if !user.transparent {
				user.transparent = true
				spreading = append(spreading, user)
			}
		}
	}
}

// pageContent joins the content streams of a page, as an operation may be split across streams. One that the page names several times is
// decoded once.
func (c *checker) pageContent(page cos.Dict) []byte {
	parts := c.file.Array(page["Contents"])
	if parts == nil {
		parts = cos.Array{page["Contents"]}
	}
	var all bytes.Buffer
	decoded := map[*cos.Stream][]byte{}
	for _, part := range parts {
		s, ok := c.file.Resolve(part).(*cos.Stream)
		if !ok {
			continue
		}
		data, known := decoded[s]
		var err error
		if known {
			err = c.file.CountDecoded(len(data) + 1)
		} else if data, err = c.file.Decode(s); err == nil {
			decoded[s] = data
		}
		c.reportIf(err != nil, "6.1.7.2-1", "page content: %v", err)
		if errors.Is(err, cos.ErrLimit) {
			break
		}
		all.Write(data)
		all.WriteByte('\n')
	}
	return all.Bytes()
}

// contentScan is the state of reading one content stream.
type contentScan struct {
	*checker
	part                 *part
	where                string
	resources, inherited cos.Dict // its own; those of its user, if it has none
	used                 map[[2]cos.Name]any
	selected             map[cos.Name]*fontGlyphs // those of its fonts that were used
	state                graphics
	saved                []graphics
	uncolored            bool // a glyph that has the colour of its text, whatever it sets
}

// graphics is the part of the graphics state that matters here.
type graphics struct {
	font *fontGlyphs
	mode int64 // of showing text
	// fill and stroke mean that a colour was set for it. The first ones are DeviceGray.
	fill, stroke      bool
	filling, stroking ink
	overprintMode     int64
}

// invisible is the text rendering mode that shows nothing.
const invisible = 3

func (c *checker) newScan(of *part, where string, resources any, inherited cos.Dict) *contentScan {
	return &contentScan{
		checker: c, part: of, where: where, resources: c.file.Dict(resources), inherited: inherited,
		used: map[[2]cos.Name]any{}, selected: map[cos.Name]*fontGlyphs{},
	}
}

// use returns the part that an object is, and whether it is used for the first time. Direct objects are of the part that has them.
func (s *contentScan) use(value any) (p *part, first bool) {
	ref, indirect := value.(cos.Ref)
	if !indirect {
		return s.part, true
	}
	p = s.parts[ref]
	if first = p == nil; first {
		p = &part{}
		s.parts[ref] = p
	}
	p.users = append(p.users, s.part)
	return p, first
}

// show queues the content of a part. Without resources of its own it has those of this stream.
func (s *contentScan) show(of *part, kind string, value any, stream *cos.Stream, resources any) {
	ref, _ := value.(cos.Ref)
	inherited := s.resources
	if inherited == nil {
		inherited = s.inherited
	}
	s.queue = append(s.queue, queued{of, fmt.Sprintf("%s %d", kind, ref.Number), stream, s.file.Dict(resources), inherited})
}

func (s *contentScan) scan(data []byte) {
	content := cos.NewContent(data)
	var operands []any
	for {
		operator, found, err := content.Next(operands)
		if err != nil {
			s.report("6.2.2-1", "%s: %v", s.where, err)
			break
		}
		if operator == "" {
			break
		}
		operands = found
		s.operation(operator, operands)
	}
	mergeDeviations(&s.deviations, content.Deviations)
}

func mergeDeviations(into *cos.Deviations, f cos.Deviations) {
	into.OddHex = into.OddHex || f.OddHex
	into.BadHex = into.BadHex || f.BadHex
	into.LongString = into.LongString || f.LongString
	into.LongName = into.LongName || f.LongName
	into.BigInteger = into.BigInteger || f.BigInteger
	into.LargeReal = into.LargeReal || f.LargeReal
	into.SmallReal = into.SmallReal || f.SmallReal
}

func (s *contentScan) operation(operator cos.Operator, operands []any) {
	if s.outputSpace == "" {
		s.initialColors(operator)
	}
	switch operator {
	case "q":
		s.saved = append(s.saved, s.state)
		s.reportIf(len(s.saved) == maxSavedStates+1, "6.1.13-8", "%s nests q deeper than %d levels", s.where, maxSavedStates)
	case "Q":
		if n := len(s.saved); n > 0 {
			s.state, s.saved = s.saved[n-1], s.saved[:n-1]
		}
	case "Tj", "'", "\"", "TJ":
		s.showText(operands)
	case "rg", "RG":
		s.deviceColor("DeviceRGB")
	case "k", "K":
		s.deviceColor("DeviceCMYK")
	case "g", "G":
		s.deviceColor("DeviceGray")
	case "BI":
		s.inlineImage(operands)
	case "d1":
		s.uncolored = true
	case "Tf", "Tr", "cs", "CS", "scn", "SCN", "ri", "gs", "Do", "sh":
		if len(operands) > 0 {
			s.parameter(operator, operands)
		}
	default:
		s.reportIf(!operators[operator], "6.2.2-1", "%s has the operator %.20q", s.where, string(operator))
	}
	s.overprint(operator, operands)
}

// initialColors checks that nothing is painted in DeviceGray because no colour was set.
func (s *contentScan) initialColors(operator cos.Operator) {
	switch operator {
	case "rg", "k", "g", "cs":
		s.state.fill = true
	case "RG", "K", "G", "CS":
		s.state.stroke = true
	}
	if fills, strokes := s.paints(operator); fills && !s.state.fill || strokes && !s.state.stroke {
		s.deviceColor("DeviceGray")
	}
}

// parameter is an operation that has operands.
func (s *contentScan) parameter(operator cos.Operator, operands []any) {
	name, _ := operands[0].(cos.Name)
	switch operator {
	case "Tf":
		if value, first := s.resource("Font", name); first {
			s.selected[name] = s.fonts.font(value)
		}
		s.state.font = s.selected[name]
	case "Tr":
		s.state.mode, _ = operands[0].(int64)
	case "cs", "CS":
		s.namedColor(name)
	case "scn", "SCN":
		if name, named := operands[len(operands)-1].(cos.Name); named {
			if value, first := s.resource("Pattern", name); first {
				s.pattern(value)
			}
		}
	case "ri":
		s.intent(string(name))
	case "gs":
		if value, first := s.resource("ExtGState", name); first {
			s.graphicsState(s.file.Dict(value))
		}
	case "Do":
		if value, first := s.resource("XObject", name); first {
			s.xObject(value)
		}
	case "sh":
		if value, first := s.resource("Shading", name); first {
			s.colorSpace(s.file.Dict(value)["ColorSpace"], 0)
		}
	}
}

// resource returns a resource, which must be in the stream's own resource dictionary (6.2.2-2), and whether this is its first use.
func (s *contentScan) resource(kind, name cos.Name) (value any, first bool) {
	key := [2]cos.Name{kind, name}
	if value, used := s.used[key]; used {
		return value, false
	}
	value = s.file.Dict(s.resources[kind])[name]
	if value == nil {
		s.report("6.2.2-2", "%s uses %s %s, which is not in its resources", s.where, string(kind), string(name))
		value = s.file.Dict(s.inherited[kind])[name]
	}
	s.used[key] = value
	return value, true
}

func (s *contentScan) showText(operands []any) {
	font := s.state.font
	if font == nil {
		return
	}
	if !font.shown {
		font.shown = true
		s.shownFont(font)
	}
	if !font.rendered && s.state.mode != invisible {
		font.rendered = true
		s.reportIf(!font.embedded, "6.2.11.4.1-1", "font %d (%s) is not embedded", font.number, font)
	}
	for _, operand := range operands {
		switch v := operand.(type) {
		case cos.String:
			s.checkGlyphs(string(v))
		case cos.Array:
			for _, entry := range v {
				if part, ok := entry.(cos.String); ok {
					s.checkGlyphs(string(part))
				}
			}
		}
	}
}

func (s *contentScan) checkGlyphs(shown string) {
	found, visible := s.state.font.flawsOf(shown), s.state.mode != invisible
	s.reportIf(found&showsNotdef != 0, "6.2.11.8-1", "%s shows a character that font %s has no glyph for", s.where, s.state.font)
	s.reportIf(found&lacksGlyph != 0 && visible, "6.2.11.4.1-2", "%s shows a code for which font %s has no glyph", s.where, s.state.font)
	s.reportIf(found&wrongWidth != 0 && visible, "6.2.11.5-1", "%s shows a character whose width in font %s is not that of its program", s.where, s.state.font)
}

func (s *contentScan) inlineImage(operands []any) {
	if len(operands) == 0 {
		return
	}
	d, _ := operands[len(operands)-1].(cos.Dict)
	filters, _ := d["F"].(cos.Array)
	for _, value := range append(filters, d["F"], d["Filter"]) {
		switch name, _ := value.(cos.Name); name {
		case "LZW", "LZWDecode", "Crypt":
			s.report("6.1.10-1", "%s has an inline image with the filter %s", s.where, string(name))
		}
	}
	s.intent(s.name(d["Intent"]))
	s.reportIf(d["I"] == true || d["Interpolate"] == true, "6.2.8-3", "%s has an inline image with interpolation", s.where)
	for _, key := range []cos.Name{"CS", "ColorSpace"} {
		if name, ok := d[key].(cos.Name); ok {
			s.namedColor(cmp.Or(abbreviated[name], name))
		} else {
			s.colorSpace(d[key], 0)
		}
	}
}
