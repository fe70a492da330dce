package pdfa

import (
	"strings"

	"platen.dev/einvoice/pdfa/cos"
)

// font looks at 6.2.11.2 to 6.2.11.6.
func (i *inspection) font(number int, d cos.Dict) {
	subtype := i.name(d["Subtype"])
	i.when(subtype != "Type3" && i.name(d["BaseFont"]) == "", "6.2.11.2-3", "font %d has no BaseFont", number)
	switch subtype {
	case "Type0":
		i.composite(number, d)
		return
	case "CIDFontType0", "CIDFontType2":
		i.embedded(number, d)
		i.when(subtype == "CIDFontType2" && d["CIDToGIDMap"] == nil, "6.2.11.3.2-1", "font %d has no CIDToGIDMap", number)
		return
	case "Type1", "MMType1", "TrueType":
		i.embedded(number, d)
	case "Type3":
	default:
		i.report("6.2.11.2-2", "font %d is of type %q", number, subtype)
		return
	}
	i.simple(number, d)
}

// composite is a font of more than 256 characters. Its code must be Identity, as the
// browser's is: what other CMaps mean cannot be told here.
func (i *inspection) composite(number int, d cos.Dict) {
	encoding := i.name(d["Encoding"])
	i.when(encoding != "Identity-H" && encoding != "Identity-V", "6.2.11.3.3-1", "font %d has the encoding %q", number, encoding)
	i.when(len(i.file.Array(d["DescendantFonts"])) != 1, "6.2.11.2-2", "font %d has no descendant", number)
}

func (i *inspection) embedded(number int, d cos.Dict) {
	descriptor := i.file.Dict(d["FontDescriptor"])
	var program *cos.Stream
	for _, key := range []cos.Name{"FontFile", "FontFile2", "FontFile3"} {
		if s, ok := i.file.Resolve(descriptor[key]).(*cos.Stream); ok {
			program = s
		}
	}
	if program == nil {
		i.report("6.2.11.4.1-1", "font %d, %s, is not embedded", number, i.name(d["BaseFont"]))
		return
	}
	switch kind := i.name(program.Dict["Subtype"]); kind {
	case "", "Type1C", "CIDFontType0C", "OpenType":
	default:
		i.report("6.2.11.2-7", "font %d has a program of type %s", number, kind)
	}
	i.when(descriptor["CIDSet"] != nil, "6.2.11.4.2-2", "font %d has a CIDSet", number)
}

func (i *inspection) simple(number int, d cos.Dict) {
	first, last := i.file.Int(d["FirstChar"], -1), i.file.Int(d["LastChar"], -1)
	i.when(first < 0, "6.2.11.2-4", "font %d has no FirstChar", number)
	i.when(last < 0, "6.2.11.2-5", "font %d has no LastChar", number)
	widths := int64(len(i.file.Array(d["Widths"])))
	i.when(first >= 0 && last >= 0 && widths != last-first+1, "6.2.11.2-6", "font %d has %d widths for %d to %d", number, widths, first, last)
	const symbolic = 4
	flags := i.file.Int(i.file.Dict(d["FontDescriptor"])["Flags"], 0)
	if i.name(d["Subtype"]) != "TrueType" || flags&symbolic != 0 {
		return
	}
	encoding := i.name(d["Encoding"])
	if e := i.file.Dict(d["Encoding"]); e != nil {
		encoding = i.name(e["BaseEncoding"])
	}
	i.when(encoding != "MacRomanEncoding" && encoding != "WinAnsiEncoding", "6.2.11.6-2", "font %d has the encoding %q", number, encoding)
}

// glyphs is what a content stream needs to know of a font.
type glyphs struct {
	name      string
	composite bool
	toGID     []byte        // of a composite font, nil for the identity
	missing   map[byte]bool // of a simple font: codes that are .notdef
	absent    map[byte]bool // of a Type 3 font: codes that nothing draws
}

func (i *inspection) glyphs(value any) *glyphs {
	d := i.file.Dict(value)
	g := &glyphs{name: i.name(d["BaseFont"])}
	if i.name(d["Subtype"]) == "Type0" {
		g.composite = true
		if descendants := i.file.Array(d["DescendantFonts"]); len(descendants) > 0 {
			if s, ok := i.file.Resolve(i.file.Dict(descendants[0])["CIDToGIDMap"]).(*cos.Stream); ok {
				g.toGID, _ = i.file.Decode(s)
			}
		}
		return g
	}
	drawn := i.file.Dict(d["CharProcs"])
	g.missing, g.absent = map[byte]bool{}, map[byte]bool{}
	code := int64(0)
	for _, entry := range i.file.Array(i.file.Dict(d["Encoding"])["Differences"]) {
		switch v := i.file.Resolve(entry).(type) {
		case int64:
			code = v
			continue
		case cos.Name:
			g.missing[byte(code)] = v == ".notdef"
			g.absent[byte(code)] = drawn != nil && drawn[v] == nil
		}
		code++
	}
	return g
}

// notdef tells whether showing a string shows .notdef (6.2.11.8-1), and whether a glyph is absent.
func (g *glyphs) notdef(s string) (missing, absent bool) {
	if !g.composite {
		for _, code := range []byte(s) {
			missing, absent = missing || g.missing[code], absent || g.absent[code]
		}
		return missing, absent
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

func (g *glyphs) String() string { return strings.TrimPrefix(g.name, "+") }
