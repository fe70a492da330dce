package pdfa

import (
	"math"

	"platen.dev/document/pdfa/cos"
)

// fontGlyphs determines which character codes of a font have a glyph, and how wide it is.
type fontGlyphs struct {
	number          int // of its object
	dict            cos.Dict
	embedded        bool
	shown, rendered bool      // the font was used for text, for visible text
	composite       bool      // its codes have two bytes
	unknown         bool      // the meaning of its codes is not known
	toGID           []byte    // CIDToGIDMap of a composite font, nil for Identity
	base, changed   encoding  // of a simple font: that which its encoding begins with, and how it differs
	trueType        *trueType // nil if its program is not TrueType, or cannot be read
	outlines        *outlines // nil if its program is neither Type 1 nor CFF, or cannot be read

	// glyph returns the width of the glyph for a code in thousandths of the font size, NaN if it is not known, and whether the program has that glyph,
	// or nothing says that it does not. It is nil if the program is not known.
	glyph func(code int) (width float64, present bool)
	// width returns the dictionary's width of a code, or NaN. It is nil if the widths are not known.
	width func(code int) float64
	known []flaws // of the codes of a simple font; 0 for those that were not shown
}

// fontReader reads the fonts of a file.
type fontReader struct {
	lookup
	fonts      map[cos.Ref]*fontGlyphs
	widthsRead int // of all fonts
}

func newFontReader(of lookup) *fontReader {
	return &fontReader{lookup: of, fonts: map[cos.Ref]*fontGlyphs{}}
}

// font returns the glyphs of a font, nil unless it is one.
func (r *fontReader) font(value any) *fontGlyphs {
	ref, indirect := value.(cos.Ref)
	if known := r.fonts[ref]; indirect && known != nil {
		return known
	}
	d := r.file.Dict(value)
	if d == nil {
		return nil
	}
	font := r.read(ref.Number, d)
	if indirect {
		r.fonts[ref] = font
	}
	return font
}

func (r *fontReader) read(number int, d cos.Dict) *fontGlyphs {
	subtype := r.name(d["Subtype"])
	g := &fontGlyphs{number: number, dict: d, embedded: subtype == "Type3" || r.program(d) != nil}
	switch subtype {
	case "Type0":
		encoding := r.name(d["Encoding"])
		g.composite, g.unknown = true, encoding != "Identity-H" && encoding != "Identity-V"
		if descendants := r.file.Array(d["DescendantFonts"]); len(descendants) > 0 {
			r.cidGlyphs(g, r.file.Dict(descendants[0]))
		}
	case "Type3":
		r.procedures(g)
	default:
		r.simpleGlyphs(g)
	}
	return g
}

func (r *fontReader) cidGlyphs(g *fontGlyphs, descendant cos.Dict) {
	if s, ok := r.file.Resolve(descendant["CIDToGIDMap"]).(*cos.Stream); ok && r.name(descendant["Subtype"]) == "CIDFontType2" {
		var err error
		if g.toGID, err = r.file.Decode(s); err != nil {
			return
		}
	}
	switch r.readProgram(g, descendant); {
	case g.trueType != nil:
		g.glyph = func(cid int) (float64, bool) { return g.trueType.width(g.gid(cid)), g.gid(cid) < g.trueType.glyphs }
	case g.outlines != nil:
		g.glyph = func(cid int) (float64, bool) {
			gid, present := g.outlines.gid(cid)
			return r.outlineWidth(g.outlines, gid), present
		}
	default:
		return
	}
	if widths, otherwise := r.cidWidths(descendant); widths != nil {
		g.width = func(cid int) float64 {
			if width, ok := widths[cid]; ok {
				return width
			}
			return otherwise
		}
	}
}

// gid returns the number of a glyph in the TrueType program of a composite font.
func (g *fontGlyphs) gid(cid int) int {
	if g.toGID == nil {
		return cid
	}
	if at := 2 * cid; at+1 < len(g.toGID) {
		return int(g.toGID[at])<<8 | int(g.toGID[at+1])
	}
	return 0
}

// procedures finds the glyphs of a Type 3 font, which are content streams.
func (r *fontReader) procedures(g *fontGlyphs) {
	g.changed, g.width = r.differences(g.dict), r.simpleWidths(g.dict, nil)
	procedures := r.file.Dict(g.dict["CharProcs"])
	if procedures == nil {
		return
	}
	g.glyph = func(code int) (float64, bool) {
		name := g.name(code)
		return r.procedureWidth(procedures[cos.Name(name)]), name == "" || procedures[cos.Name(name)] != nil
	}
}

// procedureWidth returns the width that the procedure of a glyph of a Type 3 font begins with, NaN if it does not begin so.
func (r *fontReader) procedureWidth(procedure any) float64 {
	s, ok := r.file.Resolve(procedure).(*cos.Stream)
	if !ok {
		return math.NaN()
	}
	data, _ := r.file.Decode(s)
	operator, operands, _ := cos.NewContent(data).Next(nil)
	if operator == "d0" && len(operands) == 2 || operator == "d1" && len(operands) == 6 {
		return r.number(operands[0])
	}
	return math.NaN()
}

