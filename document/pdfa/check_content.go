package pdfa

import (
	"bytes"
	"fmt"
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

// contents checks every content stream once: those of pages, forms, patterns and glyphs.
func (c *checker) contents() {
	fonts := map[any]*fontGlyphs{}
	for number, page := range c.pageDicts {
		c.content(fmt.Sprintf("page %d", number+1), c.pageContent(page), page["Resources"], fonts)
	}
	for _, number := range c.file.Numbers() {
		ref := cos.Ref{Number: number}
		switch v := c.file.Resolve(ref).(type) {
		case *cos.Stream:
			if c.name(v.Dict["Subtype"]) == "Form" || c.file.Int(v.Dict["PatternType"], 0) == 1 {
				c.streamContent(fmt.Sprintf("object %d", number), v, v.Dict["Resources"], fonts)
			}
		case cos.Dict:
			if c.name(v["Subtype"]) == "Type3" {
				for name, glyph := range c.file.Dict(v["CharProcs"]) {
					if s, ok := c.file.Resolve(glyph).(*cos.Stream); ok {
						c.streamContent(fmt.Sprintf("glyph %s of font %d", string(name), number), s, v["Resources"], fonts)
					}
				}
			}
		}
	}
}

// pageContent joins the content streams of a page, as an operation may be split across
// streams.
func (c *checker) pageContent(page cos.Dict) []byte {
	parts := c.file.Array(page["Contents"])
	if parts == nil {
		parts = cos.Array{page["Contents"]}
	}
	var all bytes.Buffer
	for _, part := range parts {
		if s, ok := c.file.Resolve(part).(*cos.Stream); ok {
			data, err := c.file.Decode(s)
			c.reportIf(err != nil, "6.1.7.2-1", "page content: %v", err)
			all.Write(data)
			all.WriteByte('\n')
		}
	}
	return all.Bytes()
}

func (c *checker) streamContent(where string, s *cos.Stream, resources any, fonts map[any]*fontGlyphs) {
	data, err := c.file.Decode(s)
	if err != nil {
		c.report("6.1.7.2-1", "%s: %v", where, err)
		return
	}
	c.content(where, data, resources, fonts)
}

// contentScan is the state of reading one content stream.
type contentScan struct {
	*checker
	where     string
	resources cos.Dict
	fonts     map[any]*fontGlyphs // by reference
	font      *fontGlyphs
	saved     []*fontGlyphs
}

func (c *checker) content(where string, data []byte, resources any, fonts map[any]*fontGlyphs) {
	s := &contentScan{checker: c, where: where, resources: c.file.Dict(resources), fonts: fonts}
	content := cos.NewContent(data)
	var operands []any
	for {
		operator, found, err := content.Next(operands)
		if err != nil {
			c.report("6.2.2-1", "%s: %v", where, err)
			break
		}
		if operator == "" {
			break
		}
		operands = found
		s.operation(operator, operands)
	}
	mergeDeviations(&c.deviations, content.Deviations)
}

func mergeDeviations(into *cos.Deviations, f cos.Deviations) {
	into.OddHex = into.OddHex || f.OddHex
	into.BadHex = into.BadHex || f.BadHex
	into.LongString = into.LongString || f.LongString
	into.LongName = into.LongName || f.LongName
	into.BigInteger = into.BigInteger || f.BigInteger
	into.BadReal = into.BadReal || f.BadReal
}

func (s *contentScan) operation(operator cos.Operator, operands []any) {
	switch operator {
	case "q":
		s.saved = append(s.saved, s.font)
		s.reportIf(len(s.saved) == maxSavedStates+1, "6.1.13-8", "%s nests q deeper than %d levels", s.where, maxSavedStates)
	case "Q":
		if n := len(s.saved); n > 0 {
			s.font, s.saved = s.saved[n-1], s.saved[:n-1]
		}
	case "Tf":
		s.setFont(operands)
	case "Tj", "'", "\"", "TJ":
		s.showText(operands)
	case "rg", "RG":
		s.reportIf(s.outputSpace != "RGB ", "6.2.4.3-2", "%s uses DeviceRGB without an output intent for it", s.where)
	case "k", "K":
		s.reportIf(s.outputSpace != "CMYK", "6.2.4.3-3", "%s uses DeviceCMYK without an output intent for it", s.where)
	case "g", "G":
		s.reportIf(s.outputSpace == "", "6.2.4.3-4", "%s uses DeviceGray without an output intent", s.where)
	case "cs", "CS":
		if len(operands) == 1 {
			name, _ := operands[0].(cos.Name)
			s.deviceColor(string(name), 0)
		}
	case "ri":
		if len(operands) == 1 {
			name, _ := operands[0].(cos.Name)
			s.reportIf(!allowedIntent(string(name)), "6.2.6-1", "%s has the rendering intent %s", s.where, string(name))
		}
	case "gs", "Do", "sh":
		s.resource(operator, operands)
	case "BI":
		s.inlineImage(operands)
	default:
		s.reportIf(!operators[operator], "6.2.2-1", "%s has the operator %.20q", s.where, string(operator))
	}
}

// resource checks that a resource is in the stream's own resource dictionary (6.2.2-2).
func (s *contentScan) resource(operator cos.Operator, operands []any) {
	if len(operands) == 0 {
		return
	}
	name, _ := operands[0].(cos.Name)
	kind := map[cos.Operator]cos.Name{"gs": "ExtGState", "Do": "XObject", "sh": "Shading"}[operator]
	s.reportIf(s.file.Dict(s.resources[kind])[name] == nil, "6.2.2-2", "%s uses %s %s, which is not in its resources", s.where, string(kind), string(name))
}

func (s *contentScan) setFont(operands []any) {
	s.font = nil
	if len(operands) == 0 {
		return
	}
	name, _ := operands[0].(cos.Name)
	value := s.file.Dict(s.resources["Font"])[name]
	if value == nil {
		s.report("6.2.2-2", "%s uses font %s, which is not in its resources", s.where, string(name))
		return
	}
	if ref, ok := value.(cos.Ref); ok {
		if s.fonts[ref] == nil {
			s.fonts[ref] = s.fontGlyphs(ref)
		}
		s.font = s.fonts[ref]
		return
	}
	s.font = s.fontGlyphs(value)
}

func (s *contentScan) showText(operands []any) {
	if s.font == nil {
		return
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
	notdef, undefined := s.font.missingGlyphs(shown)
	s.reportIf(notdef, "6.2.11.8-1", "%s shows a character that font %s has no glyph for", s.where, s.font)
	s.reportIf(undefined, "6.2.11.4.1-2", "%s shows a code for which its Type 3 font has no glyph", s.where)
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
	s.reportIf(d["I"] == true || d["Interpolate"] == true, "6.2.8-3", "%s has an inline image with interpolation", s.where)
	for _, key := range []cos.Name{"CS", "ColorSpace"} {
		name, _ := d[key].(cos.Name)
		s.deviceColor(string(name), 0)
	}
}
