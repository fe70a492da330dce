package contract

import (
	"strings"
)

// MaxDetail is the longest sentence about a job's outcome, in characters.
const MaxDetail = 500

// Detail returns a sentence fit to be shown: valid text of at most MaxDetail characters, without
// control characters or marks that reverse text direction.
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
