package pdfa

import (
	"encoding/binary"

	"platen.dev/document/pdfa/cos"
)

// trueType has of a TrueType program what the rules compare with the font's dictionary.
type trueType struct {
	glyphs   int    // how many glyphs it has
	unit     int    // units of a side of the em square
	advances []byte // the table hmtx
	measured int    // how many glyphs have an advance of their own; the others have that of the last
}

// readTrueType returns nil if the program cannot be read.
func readTrueType(program []byte) *trueType {
	maxp, head := table(program, "maxp"), table(program, "head")
	hhea, hmtx := table(program, "hhea"), table(program, "hmtx")
	if len(maxp) < 6 || len(head) < 54 || len(hhea) < 36 {
		return nil
	}
	t := &trueType{
		glyphs: int(binary.BigEndian.Uint16(maxp[4:])), unit: int(binary.BigEndian.Uint16(head[18:])),
		advances: hmtx, measured: int(binary.BigEndian.Uint16(hhea[34:])),
	}
	if t.unit == 0 || t.measured == 0 || len(hmtx) < 4*t.measured {
		return nil
	}
	return t
}

// table returns a table of a program, nil if it has none.
func table(program []byte, tag string) []byte {
	if len(program) < 12 {
		return nil
	}
	entries := program[12:]
	for range binary.BigEndian.Uint16(program[4:]) {
		if len(entries) < 16 {
			return nil
		}
		entry := entries[:16]
		entries = entries[16:]
		offset, length := int(binary.BigEndian.Uint32(entry[8:])), int(binary.BigEndian.Uint32(entry[12:]))
		if string(entry[:4]) == tag && offset+length <= len(program) {
			return program[offset : offset+length]
		}
	}
	return nil
}

// width returns the width of a glyph in thousandths of the font size.
func (t *trueType) width(gid int) float64 {
	advance := binary.BigEndian.Uint16(t.advances[4*min(gid, t.measured-1):])
	return float64(advance) * 1000 / float64(t.unit)
}

// cidSet checks that the set of a subset's glyphs has those of its program (6.2.11.4.2-2). It is not known for every kind of program.
func (c *checker) cidSet(number int, d cos.Dict, program *trueType) {
	set, ok := c.file.Resolve(c.file.Dict(d["FontDescriptor"])["CIDSet"]).(*cos.Stream)
	if !ok || !subsetName.MatchString(c.name(d["BaseFont"])) {
		return
	}
	bits, err := c.file.Decode(set)
	if err != nil || program == nil || c.name(d["CIDToGIDMap"]) != "Identity" {
		c.report("CIDSET", "font %d has a CIDSet, which is not checked", number)
		return
	}
	for gid := 1; gid < max(program.glyphs, 8*len(bits)); gid++ {
		in := gid/8 < len(bits) && bits[gid/8]>>(7-gid%8)&1 == 1
		if in != (gid < program.glyphs) {
			c.report("6.2.11.4.2-2", "the CIDSet and the program of font %d do not have the same glyphs: %d", number, gid)
			return
		}
	}
}

// maxWidths bounds the widths of glyphs that are read of all fonts together: many fonts may name one long array.
const maxWidths = 1 << 20

// cidWidths returns the widths that a CIDFont gives its glyphs, and that of the others. Once maxWidths were read, it returns nil.
func (c *checker) cidWidths(d cos.Dict) (widths map[int]float64, otherwise float64) {
	widths, otherwise = map[int]float64{}, 1000
	if d["DW"] != nil {
		otherwise = c.number(d["DW"])
	}
	for cid, width := range c.file.GlyphWidths(c.file.Array(d["W"])) {
		if c.widthsRead++; c.widthsRead > maxWidths {
			return nil, otherwise
		}
		widths[cid] = c.number(width)
	}
	return widths, otherwise
}
