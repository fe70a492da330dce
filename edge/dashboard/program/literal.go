package program

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// language describes how to write JSON values as literals of a language.
type language struct {
	indent            string
	open, close, pair string // of objects, and between name and value
	yes, no, none     string
	// special lists the characters with a meaning inside a string; code escapes them and invisible characters.
	special string
	code    func(r rune) string
	// name writes a member's name, if it is not written like any string. object returns the prefix of an object, if any. Both may be nil.
	name   func(text string) (literal string, ok bool)
	object func(object) string
}

var python3 = language{
	indent: "    ", open: "{", close: "}", pair: ": ", yes: "True", no: "False", none: "None",
	code: func(r rune) string { return fmt.Sprintf(`\U%08x`, r) },
}

var ecmascript = language{
	indent: "  ", open: "{", close: "}", pair: ": ", yes: "true", no: "false", none: "null",
	code: func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) },
	name: func(text string) (string, bool) {
		return `["__proto__"]`, text == "__proto__" // a plain one would set the prototype
	},
}

var php8 = language{
	indent: "    ", open: "[", close: "]", pair: " => ", yes: "true", no: "false", none: "null",
	special: "$", code: func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) },
	object: func(o object) string {
		if likeList(o) {
			return "(object) "
		}
		return ""
	},
}

// likeList reports whether PHP would encode an array with these keys as a list: PHP turns numeric names into numbers, and an array
// that is empty or has keys counting from 0 is a list. Only these are cast, since a PHP object hides names that begin with NUL.
func likeList(o object) bool {
	seen := map[string]bool{}
	for _, m := range o {
		if !seen[m.name] && m.name != strconv.Itoa(len(seen)) {
			return false
		}
		seen[m.name] = true
	}
	return true
}

func (l language) write(value any) string {
	var b strings.Builder
	l.append(&b, value, "")
	return b.String()
}

func (l language) append(b *strings.Builder, value any, indent string) {
	switch v := value.(type) {
	case nil:
		b.WriteString(l.none)
	case bool:
		b.WriteString(map[bool]string{true: l.yes, false: l.no}[v])
	case json.Number:
		b.WriteString(v.String())
	case string:
		l.quote(b, v)
	case []any:
		l.list(b, v, indent)
	case object:
		l.members(b, v, indent)
	}
}

func (l language) list(b *strings.Builder, all []any, indent string) {
	l.lines(b, "[", "]", indent, len(all), func(i int) { l.append(b, all[i], indent+l.indent) })
}

func (l language) members(b *strings.Builder, o object, indent string) {
	if l.object != nil {
		b.WriteString(l.object(o))
	}
	l.lines(b, l.open, l.close, indent, len(o), func(i int) {
		l.memberName(b, o[i].name)
		b.WriteString(l.pair)
		l.append(b, o[i].value, indent+l.indent)
	})
}

func (l language) memberName(b *strings.Builder, text string) {
	if l.name != nil {
		if literal, ok := l.name(text); ok {
			b.WriteString(literal)
			return
		}
	}
	l.quote(b, text)
}

// lines writes n things in brackets, each on a line.
func (l language) lines(b *strings.Builder, open, shut, indent string, n int, write func(i int)) {
	b.WriteString(open)
	for i := range n {
		b.WriteString("\n" + indent + l.indent)
		write(i)
		b.WriteByte(',')
	}
	if n > 0 {
		b.WriteString("\n" + indent)
	}
	b.WriteString(shut)
}

// short are the escapes that all the languages have.
var short = map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`, '"': `\"`, '\\': `\\`}

// visible escapes the characters of JSON that are invisible or not allowed in source code. Line ends between values stay.
func visible(body []byte) string {
	var b strings.Builder
	for _, r := range string(body) {
		switch {
		case r < ' ' || !unseen(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// unseen reports whether a character cannot be seen in a source, or ends a line of it.
func unseen(r rune) bool {
	return r < ' ' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

func (l language) quote(b *strings.Builder, text string) {
	b.WriteByte('"')
	for _, r := range text {
		switch s, known := short[r]; {
		case known:
			b.WriteString(s)
		case unseen(r) || strings.ContainsRune(l.special, r):
			b.WriteString(l.code(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
