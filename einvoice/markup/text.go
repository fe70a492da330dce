package markup

import (
	"fmt"
	"strconv"
	"strings"
)

// characters reads text up to the next tag. Outside the root element there may be
// white space only, which is no token.
func (r *Reader) characters() (Token, *Fault) {
	start := r.at
	length := strings.IndexByte(r.text[start:], '<')
	if length < 0 {
		length = len(r.text) - start
	}
	raw := r.text[start : start+length]
	if len(r.opens) == 0 {
		if r.space(); r.at < start+length {
			return Token{}, r.fault(r.here(), "no text outside the root element")
		}
		return Token{}, nil
	}
	if i := strings.Index(raw, "]]>"); i >= 0 {
		return Token{}, r.faultAt(start+i, "\"]]>\" in text", "]]&gt;")
	}
	r.at = start + length
	text, fault := r.references(raw, start)
	return Token{Kind: Text, Offset: start, Text: text}, fault
}

// cdata reads "<![CDATA[text]]>".
func (r *Reader) cdata() (Token, *Fault) {
	start := r.at
	if len(r.opens) == 0 {
		return Token{}, r.fault("a CDATA section outside the root element", "no text outside the root element")
	}
	text, _, closed := strings.Cut(r.text[start+9:], "]]>")
	if !closed {
		return Token{}, r.fault("a CDATA section without an end", "\"]]>\"")
	}
	r.at = start + 9 + len(text) + 3
	return Token{Kind: Text, Offset: start, Text: text, CData: true}, nil
}

// references puts in what the references of raw, which stands at offset, stand for.
// What comes out is never longer than what went in.
func (r *Reader) references(raw string, offset int) (string, *Fault) {
	next := strings.IndexByte(raw, '&')
	if next < 0 {
		return raw, nil
	}
	var b strings.Builder
	b.Grow(len(raw))
	done := 0
	for next >= 0 {
		at := done + next
		b.WriteString(raw[done:at])
		end := strings.IndexByte(raw[at:min(len(raw), at+64)], ';')
		if end < 0 {
			return "", r.faultAt(offset+at, "\"&\" that starts no reference", "&amp; for a plain \"&\"")
		}
		name := raw[at+1 : at+end]
		value, ok := reference(name)
		if !ok {
			return "", r.faultAt(offset+at, fmt.Sprintf("reference &%s;", Short(name)), "&amp; &lt; &gt; &quot; &apos; or the number of a character that XML allows, as in &#8364;")
		}
		b.WriteString(value)
		done = at + end + 1
		next = strings.IndexByte(raw[done:], '&')
	}
	b.WriteString(raw[done:])
	return b.String(), nil
}

// reference resolves one of XML's five entities, or a character's number.
func reference(name string) (string, bool) {
	switch name {
	case "amp":
		return "&", true
	case "lt":
		return "<", true
	case "gt":
		return ">", true
	case "quot":
		return "\"", true
	case "apos":
		return "'", true
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, base = hex, 16
	}
	if len(digits) == len(name) || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return "", false
	}
	number, err := strconv.ParseUint(digits, base, 32)
	if err != nil || number > 0x10FFFF || !isCharacter(rune(number)) {
		return "", false
	}
	return string(rune(number)), true
}