// simpleGlyphs finds the glyphs of a font whose codes have names.
func (r *fontReader) simpleGlyphs(g *fontGlyphs) {
	descriptor := r.file.Dict(g.dict["FontDescriptor"])
	base := r.baseEncoding(g.dict)
	g.base, g.changed, g.width = encodings[base], r.differences(g.dict), r.simpleWidths(g.dict, descriptor)
	switch r.readProgram(g, g.dict); {
	case g.trueType != nil:
		named := g.dict["Encoding"] != nil && r.file.Int(descriptor["Flags"], 0)&symbolic == 0
		g.glyph = func(code int) (float64, bool) { return g.trueTypeGlyph(code, named) }
	case g.outlines != nil && base != "MacExpertEncoding": // whose names are not known here
		g.glyph = func(code int) (float64, bool) {
			gid, present := g.outlines.coded(code, g.name(code))
			return r.outlineWidth(g.outlines, gid), present
		}
	}
}

// trueTypeGlyph finds a glyph by the name of its code, or if the font is symbolic by the code.
func (g *fontGlyphs) trueTypeGlyph(code int, named bool) (width float64, present bool) {
	var gid int
	if named {
		gid = g.trueType.named(g.name(code))
	} else {
		gid = g.trueType.coded(code)
	}
	if gid < 0 || gid >= g.trueType.glyphs {
		return math.NaN(), true
	}
	return g.trueType.width(gid), gid > 0
}

// name returns the name that the encoding of a simple font gives to a code, "" if that of its program holds.
func (g *fontGlyphs) name(code int) string {
	if name, ok := g.changed[code]; ok {
		return name
	}
	return g.base[code]
}

// differences returns how the encoding of a font differs from that which it names.
func (r *fontReader) differences(d cos.Dict) encoding {
	changed := encoding{}
	for code, name := range r.file.Differences(r.file.Array(r.file.Dict(d["Encoding"])["Differences"])) {
		changed[code] = string(name)
	}
	return changed
}

// programKeys are the entries of descriptors for programs that are not compact, by the type of font.
var programKeys = map[string]cos.Name{"Type1": "FontFile", "MMType1": "FontFile", "TrueType": "FontFile2", "CIDFontType2": "FontFile2"}

// readProgram reads the program of a font that is not composite, if it is of a kind that the font may have.
func (r *fontReader) readProgram(g *fontGlyphs, d cos.Dict) {
	want := programKeys[r.name(d["Subtype"])]
	descriptor := r.file.Dict(d["FontDescriptor"])
	program, found := r.file.Resolve(descriptor[want]).(*cos.Stream)
	if !found {
		if program, _ = r.file.Resolve(descriptor["FontFile3"]).(*cos.Stream); program == nil {
			return
		}
	}
	data, err := r.file.Decode(program)
	switch kind := r.name(program.Dict["Subtype"]); {
	case err != nil:
	case want == "FontFile2" && (found || kind == "OpenType"):
		g.trueType = readTrueType(data)
	case r.widthsRead > maxWidths:
	case found:
		g.outlines = readType1(data)
	case kind == "OpenType":
		g.outlines = readCFF(table(data, "CFF "))
	case kind == "Type1C" && !g.composite, kind == "CIDFontType0C" && g.composite:
		g.outlines = readCFF(data)
	}
	if g.outlines != nil {
		r.widthsRead += g.outlines.glyphs
	}
}

// flaws are what is wrong with the glyphs that a string shows.
type flaws uint8

const (
	showsNotdef flaws = 1 << iota // one is .notdef (6.2.11.8-1)
	lacksGlyph                    // the program lacks one (6.2.11.4.1-2)
	wrongWidth                    // the program and the dictionary say different widths (6.2.11.5-1)
	judged                        // and nothing else
)

// widthTolerance is how much widths may differ, in thousandths of the font size.
const widthTolerance = 1

// flawsOf returns what is wrong with the glyphs of a string.
func (g *fontGlyphs) flawsOf(s string) (found flaws) {
	if g.unknown {
		return 0
	}
	if g.composite {
		for ; len(s) > 1; s = s[2:] {
			found |= g.flawsOfCode(int(s[0])<<8 | int(s[1]))
		}
		if s != "" { // half a code
			found |= showsNotdef
		}
		return found
	}
	if g.known == nil {
		g.known = make([]flaws, 256)
	}
	for _, code := range []byte(s) {
		if g.known[code] == 0 {
			g.known[code] = judged | g.flawsOfCode(int(code))
		}
		found |= g.known[code]
	}
	return found
}

func (g *fontGlyphs) flawsOfCode(code int) (found flaws) {
	if g.composite && g.gid(code) == 0 || !g.composite && g.name(code) == notdef {
		return showsNotdef
	}
	if g.glyph == nil {
		return 0
	}
	width, present := g.glyph(code)
	switch {
	case !present && code != 0:
		return lacksGlyph
	case present && g.width != nil && math.Abs(width-g.width(code)) > widthTolerance:
		return wrongWidth
	}
	return 0
}

func (g *fontGlyphs) String() string {
	name, _ := g.dict["BaseFont"].(cos.Name)
	return string(name)
}
