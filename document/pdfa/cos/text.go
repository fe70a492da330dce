package cos

import (
	"bytes"
	"unicode/utf16"
)

// Text decodes a text string (7.9.2.2); it is "" for any other value. It reads PDFDocEncoding as ISO-8859-1, from
// which it differs in few characters.
func Text(value any) string {
	s, ok := value.(String)
	if !ok {
		return ""
	}
	b := []byte(s)
	switch {
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		units := make([]uint16, 0, len(b)/2)
		for b = b[2:]; len(b) > 1; b = b[2:] {
			units = append(units, uint16(b[0])<<8|uint16(b[1]))
		}
		return string(utf16.Decode(units))
	case bytes.HasPrefix(b, []byte("\ufeff")):
		return string(b[3:])
	}
	runes := make([]rune, len(b))
	for n, c := range b {
		runes[n] = rune(c)
	}
	return string(runes)
}
