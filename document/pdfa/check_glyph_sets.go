package pdfa

import (
	"maps"
	"slices"
	"strings"

	"platen.dev/document/pdfa/cos"
)

// charSet checks that the set of a subset's glyphs names those of its program (6.2.11.4.2-1).
func (c *checker) charSet(f *fontGlyphs) {
	text, ok := c.file.Resolve(c.file.Dict(f.dict["FontDescriptor"])["CharSet"]).(cos.String)
	if !ok || f.outlines == nil || f.outlines.names == nil || strings.Contains(string(text), "#") || !subsetName.MatchString(c.name(f.dict["BaseFont"])) {
		return
	}
	listed := map[string]bool{}
	for name := range strings.SplitSeq(string(text), "/") {
		listed[strings.TrimRight(name, " \t\r\n\x00")] = true
	}
	delete(listed, "")
	delete(listed, notdef)
	same := len(listed) == len(f.outlines.names)
	for name := range listed {
		_, present := f.outlines.names[name]
		same = same && present
	}
	c.reportIf(!same, "6.2.11.4.2-1", "the CharSet and the program of font %d do not have the same glyphs", f.number)
}

// cidSet checks that the set of a subset's glyphs has those of its program (6.2.11.4.2-2). It is not known for every kind of program.
func (c *checker) cidSet(number int, f *fontGlyphs, d cos.Dict) {
	set, ok := c.file.Resolve(c.file.Dict(d["FontDescriptor"])["CIDSet"]).(*cos.Stream)
	if !ok || !subsetName.MatchString(c.name(d["BaseFont"])) {
		return
	}
	bits, err := c.file.Decode(set)
	least, most := f.cids()
	if err != nil || most == nil {
		c.report("CIDSET", "font %d has a CIDSet, which is not checked", number)
		return
	}
	in := func(cid int) bool { return cid/8 < len(bits) && bits[cid/8]>>(7-cid%8)&1 == 1 }
	for cid := 1; cid < 8*len(bits); cid++ {
		if in(cid) && !most(cid) {
			c.report("6.2.11.4.2-2", "the CIDSet of font %d has a glyph that its program lacks: %d", number, cid)
			return
		}
	}
	for _, cid := range least {
		if cid != 0 && !in(cid) {
			c.report("6.2.11.4.2-2", "the CIDSet of font %d lacks a glyph of its program: %d", number, cid)
			return
		}
	}
}

// cids returns the CIDs that a CIDSet must have, and those that it may have, nil if they are not known. A CID that a CIDToGIDMap maps to .notdef counts,
// but a glyph without an advance of its own need not be in the set: veraPDF has it so.
func (f *fontGlyphs) cids() (least []int, most func(cid int) bool) {
	switch t := f.trueType; {
	case t != nil && f.toGID != nil:
		most = func(cid int) bool { return 2*cid+1 < len(f.toGID) && f.gid(cid) < t.glyphs }
		for cid := range len(f.toGID) / 2 {
			if most(cid) {
				least = append(least, cid)
			}
		}
	case t != nil:
		most = func(cid int) bool { return cid < t.glyphs }
		for cid := range min(t.measured, t.glyphs) {
			least = append(least, cid)
		}
	case f.outlines != nil && f.outlines.cids != nil:
		most = func(cid int) bool { return f.outlines.cids[cid] > 0 }
		least = slices.Sorted(maps.Keys(f.outlines.cids))
	}
	return least, most
}
