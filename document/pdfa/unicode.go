package pdfa

import (
	"bytes"
	"maps"
	"regexp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// unknownCharacter matches a line of a CMap that maps a glyph to an invalid character (7.21.7).
var unknownCharacter = regexp.MustCompile(`(?m)^((?:<[0-9A-Fa-f]+> ?){1,2}) ?<(?:0000|FFFE|FEFF)>$`)

// repairUnicode maps glyphs without a character of their own, such as ligatures, to the replacement character. The
// browser writes zero; the text is beside them, as ActualText.
func (c *conversion) repairUnicode(font types.Dict) {
	ref, ok := font["ToUnicode"].(types.IndirectRef)
	s, isStream := c.value(ref).(types.StreamDict)
	if !ok || !isStream || s.DecodeWithLimit(maxContent) != nil {
		return
	}
	repaired := unknownMapped(s.Content)
	if bytes.Equal(repaired, s.Content) {
		return
	}
	delete(s.Dict, "DecodeParms")
	c.Table[ref.ObjectNumber.Value()].Object = deflatedStream(repaired, s.Dict)
}

func unknownMapped(cmap []byte) []byte { return unknownCharacter.ReplaceAll(cmap, []byte("$1<FFFD>")) }

// eachFont calls do with every font.
func (c *conversion) eachFont(do func(types.Dict)) {
	for _, number := range slices.Sorted(maps.Keys(c.Table)) {
		if d, ok := c.object(number).(types.Dict); ok && c.nameOf(d["Type"]) == "Font" {
			do(d)
		}
	}
}
