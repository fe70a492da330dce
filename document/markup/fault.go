package markup

import (
	"strings"
	"unicode/utf8"
)

// Fault is the reason why a document is not well-formed. Offset is the byte of the
// decoded text at which reading stopped.
type Fault struct {
	Offset          int
	Found, Expected string
}

// Position converts an offset to a line and a column, both counted from one. The column
// counts characters.
func Position(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// Excerpt makes input safe to quote in a message: it leaves out the middle of a text of more
// than 200 characters, because the end often decides (a version, the last part of a URN), and
// replaces characters that control a terminal or the direction of text.
func Excerpt(s string) string {
	const limit, tail = 200, 80
	if n := utf8.RuneCountInString(s); n > limit {
		runes := []rune(s)
		s = string(runes[:limit-tail-1]) + "…" + string(runes[n-tail:])
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7F && r < 0xA0 || r >= 0x2028 && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, s)
}
