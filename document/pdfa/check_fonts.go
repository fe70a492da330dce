package pdfa

import (
	"strings"

	"platen.dev/document/pdfa/cos"
)

// font checks a font (6.2.11.2 to 6.2.11.6).
func (c *checker) font(number int, d cos.Dict) {
	subtype := c.name(d["Subtype"])
	if s, ok := c.file.Resolve(d["ToUnicode"]).(*cos.Stream); ok && c.claim.Accessible {
		if cmap, err := c.file.Decode(s); err == nil && unknownCharacter.Match(cmap) {
			c.add("7.21.7-2", "font %d has a glyph for a character that is none", number)
		}
	}
	c.reportIf(subtype != "Type3" && c.name(d["BaseFont"]) == "", "6.2.11.2-3", "font %d has no BaseFont", number)
	switch subtype {
	case "Type0":
		c.compositeFont(number, d)
		return
	case "CIDFontType0", "CIDFontType2":
		c.fontProgram(number, d)
		c.reportIf(subtype == "CIDFontType2" && d["CIDToGIDMap"] == nil, "6.2.11.3.2-1", "font %d has no CIDToGIDMap", number)
		return
	case "Type1", "MMType1", "TrueType":
		c.fontProgram(number, d)
	case "Type3":
	default:
		c.report("6.2.11.2-2", "font %d has type %q", number, subtype)
		return
	}
	c.simpleFont(number, d)
}

// compositeFont checks a Type 0 font. Its encoding must be Identity, as the browser writes
// it: this checker does not read other CMaps.
func (c *checker) compositeFont(number int, d cos.Dict) {
	encoding := c.name(d["Encoding"])
	c.reportIf(encoding != "Identity-H" && encoding != "Identity-V", "6.2.11.3.3-1", "font %d has the encoding %q", number, encoding)
	c.reportIf(len(c.file.Array(d["DescendantFonts"])) != 1, "6.2.11.2-2", "font %d does not have exactly one descendant font", number)
}

func (c *checker) fontProgram(number int, d cos.Dict) {
	descriptor := c.file.Dict(d["FontDescriptor"])
	var program *cos.Stream
	for _, key := range []cos.Name{"FontFile", "FontFile2", "FontFile3"} {
		if s, ok := c.file.Resolve(descriptor[key]).(*cos.Stream); ok {
			program = s
		}
	}
	if program == nil {
		c.report("6.2.11.4.1-1", "font %d (%s) is not embedded", number, c.name(d["BaseFont"]))
		return
	}
	switch kind := c.name(program.Dict["Subtype"]); kind {
	case "", "Type1C", "CIDFontType0C", "OpenType":
	default:
		c.report("6.2.11.2-7", "font %d has a font program of type %s", number, kind)
	}
	c.reportIf(descriptor["CIDSet"] != nil, "6.2.11.4.2-2", "font %d has a CIDSet", number)
}

func (c *checker) simpleFont(number int, d cos.Dict) {
	first, last := c.file.Int(d["FirstChar"], -1), c.file.Int(d["LastChar"], -1)
	c.reportIf(first < 0, "6.2.11.2-4", "font %d has no FirstChar", number)
	c.reportIf(last < 0, "6.2.11.2-5", "font %d has no LastChar", number)
	widths := int64(len(c.file.Array(d["Widths"])))
	c.reportIf(first >= 0 && last >= 0 && widths != last-first+1, "6.2.11.2-6", "font %d has %d widths for the codes %d to %d", number, widths, first, last)
	const symbolic = 4
	flags := c.file.Int(c.file.Dict(d["FontDescriptor"])["Flags"], 0)
	if c.name(d["Subtype"]) != "TrueType" || flags&symbolic != 0 {
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
	name      string
	composite bool
	toGID     []byte        // CIDToGIDMap of a composite font, nil for Identity
	notdef    map[byte]bool // codes of a simple font that map to .notdef
	undefined map[byte]bool // codes of a Type 3 font without a glyph procedure
}

func (c *checker) fontGlyphs(value any) *fontGlyphs {
	d := c.file.Dict(value)
	g := &fontGlyphs{name: c.name(d["BaseFont"])}
	if c.name(d["Subtype"]) == "Type0" {
		g.composite = true
		if descendants := c.file.Array(d["DescendantFonts"]); len(descendants) > 0 {
			if s, ok := c.file.Resolve(c.file.Dict(descendants[0])["CIDToGIDMap"]).(*cos.Stream); ok {
				g.toGID, _ = c.file.Decode(s)
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

// missingGlyphs reports whether showing a string shows .notdef (6.2.11.8-1), and whether
// it shows a code of a Type 3 font that has no glyph procedure.
func (g *fontGlyphs) missingGlyphs(s string) (notdef, undefined bool) {
	if !g.composite {
		for _, code := range []byte(s) {
			notdef, undefined = notdef || g.notdef[code], undefined || g.undefined[code]
		}
		return notdef, undefined
	}
	for ; len(s) > 1; s = s[2:] {
		gid := int(s[0])<<8 | int(s[1])
		if g.toGID != nil {
			at := 2 * gid
			if at+1 >= len(g.toGID) {
				return true, false
			}
			gid = int(g.toGID[at])<<8 | int(g.toGID[at+1])
		}
		if gid == 0 {
			return true, false
		}
	}
	return len(s) > 0, false
}

func (g *fontGlyphs) String() string { return strings.TrimPrefix(g.name, "+") }
