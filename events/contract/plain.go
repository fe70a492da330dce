package contract

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character acts on its surroundings rather than being shown: a control character (C0, DEL, C1), which a terminal obeys, a
// line or paragraph separator, or one that changes the direction of the text after it. The marks of a single position (LRM, RLM, ALM) change nothing
// after them, and names in Arabic and Hebrew contain them.
func Hidden(r rune) bool {
	switch r {
	case '\u200e', '\u200f', '\u061c':
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// Plain shows untrusted text on one line of a terminal: hidden characters and invalid UTF-8 are escaped as in Go.
func Plain(text string) string { return escape(text, "") }

// PlainLines is Plain for a text with its own lines and columns. It preserves the meaning of JSON.
func PlainLines(text string) string { return escape(text, "\n\t") }

// escape escapes the hidden characters of a text, except those in kept.
func escape(text, kept string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, Hidden) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		b.WriteString(escaped(r, text[:size], kept))
		text = text[size:]
	}
	return b.String()
}

// escaped returns a character as escape writes it; part is its encoding.
func escaped(r rune, part, kept string) string {
	switch {
	case r == utf8.RuneError && len(part) == 1, r < ' ' && !strings.ContainsRune(kept, r):
		return strings.Trim(strconv.QuoteToASCII(part), `"`)
	case r >= ' ' && Hidden(r):
		return fmt.Sprintf(`\u%04x`, r)
	}
	return part
}
