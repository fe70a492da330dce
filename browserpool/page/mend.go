package page

import (
	"context"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file mends documents that were made for other programs, before anything is measured.

var (
	// indenting gives room to first lines that hang out of the page.
	//go:embed script/indenting.js
	indenting string
	// transcribing writes what fonts of symbols would show as characters of Unicode.
	//go:embed script/transcribing.js
	transcribing string
)

// hangingLine matches a first line that begins before the others, in sanitised HTML.
var hangingLine = regexp.MustCompile(`(?i)text-indent:\s*-`)

// menders returns the scripts that HTML needs: to run script in a document that needs none takes a few milliseconds. Style sheets of full documents keep room
// for what hangs; our own sheets are not asked.
func menders(html string, full bool) (all []string) {
	content := html
	if !full {
		content = afterSheets(html)
	}
	if !full && mentions(content, "text-indent") && hangingLine.MatchString(content) {
		all = append(all, optional(indenting))
	}
	if namesSymbolFont(content) {
		all = append(all, optional(transcribing))
	}
	return all
}

// mend runs the scripts that a document needs.
func mend(ctx context.Context, p *page, d document) error {
	if len(d.menders) == 0 {
		return nil
	}
	_, err := p.run(ctx, inTurn(d.menders...), nil, nil)
	return err
}

// symbolFonts are the fonts of symbols, in lower case.
var symbolFonts = []string{"wingdings", "symbol"}

// namesSymbolFont reports whether a font of symbols is named, in a style or in <font face>. What is between is looked at only from the names of such fonts,
// and not far: a regular expression takes 100 times as long where a document has many properties.
func namesSymbolFont(html string) bool {
	for _, font := range symbolFonts {
		for at, seen := 0, 0; ; {
			next := indexFold(html[at:], font)
			if next < 0 {
				break
			}
			from := at + next
			at = from + len(font)
			if endsInWord(html[:from]) || beginsWithWord(html[at:]) {
				continue
			}
			if isFontValue(html[:from], seen) {
				return true
			}
			seen = from // what is before is farther from the next name
		}
	}
	return false
}

// isFontValue reports whether a text ends within the value of a property or an attribute that names a font, and which begins after a part that was seen.
func isFontValue(before string, seen int) bool {
	const farthest = 200 // characters
	for range farthest + 1 {
		if len(before) < seen {
			return false
		}
		if endsInFontName(before) {
			return true
		}
		last, size := utf8.DecodeLastRuneInString(before)
		if strings.HasSuffix(before, "&#34;") || strings.HasSuffix(before, "&#39;") {
			size = len("&#34;")
		} else if size == 0 || strings.ContainsRune(";{}<>", last) {
			return false
		}
		before = before[:len(before)-size]
	}
	return false
}

// endsInFontName reports whether a text ends in the name of such a property, and what separates it from its value.
func endsInFontName(text string) bool {
	names := []string(nil)
	switch {
	case strings.HasSuffix(text, ":"):
		names = []string{"font", "font-family"}
	case strings.HasSuffix(text, "="):
		names = []string{"face"}
	default:
		return false
	}
	text = strings.TrimRight(text[:len(text)-1], "\t\n\f\r ")
	return slices.ContainsFunc(names, func(name string) bool {
		start := len(text) - len(name)
		return start >= 0 && strings.EqualFold(text[start:], name) && !endsInWord(text[:start])
	})
}

func endsInWord(text string) bool { return text != "" && isWord(text[len(text)-1]) }

func beginsWithWord(text string) bool { return text != "" && isWord(text[0]) }

// isWord reports whether a byte is one of a word of ASCII.
func isWord(b byte) bool { return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' }
