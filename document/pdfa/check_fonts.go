package pdfa

import (
	"maps"
	"regexp"
	"slices"

	"platen.dev/document/pdfa/cos"
)

// shownFont checks a font with which text is shown, and queues the glyphs of a Type 3 font.
func (s *contentScan) shownFont(f *fontGlyphs) {
	s.font(f)
	procedures := s.file.Dict(f.dict["CharProcs"])
	for _, name := range slices.Sorted(maps.Keys(procedures)) {
		value := procedures[name]
		glyph, ok := s.file.Resolve(value).(*cos.Stream)
		if of, first := s.use(value); ok && first {
			s.show(of, "glyph", value, glyph, f.dict["Resources"])
		}
	}
}

// font checks a font (6.2.11.2 to 6.2.11.6).
func (c *checker) font(f *fontGlyphs) {
	number, d := f.number, f.dict
	subtype := c.name(d["Subtype"])
	if s, ok := c.file.Resolve(d["ToUnicode"]).(*cos.Stream); ok && c.claim.Accessible {
		if cmap, err := c.file.Decode(s); err == nil && unknownCharacter.Match(cmap) {
			c.add("7.21.7-2", "font %d has a glyph for a character that is none", number)
		}
	}
	c.unicodeName(c.name(d["BaseFont"]))
	c.reportIf(subtype != "Type3" && c.name(d["BaseFont"]) == "", "6.2.11.2-3", "font %d has no BaseFont", number)
	switch subtype {
	case "Type0":
		c.compositeFont(f)
	case "Type1", "MMType1", "TrueType":
		if program := c.program(d); program != nil {
			c.fontProgram(number, program)
			c.widths(number, d)
			c.charSet(f)
		}
		c.encoding(f)
	case "Type3":
		c.widths(number, d)
	default:
		c.report("6.2.11.2-2", "font %d has type %q", number, subtype)
	}
}

// compositeFont checks a Type 0 font. Its encoding must be Identity, as the browser writes
// it: this checker does not read other CMaps.
func (c *checker) compositeFont(f *fontGlyphs) {
	number, d := f.number, f.dict
	c.reportIf(f.unknown, "6.2.11.3.3-1", "font %d has the encoding %q", number, c.name(d["Encoding"]))
	descendants := c.file.Array(d["DescendantFonts"])
	if len(descendants) != 1 {
		c.report("6.2.11.2-2", "font %d does not have exactly one descendant font", number)
		return
	}
	if ref, ok := descendants[0].(cos.Ref); ok {
		number = ref.Number
	}
	d = c.file.Dict(descendants[0])
	subtype := c.name(d["Subtype"])
	c.reportIf(subtype != "CIDFontType0" && subtype != "CIDFontType2", "6.2.11.2-2", "font %d has type %q", number, subtype)
	program := c.program(d)
	if program == nil {
		return
	}
	c.fontProgram(number, program)
	c.cidSet(number, f, d)
	_, stream := c.file.Resolve(d["CIDToGIDMap"]).(*cos.Stream)
	c.reportIf(subtype == "CIDFontType2" && !stream && c.name(d["CIDToGIDMap"]) != "Identity", "6.2.11.3.2-1", "font %d has no CIDToGIDMap", number)
}

// subsetName begins the name of a font whose program has some of its glyphs.
var subsetName = regexp.MustCompile(`^[A-Z]{6}\+`)

func (c *checker) fontProgram(number int, program *cos.Stream) {
	switch kind := c.name(program.Dict["Subtype"]); kind {
	case "", "Type1C", "CIDFontType0C", "OpenType":
	default:
		c.report("6.2.11.2-7", "font %d has a font program of type %s", number, kind)
	}
}

// widths checks that a simple font has a width for each of its codes. Fonts that are not embedded may be standard ones, which need none.
func (c *checker) widths(number int, d cos.Dict) {
	first, last := c.file.Int(d["FirstChar"], -1), c.file.Int(d["LastChar"], -1)
	c.reportIf(first < 0, "6.2.11.2-4", "font %d has no FirstChar", number)
	c.reportIf(last < 0, "6.2.11.2-5", "font %d has no LastChar", number)
	widths := int64(len(c.file.Array(d["Widths"])))
	c.reportIf(first >= 0 && last >= 0 && widths != last-first+1, "6.2.11.2-6", "font %d has %d widths for the codes %d to %d", number, widths, first, last)
}

// symbolic is the flag of fonts with characters of their own.
const symbolic = 4

// encoding checks that a TrueType font names its characters exactly if it is not symbolic.
func (c *checker) encoding(f *fontGlyphs) {
	number, d := f.number, f.dict
	if c.name(d["Subtype"]) != "TrueType" {
		return
	}
	if c.file.Int(c.file.Dict(d["FontDescriptor"])["Flags"], 0)&symbolic != 0 {
		c.reportIf(d["Encoding"] != nil, "6.2.11.6-3", "font %d is symbolic and has an encoding", number)
		return
	}
	base := c.baseEncoding(d)
	c.reportIf(encodings[base] == nil, "6.2.11.6-2", "font %d has the encoding %q", number, base)
	c.reportIf(len(f.changed) > 0 && f.trueType != nil && f.trueType.cmap(3, 1) == nil, "6.2.11.6-2", "font %d has an encoding with Differences, and no cmap for Unicode", number)
}
