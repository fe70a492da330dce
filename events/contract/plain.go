package contract

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character acts on what is around it rather than being shown: a control character (C0, DEL, C1), which a
// terminal obeys, the end of a line or paragraph, or what turns the writing direction of the text that follows. The marks that tell the
// direction of one place (LRM, RLM, ALM) turn nothing, and names in Arabic and Hebrew have them.
func Hidden(r rune) bool {
	switch r {
	case '\u200e', '\u200f', '\u061c':
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// Plain shows a text of others on one line of a terminal: what is hidden, or is not UTF-8, is escaped as in Go.
func Plain(text string) string { return escape(text, "") }

// PlainLines is Plain for a text that has lines and columns of its own. It leaves the meaning of JSON as it is.
func PlainLines(text string) string { return escape(text, "\n\t") }

// escape escapes the hidden characters of a text but those that are kept.
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

// escaped is a character as escape writes it; part is how it is encoded.
func escaped(r rune, part, kept string) string {
	switch {
	case r == utf8.RuneError && len(part) == 1, r < ' ' && !strings.ContainsRune(kept, r):
		return strings.Trim(strconv.QuoteToASCII(part), `"`)
	case r >= ' ' && Hidden(r):
		return fmt.Sprintf(`\u%04x`, r)
	}
	return part
}
