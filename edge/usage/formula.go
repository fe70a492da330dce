package usage

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// formulas are the characters with which formulas begin, half or full width.
const formulas = "=+-@＝＋－＠"

// part matches a text up to the next character at which a spreadsheet may split it, for any separator.
var part = regexp.MustCompile(`[^,;|\t\r\n]*[,;|\t\r\n]?`)

// guarded keeps spreadsheets from taking a text, or a part of it, for a formula: an apostrophe before it makes it a text. What begins with
// an apostrophe gets another, so that readers can undo it.
func guarded(text string) string {
	return part.ReplaceAllStringFunc(text, func(part string) string {
		at := begins(part)
		if strings.HasPrefix(part, "'") || strings.HasPrefix(part, "\t") || strings.HasPrefix(part, "\r") || at < len(part) && formula(part[at:]) {
			return "'" + part
		}
		return part
	})
}

// guardedJSON is guarded for JSON, whose meaning stays.
func guardedJSON(text string) string {
	return part.ReplaceAllStringFunc(text, func(part string) string {
		at := begins(part)
		if at == len(part) || !formula(part[at:]) {
			return part
		}
		sign, size := utf8.DecodeRuneInString(part[at:])
		return part[:at] + fmt.Sprintf(`\u%04x`, sign) + part[at+size:]
	})
}

// begins returns where a part begins for a spreadsheet that trims it: behind spaces, quotes and what has no width.
func begins(part string) int {
	at := strings.IndexFunc(part, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf) && !strings.ContainsRune(`"'`, r)
	})
	if at < 0 {
		return len(part)
	}
	return at
}

func formula(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune(formulas, first)
}
