package pdfa

import (
	"encoding/binary"
	"sort"
)

// trueType has of a TrueType program what the rules compare with the font's dictionary.
type trueType struct {
	glyphs   int    // how many glyphs it has
	unit     int    // units of a side of the em square
	advances []byte // the table hmtx
	measured int    // how many glyphs have an advance of their own; the others have that of the last
	cmaps    []byte // the table cmap
	post     bool   // it has names of glyphs
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
		advances: hmtx, measured: int(binary.BigEndian.Uint16(hhea[34:])), cmaps: table(program, "cmap"),
	}
	if post := table(program, "post"); len(post) > 4 {
		t.post = post[1] == 2 // its format
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

// cmap is a table of a TrueType program that maps characters to glyphs.
type cmap []byte

// cmap returns the table for a platform and an encoding, or nil.
func (t *trueType) cmap(platform, encoding int) cmap {
	if len(t.cmaps) < 4 {
		return nil
	}
	for n := range bigEndian(t.cmaps[2:4]) {
		if len(t.cmaps) < 12+8*n {
			return nil
		}
		entry := t.cmaps[4+8*n:][:8]
		if offset := bigEndian(entry[4:]); bigEndian(entry[:2]) == platform && bigEndian(entry[2:4]) == encoding && offset+10 < len(t.cmaps) {
			return cmap(t.cmaps[offset:])
		}
	}
	return nil
}

// u16 returns the number at an offset, -1 if that is beyond the end.
func (m cmap) u16(at int) int {
	if at < 0 || at+2 > len(m) {
		return -1
	}
	return int(binary.BigEndian.Uint16(m[at:]))
}

// glyph returns the number of the glyph of a character, 0 for none, -1 if the table is cut off, or of an unknown format.
func (m cmap) glyph(character int) int {
	switch m.u16(0) {
	case 0:
		if character < 256 && 6+character < len(m) {
			return int(m[6+character])
		}
		return 0
	case 4:
		return m.segmentGlyph(character)
	case 6:
		if at := character - m.u16(6); at >= 0 && at < m.u16(8) {
			return m.u16(10 + 2*at)
		}
		return 0
	}
	return -1
}

func (m cmap) segmentGlyph(character int) int {
	segments := m.u16(6) / 2
	ends, starts, deltas, offsets := 14, 16+2*segments, 16+4*segments, 16+6*segments
	if len(m) < offsets+2*segments {
		return -1
	}
	n := sort.Search(segments, func(n int) bool { return m.u16(ends+2*n) >= character })
	if n == segments || m.u16(starts+2*n) > character {
		return 0
	}
	gid := character
	if offset := m.u16(offsets + 2*n); offset != 0 {
		if gid = m.u16(offsets + 2*n + offset + 2*(character-m.u16(starts+2*n))); gid <= 0 {
			return gid
		}
	}
	return (gid + m.u16(deltas+2*n)) & 0xFFFF
}

// first returns the first character of the table, which tells where a symbolic font has its codes.
func (m cmap) first() int {
	switch m.u16(0) {
	case 4:
		return m.u16(16 + m.u16(6))
	case 6:
		return m.u16(6)
	}
	return 0
}

// coded returns the number of the glyph that a symbolic font shows for a code (9.6.6.4), -1 if that is not known.
func (t *trueType) coded(code int) int {
	if symbols := t.cmap(3, 0); symbols != nil {
		switch page := symbols.first() &^ 0xFF; page {
		case 0, 0xF000, 0xF100, 0xF200:
			return symbols.glyph(page | code)
		}
		return -1
	}
	if roman := t.cmap(1, 0); roman != nil {
		return roman.glyph(code)
	}
	return -1
}

// named returns the number of the glyph of a name, -1 if that is not known.
func (t *trueType) named(name string) int {
	character, known := characters[name]
	unicode, roman := t.cmap(3, 1), t.cmap(1, 0)
	if !known || unicode == nil && roman == nil {
		return -1
	}
	gid := 0
	if unicode != nil {
		gid = unicode.glyph(int(character))
	}
	if code, known := macRomanCodes[name]; known && gid == 0 && roman != nil {
		gid = roman.glyph(code)
	}
	if gid == 0 && t.post {
		return -1
	}
	return gid
}
