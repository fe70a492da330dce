package cos

import "iter"

// maxCID is the largest number of a glyph in a CIDFont.
const maxCID = 1<<16 - 1

// GlyphWidths yields the widths in the array W of a CIDFont, by the numbers of the glyphs (ISO 32000-1, 9.7.4.3). A short array may yield any number of
// widths, of one glyph several times: callers bound how many they read.
func (f *File) GlyphWidths(w Array) iter.Seq2[int, any] {
	return func(yield func(int, any) bool) {
		for len(w) > 1 {
			first := int(f.Int(w[0], 0))
			if each := f.Array(w[1]); each != nil {
				for n, width := range each {
					if !yield(first+n, width) {
						return
					}
				}
				w = w[2:]
				continue
			}
			if len(w) < 3 {
				return
			}
			last := min(int(f.Int(w[1], 0)), maxCID)
			for cid := first; cid <= last; cid++ {
				if !yield(cid, w[2]) {
					return
				}
			}
			w = w[3:]
		}
	}
}
