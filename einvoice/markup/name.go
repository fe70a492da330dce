package markup

import "unicode/utf8"

// Name is a name with its namespace; Prefix is how the document abbreviates that.
type Name struct {
	Prefix, Local, Space string
}

// name reads a name of XML at the reader's place; it is empty if none is there.
func (r *Reader) name() string {
	start := r.at
	for r.at < len(r.text) {
		c := r.text[r.at]
		if c < utf8.RuneSelf {
			if !nameByte[c] || r.at == start && c <= '9' {
				break
			}
			r.at++
			continue
		}
		char, size := utf8.DecodeRuneInString(r.text[r.at:])
		if !nameStart(char) && (r.at == start || !nameMore(char)) {
			break
		}
		r.at += size
	}
	return r.text[start:r.at]
}

// nameByte are the ASCII characters of names; those up to '9' cannot start one.
var nameByte = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':' || c == '-' || c == '.'
	}
	return set
}()

// nameStart tells the characters beyond ASCII that may start a name.
func nameStart(r rune) bool {
	return r >= 0xC0 && r <= 0x2FF && r != 0xD7 && r != 0xF7 || r >= 0x370 && r <= 0x1FFF && r != 0x37E ||
		r == 0x200C || r == 0x200D || r >= 0x2070 && r <= 0x218F || r >= 0x2C00 && r <= 0x2FEF ||
		r >= 0x3001 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFDCF || r >= 0xFDF0 && r <= 0xFFFD || r >= 0x10000 && r <= 0xEFFFF
}

// nameMore tells those that may stand in a name, but not start it.
func nameMore(r rune) bool {
	return r == 0xB7 || r >= 0x300 && r <= 0x36F || r == 0x203F || r == 0x2040
}

// split takes a name apart at its colon; a second colon, or nothing on a side, is no
// name for namespaces.
func split(name string) (prefix, local string, ok bool) {
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
	return prefix, local, first > '9' && !nameMore(first)
}
