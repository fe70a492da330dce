package blocks

import (
	"html/template"
	"strings"
	"unicode/utf8"
)

// whole is a text as HTML in which numbers, dates and codes are kept in one line as long as they fit: browsers would break
// 2026/16-KD after the slash and after the hyphen.
func whole(text string) template.HTML {
	if !strings.ContainsAny(text, breakers) {
		return template.HTML(template.HTMLEscapeString(text))
	}
	var b strings.Builder
	for text != "" {
		end := strings.IndexFunc(text, breaksLine)
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		if code := strings.TrimRightFunc(word, fromRight); isCode(code) {
			b.WriteString(`<span class="` + direction(code) + `">` + template.HTMLEscapeString(code) + `</span>`)
			word = word[len(code):]
		}
		b.WriteString(template.HTMLEscapeString(word))
		if text = text[end:]; text != "" {
			b.WriteByte(text[0]) // a space, which is one byte
			text = text[1:]
		}
	}
	return template.HTML(b.String())
}

// breakers are characters after which browsers break a line inside a word.
const breakers = "-‐–—/\\?!&|"

// direction returns the CSS class of a code. One with right-to-left marks, such as the dates of some locales, is shown from right to left.
func direction(code string) string {
	if strings.ContainsAny(code, "\u061c\u200f") {
		return "w r"
	}
	return "w"
}

// fromRight reports whether a character is of a right-to-left script.
func fromRight(r rune) bool { return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFEFC }

// isCode reports whether a word has digits and would be broken inside. Text in scripts without spaces is not a single
// word, and very long words must break anyway.
func isCode(word string) bool {
	const longest = 200
	return strings.ContainsAny(word, "0123456789") && strings.ContainsAny(word, breakers) && utf8.RuneCountInString(word) <= longest &&
		!strings.ContainsFunc(word, func(r rune) bool { return r >= 0x2E80 || fromRight(r) })
}
