package pdfa

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/pdfa/pack"
)

func (c *conversion) repairStream(number int, s types.StreamDict) {
	c.repairDict(s.Dict)
	for key, entry := range s.Dict {
		if key != "DecodeParms" {
			c.repairValue(entry, 1)
		}
	}
	for _, key := range []string{"F", "FFilter", "FDecodeParms"} { // 6.1.7.1-3
		if s.Dict[key] != nil {
			c.fail("stream %d is in another file", number)
		}
	}
	switch c.nameOf(s.Dict["Subtype"]) {
	case "Image":
		for _, key := range []string{"Interpolate", "Alternates", "OPI"} { // 6.2.8
			delete(s.Dict, key)
		}
		if !allowedIntent(c.nameOf(s.Dict["Intent"])) {
			delete(s.Dict, "Intent")
		}
	case "Form":
		for _, key := range []string{"OPI", "PS", "Ref", "Subtype2"} { // 6.2.9
			delete(s.Dict, key)
		}
	case "PS":
		c.fail("stream %d is PostScript", number) // 6.2.9-3
	}
	c.replaceLZW(number, s)
}

// replaceLZW replaces LZWDecode, which PDF/A forbids (6.1.7.2-1), by FlateDecode.
func (c *conversion) replaceLZW(number int, s types.StreamDict) {
	if !slices.ContainsFunc(s.FilterPipeline, func(f types.PDFFilter) bool { return f.Name == filter.LZW }) {
		return
	}
	if err := s.Decode(); err != nil {
		c.fail("stream %d: %v", number, err)
		return
	}
	delete(s.Dict, "DecodeParms")
	s.Dict["Filter"] = types.Name(filter.Flate)
	s.Raw = pack.Deflate(s.Content)
	s.FilterPipeline = []types.PDFFilter{{Name: filter.Flate}}
	c.Table[number].Object = s
}
