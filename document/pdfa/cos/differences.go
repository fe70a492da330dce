package cos

import "iter"

// Differences yields the names of glyphs in the array Differences of an encoding, by the codes from 0 to 255 (ISO 32000-1, 9.6.6.1).
func (f *File) Differences(d Array) iter.Seq2[int, Name] {
	return func(yield func(int, Name) bool) {
		code := int64(0)
		for _, entry := range d {
			switch v := f.Resolve(entry).(type) {
			case int64:
				code = v
			case Name:
				if code >= 0 && code <= 255 && !yield(int(code), v) {
					return
				}
				code++
			}
		}
	}
}
