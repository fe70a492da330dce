package blocks

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

//go:embed words.txt
var wordsTable string

// words are the page's own words, which do not come from the invoice.
type words map[string]string

// languages are those for which the page has words, English first; wordsByLanguage maps the English words to theirs.
var languages, wordsByLanguage = readWords(wordsTable)

func readWords(table string) (languages []string, all map[string]words) {
	all = map[string]words{}
	for line := range strings.Lines(table) {
		row := strings.Split(strings.TrimSpace(line), " | ")
		switch {
		case len(row) == 1: // empty, or a comment
		case languages == nil:
			languages = row
			for _, name := range languages {
				all[name] = words{}
			}
		default:
			for i, name := range languages {
				all[name][row[0]] = row[i]
			}
		}
	}
	return languages, all
}

// Languages returns the languages for which the page has its own words; templates of other locales show English ones.
func Languages() []string { return slices.Clone(languages) }

// wordsOf are the words in the language of a locale.
func wordsOf(tag string) words {
	base, _ := language.Make(tag).Base()
	if own, known := wordsByLanguage[base.String()]; known {
		return own
	}
	return wordsByLanguage[languages[0]]
}

// Word is an English word of the table in the language of the page.
func (w words) Word(english string) string { return w[english] }
