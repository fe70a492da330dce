package contract

import (
	"strings"
)

// MaxDetail is the longest sentence about a job's outcome, in characters.
const MaxDetail = 500

// Detail is a sentence that may be shown: valid text without control characters and without marks
// that turn text around, and at most MaxDetail characters.
func Detail(text string) string {
	text = strings.Map(func(r rune) rune {
		if Hidden(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if runes := []rune(text); len(runes) > MaxDetail {
		return string(runes[:MaxDetail-1]) + "…"
	}
	return text
}
