package schema

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// number reads a number, as it is written.
func (p *parser) number() (any, bool) {
	start := p.at
	p.accept('-')
	if !p.accept('0') && !p.digits() {
		return nil, p.refuse()
	}
	if p.accept('.') && !p.digits() {
		return nil, p.refuse()
	}
	if p.accept('e') || p.accept('E') {
		_ = p.accept('+') || p.accept('-')
		if !p.digits() {
			return nil, p.refuse()
		}
	}
	return json.Number(p.text[start:p.at]), true
}

// digits reads digits; false for none.
func (p *parser) digits() bool {
	start := p.at
	for isDigit(p.peek()) {
		p.at++
	}
	return p.at > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// string reads a string.
func (p *parser) string() (string, bool) {
	p.at++ // the quote
	start := p.at
	p.at += plainLength(p.text[p.at:])
	if p.peek() == '"' { // it has no escapes
		text := string(p.text[start:p.at])
		p.at++
		return text, true
	}
	var text strings.Builder
	p.copyTo(&text, start)
	return p.escapedString(&text)
}

// escapedString reads the rest of a string to the end of text.
func (p *parser) escapedString(text *strings.Builder) (string, bool) {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '\\':
			if !p.escape(text) {
				return "", false
			}
		case c == '"':
			p.at++
			return text.String(), true
		case c < ' ':
			return "", p.refuse()
		default:
			start := p.at
			p.at += plainLength(p.text[p.at:])
			p.copyTo(text, start)
		}
	}
	return "", p.refuse()
}

// copyTo copies what was read from start on.
func (p *parser) copyTo(text *strings.Builder, start int) {
	p.reserve(text, p.at-start)
	text.Write(p.text[start:p.at])
}

// reserve makes room for so many bytes. The text grows by as much as it may yet need, but no more than fourfold:
// a long one is seldom copied, and many short ones do not each take the room of the whole body.
func (p *parser) reserve(text *strings.Builder, bytes int) {
	if text.Cap()-text.Len() < bytes {
		text.Grow(max(bytes, min(2*text.Cap(), len(p.text)-p.at+bytes)))
	}
}

// plainLength is how many bytes of a text come before a quote, a backslash or a control character.
func plainLength(text []byte) (bytes int) {
	for len(text)-bytes >= 8 && !special(binary.LittleEndian.Uint64(text[bytes:])) {
		bytes += 8
	}
	for bytes < len(text) && text[bytes] >= ' ' && text[bytes] != '"' && text[bytes] != '\\' {
		bytes++
	}
	return bytes
}

// special reports whether one of eight bytes is a quote, a backslash or a control character.
func special(eight uint64) bool {
	const ones = 0x0101010101010101
	below := func(v, bound uint64) uint64 { return (v - ones*bound) &^ v }
	return (below(eight, ' ')|below(eight^ones*'"', 1)|below(eight^ones*'\\', 1))&(ones*0x80) != 0
}

// escaped are the characters that one letter behind a backslash stands for.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads a backslash and what it stands for.
func (p *parser) escape(text *strings.Builder) bool {
	p.at++
	p.reserve(text, utf8.UTFMax)
	c := p.peek()
	switch {
	case escaped[c] != 0:
		text.WriteByte(escaped[c])
		p.at++
		return true
	case c == 'u':
		p.at++
		return p.unicode(text)
	}
	return p.refuse()
}

// unicode reads the four digits of \u, and those of the other half of a character that takes two.
// A half without the other becomes the replacement character.
func (p *parser) unicode(text *strings.Builder) bool {
	r, ok := p.hex()
	if !ok {
		return false
	}
	if utf16.IsSurrogate(r) {
		r = p.pair(r)
	}
	text.WriteRune(r)
	return true
}

func (p *parser) pair(first rune) rune {
	ahead := *p
	if ahead.accept('\\') && ahead.accept('u') {
		if second, ok := ahead.hex(); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				p.at = ahead.at
				return r
			}
		}
	}
	return utf8.RuneError
}

// hex reads four hexadecimal digits.
func (p *parser) hex() (r rune, ok bool) {
	for range 4 {
		digit := hexDigit(p.peek())
		if digit < 0 {
			return 0, p.refuse()
		}
		r = r<<4 | digit
		p.at++
	}
	return r, true
}

// hexDigit is the value of a hexadecimal digit, -1 of what is none.
func hexDigit(c byte) rune {
	switch {
	case isDigit(c):
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}
