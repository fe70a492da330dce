package match

import (
	"strings"
	"unicode"

	"platen.dev/document/pagetext"
)

// inOrder are the scripts whose letters are drawn one after the other, in the order of the text. Those of India, Burma and Cambodia
// draw some letters before or around others, so that the text cannot be recovered from a page.
var inOrder = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Ethiopic, unicode.Cherokee,
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Common, unicode.Inherited,
}

// legible reports whether a text can be read back from a page: its letters are drawn in order, in one direction, and in one piece.
func legible(text string) bool {
	if ascii(text) {
		return !strings.Contains(text, "\t")
	}
	right, left := false, false
	for _, r := range text {
		switch {
		case r == '\t':
			return false
		case pagetext.FromRight(string(r)):
			right = true
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		case !unicode.In(r, inOrder...):
			return false
		default:
			left = true
		}
	}
	return !right || !left
}
