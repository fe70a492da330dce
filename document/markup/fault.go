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
// replaces characters that control a terminal or the direction of text. It looks at no more of the text than it keeps.
func Excerpt(s string) string {
	const limit, tail = 200, 80
	if start := after(s, limit-tail-1); after(s[start:], tail+1) < len(s)-start {
		end := len(s)
		for range tail {
			_, size := utf8.DecodeLastRuneInString(s[:end])
			end -= size
		}
		s = s[:start] + "…" + s[end:]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7F && r < 0xA0 || r >= 0x2028 && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, s)
}

// after returns the offset behind n characters of a text, or its length.
func after(s string, n int) (offset int) {
	for ; n > 0 && offset < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[offset:])
		offset += size
	}
	return offset
}
