package markup

import (
	"fmt"
	"strings"
)

// xmlDeclaration reads "<?xml …?>" at the start of the document, if it is present.
func (r *Reader) xmlDeclaration() *Fault {
	if len(r.text) < 6 || !r.hasPrefix("<?xml") || !isSpace(r.text[5]) {
		return nil
	}
	r.pos += 5
	version, fault := r.pseudoAttribute("version", true)
	if fault != nil {
		return fault
	}
	if !strings.HasPrefix(version, "1.") || strings.Trim(version[2:], "0123456789") != "" {
		return r.fault(fmt.Sprintf("XML version %q", Excerpt(version)), "1.0")
	}
	r.version = version
	encoding, fault := r.pseudoAttribute("encoding", false)
	if fault == nil && encoding != "" && !isEncodingName(encoding) {
		fault = r.fault(fmt.Sprintf("encoding %q", Excerpt(encoding)), "the name of an encoding, such as UTF-8")
	}
	if fault != nil {
		return fault
	}
	standalone, fault := r.pseudoAttribute("standalone", false)
	if fault == nil && standalone != "" && standalone != "yes" && standalone != "no" {
		fault = r.fault(fmt.Sprintf("standalone %q", Excerpt(standalone)), "yes or no")
	}
	if fault != nil {
		return fault
	}
	if r.skipSpace(); !r.accept("?>") {
		return r.fault(r.quoteNext(), "version, encoding and standalone in this order, then \"?>\"")
	}
	return nil
}

// pseudoAttribute reads the value of version, encoding or standalone, which is empty if it
// is missing.
func (r *Reader) pseudoAttribute(name string, required bool) (string, *Fault) {
	start := r.pos
	spaced := r.skipSpace()
	if !r.accept(name) {
		if required {
			return "", r.fault(r.quoteNext(), name+" in the XML declaration")
		}
		r.pos = start
		return "", nil
	}
	if !spaced {
		r.pos = start
		return "", r.fault(r.quoteNext(), "white space before "+name)
	}
	r.skipSpace()
	if !r.accept("=") {
		return "", r.fault(r.quoteNext(), "\"=\" after "+name)
	}
	r.skipSpace()
	if r.pos < len(r.text) && (r.text[r.pos] == '"' || r.text[r.pos] == '\'') {
		value, _, closed := strings.Cut(r.text[r.pos+1:], r.text[r.pos:r.pos+1])
		if closed && value != "" && !strings.ContainsAny(value, "<>\n") {
			r.pos += len(value) + 2
			return value, nil
		}
	}
	return "", r.fault(r.quoteNext(), "a value in quotes for "+name)
}

func isEncodingName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || s[i] != '-' && s[i] != '_' && s[i] != '.' && (s[i] < '0' || s[i] > '9')) {
			return false
		}
	}
	return true
}
