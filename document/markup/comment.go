package markup

import (
	"fmt"
	"strings"
)

// commentOrInstruction skips a comment or a processing instruction, if there is one.
func (r *Reader) commentOrInstruction() (skipped bool, fault *Fault) {
	switch {
	case r.hasPrefix("<!--"):
		return true, r.comment()
	case r.hasPrefix("<?"):
		return true, r.instruction()
	}
	return false, nil
}

func (r *Reader) comment() *Fault {
	end := strings.Index(r.text[r.pos+4:], "--")
	if end < 0 {
		return r.fault("an unterminated comment", "\"-->\"")
	}
	r.pos += 4 + end
	if !r.accept("-->") {
		return r.fault("\"--\" inside a comment", "\"-->\", or no two hyphens in a row")
	}
	return nil
}

func (r *Reader) instruction() *Fault {
	start := r.pos
	r.pos += 2
	target := r.readName()
	switch {
	case target == "":
		return r.faultAt(start, r.quoteNext(), "the name of a processing instruction")
	case strings.EqualFold(target, "xml"):
		return r.faultAt(start, "an XML declaration", "one only at the very start of the document")
	case strings.Contains(target, ":"):
		return r.faultAt(start, fmt.Sprintf("processing instruction %q", Excerpt(target)), "a name without a colon")
	case r.accept("?>"):
		return nil
	case !r.skipSpace():
		return r.fault(r.quoteNext(), "white space after the name of the processing instruction")
	}
	end := strings.Index(r.text[r.pos:], "?>")
	if end < 0 {
		return r.faultAt(start, "an unterminated processing instruction", "\"?>\"")
	}
	r.pos += end + 2
	return nil
}
