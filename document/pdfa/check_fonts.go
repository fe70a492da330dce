package pdfa

import (
	"maps"
	"math"
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
	c.reportIf(subtype != "Type3" && c.name(d["BaseFont"]) == "", "6.2.11.2-3", "font %d has no BaseFont", number)
	switch subtype {
	case "Type0":
		c.compositeFont(f)
	case "Type1", "MMType1", "TrueType":
		if program := c.program(d); program != nil {
			c.fontProgram(number, program)
			c.widths(number, d)
		}
		c.encoding(number, d)
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
	c.cidSet(number, d, f.trueType)
	_, stream := c.file.Resolve(d["CIDToGIDMap"]).(*cos.Stream)
	c.reportIf(subtype == "CIDFontType2" && !stream && c.name(d["CIDToGIDMap"]) != "Identity", "6.2.11.3.2-1", "font %d has no CIDToGIDMap", number)
}

// subsetName begins the name of a font whose program has some of its glyphs.
var subsetName = regexp.MustCompile(`^[A-Z]{6}\+`)

// program returns the embedded program of a font, or nil.
func (c *checker) program(d cos.Dict) *cos.Stream {
	if descendants := c.file.Array(d["DescendantFonts"]); len(descendants) > 0 {
		d = c.file.Dict(descendants[0])
	}
	descriptor := c.file.Dict(d["FontDescriptor"])
	for _, key := range []cos.Name{"FontFile", "FontFile2", "FontFile3"} {
		if program, ok := c.file.Resolve(descriptor[key]).(*cos.Stream); ok {
			return program
		}
	}
	return nil
}

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

// encoding checks that a TrueType font names its characters exactly if it is not symbolic.
func (c *checker) encoding(number int, d cos.Dict) {
	if c.name(d["Subtype"]) != "TrueType" {
		return
	}
	const symbolic = 4
	if c.file.Int(c.file.Dict(d["FontDescriptor"])["Flags"], 0)&symbolic != 0 {
		c.reportIf(d["Encoding"] != nil, "6.2.11.6-3", "font %d is symbolic and has an encoding", number)
		return
	}
	encoding := c.name(d["Encoding"])
	if e := c.file.Dict(d["Encoding"]); e != nil {
		encoding = c.name(e["BaseEncoding"])
	}
	c.reportIf(encoding != "MacRomanEncoding" && encoding != "WinAnsiEncoding", "6.2.11.6-2", "font %d has the encoding %q", number, encoding)
}

// fontGlyphs determines which character codes of a font have a glyph.
type fontGlyphs struct {
	number          int // of its object
	dict            cos.Dict
	embedded        bool
	shown, rendered bool            // the font was used for text, for visible text
	composite       bool            // its codes have two bytes
	unknown         bool            // the meaning of its codes is not known
	toGID           []byte          // CIDToGIDMap of a composite font, nil for Identity
	trueType        *trueType       // of a composite font; nil if its program is not TrueType, or cannot be read
	cidWidths       map[int]float64 // that its dictionary says; nil if they are not known
	cidWidth        float64         // of the other glyphs
	notdef          map[byte]bool   // codes of a simple font that map to .notdef
	undefined       map[byte]bool   // codes of a Type 3 font without a glyph procedure
}

func (c *checker) fontGlyphs(number int, d cos.Dict) *fontGlyphs {
	subtype := c.name(d["Subtype"])
	g := &fontGlyphs{number: number, dict: d, embedded: subtype == "Type3" || c.program(d) != nil}
	if subtype == "Type0" {
		encoding := c.name(d["Encoding"])
		g.composite, g.unknown = true, encoding != "Identity-H" && encoding != "Identity-V"
		if descendants := c.file.Array(d["DescendantFonts"]); len(descendants) > 0 {
			descendant := c.file.Dict(descendants[0])
			if s, ok := c.file.Resolve(descendant["CIDToGIDMap"]).(*cos.Stream); ok {
				g.toGID, _ = c.file.Decode(s)
			}
			if program := c.program(d); program != nil && c.name(descendant["Subtype"]) == "CIDFontType2" {
				data, _ := c.file.Decode(program)
				g.trueType = readTrueType(data)
				g.cidWidths, g.cidWidth = c.cidWidths(descendant)
			}
		}
		return g
	}
	procedures := c.file.Dict(d["CharProcs"])
	g.notdef, g.undefined = map[byte]bool{}, map[byte]bool{}
	code := int64(0)
	for _, entry := range c.file.Array(c.file.Dict(d["Encoding"])["Differences"]) {
		switch v := c.file.Resolve(entry).(type) {
		case int64:
			code = v
			continue
		case cos.Name:
			g.notdef[byte(code)] = v == ".notdef"
			g.undefined[byte(code)] = procedures != nil && procedures[v] == nil
		}
		code++
	}
	return g
}

// flaws are what is wrong with the glyphs that a string shows.
type flaws struct {
	notdef  bool // one is .notdef (6.2.11.8-1)
	missing bool // the program lacks one (6.2.11.4.1-2)
	width   bool // the program and the dictionary say different widths (6.2.11.5-1)
}

// widthTolerance is how much widths may differ, in thousandths of the font size.
const widthTolerance = 1

// flawsOf returns what is wrong with the glyphs of a string.
func (g *fontGlyphs) flawsOf(s string) (found flaws) {
	if !g.composite {
		for _, code := range []byte(s) {
			found.notdef, found.missing = found.notdef || g.notdef[code], found.missing || g.undefined[code]
		}
		return found
	}
	if g.unknown {
		return found
	}
	for ; len(s) > 1; s = s[2:] {
		cid := int(s[0])<<8 | int(s[1])
		gid := cid
		if g.toGID != nil {
			gid = 0
			if at := 2 * cid; at+1 < len(g.toGID) {
				gid = int(g.toGID[at])<<8 | int(g.toGID[at+1])
			}
		}
		found.notdef = found.notdef || gid == 0
		if t := g.trueType; t != nil && gid != 0 {
			width, ok := g.cidWidths[cid]
			if !ok {
				width = g.cidWidth
			}
			found.missing = found.missing || gid >= t.glyphs
			found.width = found.width || g.cidWidths != nil && gid < t.glyphs && math.Abs(t.width(gid)-width) > widthTolerance
		}
	}
	return found
}

func (g *fontGlyphs) String() string {
	name, _ := g.dict["BaseFont"].(cos.Name)
	return string(name)
}
