package pdfa

import "platen.dev/document/pdfa/cos"

// simpleWidths returns the widths that a simple font gives its codes, nil if it has another number of them than of codes (6.2.11.2-6).
func (c *checker) simpleWidths(d, descriptor cos.Dict) func(code int) float64 {
	widths, otherwise := c.file.Array(d["Widths"]), 0.0
	if descriptor["MissingWidth"] != nil {
		otherwise = c.number(descriptor["MissingWidth"])
	}
	first, last := c.file.Int(d["FirstChar"], 0), c.file.Int(d["LastChar"], -1)
	if int64(len(widths)) != last-first+1 {
		return nil
	}
	return func(code int) float64 {
		if at := int64(code) - first; at >= 0 && at < int64(len(widths)) {
			return c.number(widths[at])
		}
		return otherwise
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
