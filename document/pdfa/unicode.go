package pdfa

import (
	"bytes"
	"maps"
	"regexp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// unknownCharacter matches a line of a CMap that gives a glyph a character that is none (7.21.7).
var unknownCharacter = regexp.MustCompile(`(?m)^((?:<[0-9A-Fa-f]+> ?){1,2}) ?<(?:0000|FFFE|FEFF)>$`)

// repairUnicode gives glyphs that stand for no character, such as those of joined letters, the character for what
// is unknown. The browser writes zero; their text is beside them, as ActualText.
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

// eachFont does something with every font.
func (c *conversion) eachFont(do func(types.Dict)) {
	for _, number := range slices.Sorted(maps.Keys(c.Table)) {
		if d, ok := c.object(number).(types.Dict); ok && c.nameOf(d["Type"]) == "Font" {
			do(d)
		}
	}
}
