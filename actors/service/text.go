package service

import (
	"strings"
	"unicode/utf8"

	"platen.dev/events/contract"
)

// line trims a text; false if it is then empty, longer than limit bytes, not UTF-8, or more than one line of visible characters.
func line(text string, limit int) (string, bool) {
	text = strings.TrimSpace(text)
	return text, text != "" && len(text) <= limit && utf8.ValidString(text) && !strings.ContainsFunc(text, contract.Hidden)
}

// Clip shortens a text from a browser to at most limit bytes, at a character boundary.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
