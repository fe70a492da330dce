package pdfa

import (
	"bytes"
	"fmt"
	"strings"

	"platen.dev/einvoice/pdfa/cos"
)

// operators are those of ISO 32000-1, annex A.
var operators = func() map[cos.Operator]bool {
	all := map[cos.Operator]bool{}
	for _, name := range strings.Fields(`b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EI EMC ET EX f F f* G g gs h i ID j J K k l m M MP n
		q Q re RG rg ri s S SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' "`) {
		all[cos.Operator(name)] = true
	}
	return all
}()

// maxSaved is how often q may be nested (6.1.13-8).
const maxSaved = 28

// contents reads every content stream once: those of pages, forms, patterns and glyphs.
func (i *inspection) contents() {
	fonts := map[any]*glyphs{}
	for number, page := range i.pageDicts {
		i.content(fmt.Sprintf("page %d", number+1), i.pageContent(page), page["Resources"], fonts)
	}
	for _, number := range i.file.Numbers() {
		ref := cos.Ref{Number: number}
		switch v := i.file.Resolve(ref).(type) {
		case *cos.Stream:
			if i.name(v.Dict["Subtype"]) == "Form" || i.file.Int(v.Dict["PatternType"], 0) == 1 {
				i.streamContent(fmt.Sprintf("object %d", number), v, v.Dict["Resources"], fonts)
			}
		case cos.Dict:
			if i.name(v["Subtype"]) == "Type3" {
				for name, glyph := range i.file.Dict(v["CharProcs"]) {
					if s, ok := i.file.Resolve(glyph).(*cos.Stream); ok {
						i.streamContent(fmt.Sprintf("glyph %s of font %d", string(name), number), s, v["Resources"], fonts)
					}
				}
			}
		}
	}
}

// pageContent is all of a page's streams in one, since operations may go across.
func (i *inspection) pageContent(page cos.Dict) []byte {
	parts := i.file.Array(page["Contents"])
	if parts == nil {
		parts = cos.Array{page["Contents"]}
	}
	var all bytes.Buffer
	for _, part := range parts {
		if s, ok := i.file.Resolve(part).(*cos.Stream); ok {
			data, err := i.file.Decode(s)
			i.when(err != nil, "6.1.7.2-1", "page content: %v", err)
			all.Write(data)
			all.WriteByte('\n')
		}
	}
	return all.Bytes()
}

func (i *inspection) streamContent(where string, s *cos.Stream, resources any, fonts map[any]*glyphs) {
	data, err := i.file.Decode(s)
	if err != nil {
		i.report("6.1.7.2-1", "%s: %v", where, err)
		return
	}
	i.content(where, data, resources, fonts)
}

// scan is one content stream while it is read.
type scan struct {
	*inspection
	where     string
	resources cos.Dict
	fonts     map[any]*glyphs // by reference or by name and place
	font      *glyphs
	saved     []*glyphs
}

func (i *inspection) content(where string, data []byte, resources any, fonts map[any]*glyphs) {
	s := &scan{inspection: i, where: where, resources: i.file.Dict(resources), fonts: fonts}
	content := cos.NewContent(data)
	var operands []any
	for {
		operator, found, err := content.Next(operands)
		if err != nil {
			i.report("6.2.2-1", "%s: %v", where, err)
			break
		}
		if operator == "" {
			break
		}
		operands = found
		s.operation(operator, operands)
	}
	merge(&i.faults, content.Faults)
}

func merge(into *cos.Faults, f cos.Faults) {
	into.OddHex = into.OddHex || f.OddHex
	into.BadHex = into.BadHex || f.BadHex
	into.LongString = into.LongString || f.LongString
	into.LongName = into.LongName || f.LongName
	into.BigInteger = into.BigInteger || f.BigInteger
	into.BadReal = into.BadReal || f.BadReal
}

func (s *scan) operation(operator cos.Operator, operands []any) {
	switch operator {
	case "q":
		s.saved = append(s.saved, s.font)
		s.when(len(s.saved) == maxSaved+1, "6.1.13-8", "%s nests q deeper than %d", s.where, maxSaved)
	case "Q":
		if n := len(s.saved); n > 0 {
			s.font, s.saved = s.saved[n-1], s.saved[:n-1]
		}
	case "Tf":
		s.setFont(operands)
	case "Tj", "'", "\"", "TJ":
		s.show(operands)
	case "rg", "RG":
		s.when(s.outputSpace != "RGB ", "6.2.4.3-2", "%s uses DeviceRGB without an output intent for it", s.where)
	case "k", "K":
		s.when(s.outputSpace != "CMYK", "6.2.4.3-3", "%s uses DeviceCMYK without an output intent for it", s.where)
	case "g", "G":
		s.when(s.outputSpace == "", "6.2.4.3-4", "%s uses DeviceGray without an output intent", s.where)
	case "cs", "CS":
		if len(operands) == 1 {
			name, _ := operands[0].(cos.Name)
			s.deviceColor(string(name), 0)
		}
	case "ri":
		if len(operands) == 1 {
			name, _ := operands[0].(cos.Name)
			s.when(!isIntent(string(name)), "6.2.6-1", "%s has the intent %s", s.where, string(name))
		}
	case "gs", "Do", "sh":
		s.resource(operator, operands)
	case "BI":
		s.inlineImage(operands)
	default:
		s.when(!operators[operator], "6.2.2-1", "%s has the operator %.20q", s.where, string(operator))
	}
}

// resource asks that what is used is in the stream's own resources (6.2.2-2).
func (s *scan) resource(operator cos.Operator, operands []any) {
	if len(operands) == 0 {
		return
	}
	name, _ := operands[0].(cos.Name)
	kind := map[cos.Operator]cos.Name{"gs": "ExtGState", "Do": "XObject", "sh": "Shading"}[operator]
	s.when(s.file.Dict(s.resources[kind])[name] == nil, "6.2.2-2", "%s uses %s %s, which its resources lack", s.where, string(kind), string(name))
}

func (s *scan) setFont(operands []any) {
	s.font = nil
	if len(operands) == 0 {
		return
	}
	name, _ := operands[0].(cos.Name)
	value := s.file.Dict(s.resources["Font"])[name]
	if value == nil {
		s.report("6.2.2-2", "%s uses font %s, which its resources lack", s.where, string(name))
		return
	}
	if ref, ok := value.(cos.Ref); ok {
		if s.fonts[ref] == nil {
			s.fonts[ref] = s.glyphs(ref)
		}
		s.font = s.fonts[ref]
		return
	}
	s.font = s.glyphs(value)
}

func (s *scan) show(operands []any) {
	if s.font == nil {
		return
	}
	for _, operand := range operands {
		switch v := operand.(type) {
		case cos.String:
			s.text(string(v))
		case cos.Array:
			for _, entry := range v {
				if part, ok := entry.(cos.String); ok {
					s.text(string(part))
				}
			}
		}
	}
}

func (s *scan) text(shown string) {
	missing, absent := s.font.notdef(shown)
	s.when(missing, "6.2.11.8-1", "%s shows a character that font %s has no glyph for", s.where, s.font)
	s.when(absent, "6.2.11.4.1-2", "%s shows a glyph that its font does not draw", s.where)
}

func (s *scan) inlineImage(operands []any) {
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
	s.when(d["I"] == true || d["Interpolate"] == true, "6.2.8-3", "%s has an inline image with interpolation", s.where)
	for _, key := range []cos.Name{"CS", "ColorSpace"} {
		name, _ := d[key].(cos.Name)
		s.deviceColor(string(name), 0)
	}
}
