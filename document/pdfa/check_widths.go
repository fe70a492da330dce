package pdfa

import "platen.dev/document/pdfa/cos"

// simpleWidths returns the widths that a simple font gives its codes, nil if it has another number of them than of codes (6.2.11.2-6).
func (r *fontReader) simpleWidths(d, descriptor cos.Dict) func(code int) float64 {
	widths, otherwise := r.file.Array(d["Widths"]), 0.0
	if descriptor["MissingWidth"] != nil {
		otherwise = r.number(descriptor["MissingWidth"])
	}
	first, last := r.file.Int(d["FirstChar"], 0), r.file.Int(d["LastChar"], -1)
	if int64(len(widths)) != last-first+1 {
		return nil
	}
	return func(code int) float64 {
		if at := int64(code) - first; at >= 0 && at < int64(len(widths)) {
			return r.number(widths[at])
		}
		return otherwise
	}
}

// maxWidths bounds the widths of glyphs that are read of all fonts together: many fonts may name one long array.
const maxWidths = 1 << 20

// cidWidths returns the widths that a CIDFont gives its glyphs, and that of the others. Once maxWidths were read, it returns nil.
func (r *fontReader) cidWidths(d cos.Dict) (widths map[int]float64, otherwise float64) {
	widths, otherwise = map[int]float64{}, 1000
	if d["DW"] != nil {
		otherwise = r.number(d["DW"])
	}
	for cid, width := range r.file.GlyphWidths(r.file.Array(d["W"])) {
		if r.widthsRead++; r.widthsRead > maxWidths {
			return nil, otherwise
		}
		widths[cid] = r.number(width)
	}
	return widths, otherwise
}
