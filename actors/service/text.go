package service

import (
	"strings"
	"unicode/utf8"

	"platen.dev/events/contract"
)

// line returns a text without spaces around it; false if it is empty, longer than limit bytes, not UTF-8, or more than one line of
// visible characters.
func line(text string, limit int) (string, bool) {
	text = strings.TrimSpace(text)
	return text, text != "" && len(text) <= limit && utf8.ValidString(text) && !strings.ContainsFunc(text, contract.Hidden)
}

// Clip shortens a text that a browser sent to limit bytes, at the end of a character.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
