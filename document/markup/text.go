package markup

import (
	"fmt"
	"strconv"
	"strings"
)

// characters reads text up to the next tag. Outside the root element only white space is
// allowed, which gives no token.
func (r *Reader) characters() (Token, *Fault) {
	start := r.pos
	length := strings.IndexByte(r.text[start:], '<')
	if length < 0 {
		length = len(r.text) - start
	}
	raw := r.text[start : start+length]
	if len(r.stack) == 0 {
		if r.skipSpace(); r.pos < start+length {
			return Token{}, r.fault(r.quoteNext(), "no text outside the root element")
		}
		return Token{}, nil
	}
	if i := strings.Index(raw, "]]>"); i >= 0 {
		return Token{}, r.faultAt(start+i, "\"]]>\" in text", "]]&gt;")
	}
	r.pos = start + length
	text, fault := r.expandReferences(raw, start)
	return Token{Kind: Text, Offset: start, Text: text}, fault
}

// cdata reads "<![CDATA[text]]>".
func (r *Reader) cdata() (Token, *Fault) {
	start := r.pos
	if len(r.stack) == 0 {
		return Token{}, r.fault("a CDATA section outside the root element", "no text outside the root element")
	}
	text, _, closed := strings.Cut(r.text[start+9:], "]]>")
	if !closed {
		return Token{}, r.fault("an unterminated CDATA section", "\"]]>\"")
	}
	r.pos = start + 9 + len(text) + 3
	return Token{Kind: Text, Offset: start, Text: text, CData: true}, nil
}

// expandReferences replaces the entity and character references in raw, which starts at
// offset. The result is never longer than raw.
func (r *Reader) expandReferences(raw string, offset int) (string, *Fault) {
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
			return "", r.faultAt(offset+at, "\"&\" that does not start a reference", "&amp; for a literal \"&\"")
		}
		name := raw[at+1 : at+end]
		value, ok := resolveReference(name)
		if !ok {
			return "", r.faultAt(offset+at, fmt.Sprintf("reference &%s;", Excerpt(name)), "&amp; &lt; &gt; &quot; &apos; or a numeric reference to a character that XML allows, such as &#8364;")
		}
		b.WriteString(value)
		done = at + end + 1
		next = strings.IndexByte(raw[done:], '&')
	}
	b.WriteString(raw[done:])
	return b.String(), nil
}

// resolveReference resolves one of the five predefined entities or a character reference.
func resolveReference(name string) (string, bool) {
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
