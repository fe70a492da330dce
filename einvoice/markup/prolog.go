package markup

import (
	"fmt"
	"strings"
)

// declaration reads "<?xml ...?>" at the document's start, if it is there.
func (r *Reader) declaration() *Fault {
	if len(r.text) < 6 || !r.starts("<?xml") || !isSpace(r.text[5]) {
		return nil
	}
	r.at += 5
	version, fault := r.pseudo("version", true)
	if fault != nil {
		return fault
	}
	if !strings.HasPrefix(version, "1.") || strings.Trim(version[2:], "0123456789") != "" {
		return r.fault(fmt.Sprintf("XML version %q", Short(version)), "1.0")
	}
	encoding, fault := r.pseudo("encoding", false)
	if fault == nil && encoding != "" && !isEncodingName(encoding) {
		fault = r.fault(fmt.Sprintf("encoding %q", Short(encoding)), "the name of an encoding, as in UTF-8")
	}
	if fault != nil {
		return fault
	}
	standalone, fault := r.pseudo("standalone", false)
	if fault == nil && standalone != "" && standalone != "yes" && standalone != "no" {
		fault = r.fault(fmt.Sprintf("standalone %q", Short(standalone)), "yes or no")
	}
	if fault != nil {
		return fault
	}
	if r.space(); !r.take("?>") {
		return r.fault(r.here(), "version, encoding and standalone in this order, and then \"?>\"")
	}
	return nil
}

// pseudo reads one item of the declaration; it is empty if it is not there.
func (r *Reader) pseudo(name string, required bool) (string, *Fault) {
	start := r.at
	spaced := r.space()
	if !r.take(name) {
		if required {
			return "", r.fault(r.here(), name+" in the XML declaration")
		}
		r.at = start
		return "", nil
	}
	if !spaced {
		r.at = start
		return "", r.fault(r.here(), "white space before "+name)
	}
	r.space()
	if !r.take("=") {
		return "", r.fault(r.here(), "\"=\" after "+name)
	}
	r.space()
	if r.at < len(r.text) && (r.text[r.at] == '"' || r.text[r.at] == '\'') {
		value, _, closed := strings.Cut(r.text[r.at+1:], r.text[r.at:r.at+1])
		if closed && value != "" && !strings.ContainsAny(value, "<>\n") {
			r.at += len(value) + 2
			return value, nil
		}
	}
	return "", r.fault(r.here(), "a value in quotes for "+name)
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

// aside skips a comment or a processing instruction.
func (r *Reader) aside() (skipped bool, fault *Fault) {
	switch {
	case r.starts("<!--"):
		return true, r.comment()
	case r.starts("<?"):
		return true, r.instruction()
	}
	return false, nil
}

func (r *Reader) comment() *Fault {
	end := strings.Index(r.text[r.at+4:], "--")
	if end < 0 {
		return r.fault("a comment without an end", "\"-->\"")
	}
	r.at += 4 + end
	if !r.take("-->") {
		return r.fault("\"--\" inside a comment", "\"-->\", or no two hyphens in a row")
	}
	return nil
}

func (r *Reader) instruction() *Fault {
	start := r.at
	r.at += 2
	target := r.name()
	switch {
	case target == "":
		return r.faultAt(start, r.here(), "the name of a processing instruction")
	case strings.EqualFold(target, "xml"):
		return r.faultAt(start, "an XML declaration", "it at the very start of the document only")
	case strings.Contains(target, ":"):
		return r.faultAt(start, fmt.Sprintf("processing instruction %q", Short(target)), "a name without a colon")
	case r.take("?>"):
		return nil
	case !r.space():
		return r.fault(r.here(), "white space after the name of the processing instruction")
	}
	end := strings.Index(r.text[r.at:], "?>")
	if end < 0 {
		return r.faultAt(start, "a processing instruction without an end", "\"?>\"")
	}
	r.at += end + 2
	return nil
}
