package markup

import "unicode/utf8"

// Name is a qualified name. Space is the namespace name, which Prefix abbreviates in the
// document.
type Name struct {
	Prefix, Local, Space string
}

// readName reads a Name of XML at the current position, or returns an empty string if
// there is none.
func (r *Reader) readName() string {
	start := r.pos
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		if c < utf8.RuneSelf {
			if !isNameByte[c] || r.pos == start && c <= '9' {
				break
			}
			r.pos++
			continue
		}
		char, size := utf8.DecodeRuneInString(r.text[r.pos:])
		if !isNameStart(char) && (r.pos == start || !isNameExtra(char)) {
			break
		}
		r.pos += size
	}
	return r.text[start:r.pos]
}

// isNameByte are the ASCII characters of names; those up to '9' cannot start a name.
var isNameByte = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':' || c == '-' || c == '.'
	}
	return set
}()

// isNameStart reports whether a character beyond ASCII may start a name.
func isNameStart(r rune) bool {
	return r >= 0xC0 && r <= 0x2FF && r != 0xD7 && r != 0xF7 || r >= 0x370 && r <= 0x1FFF && r != 0x37E ||
		r == 0x200C || r == 0x200D || r >= 0x2070 && r <= 0x218F || r >= 0x2C00 && r <= 0x2FEF ||
		r >= 0x3001 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFDCF || r >= 0xFDF0 && r <= 0xFFFD || r >= 0x10000 && r <= 0xEFFFF
}

// isNameExtra reports whether a character beyond ASCII may be in a name but not start it.
func isNameExtra(r rune) bool {
	return r == 0xB7 || r >= 0x300 && r <= 0x36F || r == 0x203F || r == 0x2040
}

// splitQName splits a name at its colon. A name with a second colon, or with nothing on
// one side, is not a qualified name.
func splitQName(name string) (prefix, local string, ok bool) {
	colon := -1
	for i := range len(name) {
		if name[i] == ':' {
			if colon >= 0 {
				return "", "", false
			}
			colon = i
		}
	}
	if colon < 0 {
		return "", name, true
	}
	prefix, local = name[:colon], name[colon+1:]
	if prefix == "" || local == "" {
		return "", "", false
	}
	first, _ := utf8.DecodeRuneInString(local)
	return prefix, local, first > '9' && !isNameExtra(first)
}
