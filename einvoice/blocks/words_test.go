package blocks

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every word has a translation, and the table contains exactly the words of the page.
func TestWords(t *testing.T) {
	if want := []string{"en", "de", "fr", "es", "it", "nl", "pl", "pt"}; !slices.Equal(Languages(), want) {
		t.Errorf("the languages are %v", Languages())
	}
	used := map[string]bool{}
	for _, labels := range defaultLabels {
		for _, text := range labels {
			used[text] = true
		}
	}
	for _, title := range titles {
		used[title] = true
	}
	for _, category := range vatCategories {
		used[category] = true
	}
	sources, err := filepath.Glob("*.[gh][ot]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range regexp.MustCompile(`\.Word[( ]"([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
			used[call[1]] = true
		}
	}
	for _, symbol := range unitSymbols {
		if _, own := wordsByLanguage["en"][symbol]; own || strings.Contains(symbol, "/") { // others are the same in all languages
			used[symbol] = true
		}
	}
	for _, names := range terms {
		for name := range strings.SplitSeq(names, " | ") {
			used[name] = names != ""
		}
	}
	delete(used, "")
	english := slices.Sorted(maps.Keys(wordsByLanguage["en"]))
	if want := slices.Sorted(maps.Keys(used)); !slices.Equal(english, want) {
		t.Errorf("the table has the words\n%q\nthe page has\n%q", english, want)
	}
	for language, all := range wordsByLanguage {
		for _, word := range english {
			if all[word] == "" || strings.TrimSpace(all[word]) != all[word] {
				t.Errorf("%s of %q is %q", language, word, all[word])
			}
		}
	}
}

// The page is in the language of the template's locale, whatever its region, and in English if that language has no words.
func TestPageIsInTheLanguageOfItsLocale(t *testing.T) {
	i := invoice(t, "extended")
	for locale, want := range map[string][3]string{
		"en-GB": {"Seller", "Amount due", "Furtherdata"}, "de-AT": {"Verkäufer", "Zahlbetrag", "WeitereAngaben"}, "fr": {"Vendeur", "Netàpayer", "Autresdonnées"},
		"es-MX": {"Vendedor", "Importeapagar", "Otrosdatos"}, "it-CH": {"Cedente", "Importodapagare", "Altridati"}, "nl-BE": {"Verkoper", "Tebetalen", "Overigegegevens"},
		"pl": {"Sprzedawca", "Dozapłaty", "Pozostałedane"}, "pt-BR": {"Vendedor", "Montanteapagar", "Outrosdados"}, "ja": {"Seller", "Amountdue", "Furtherdata"}, "xx": {"Seller", "Amountdue", "Furtherdata"},
	} {
		template := Default()
		template.Locale = locale
		shown := visibleText(t, Render(i, template).HTML)
		for _, word := range want {
			if !strings.Contains(shown, withoutSpace(word)) {
				t.Errorf("%s does not show %q", locale, word)
			}
		}
	}
	template := Default()
	template.Locale = "de"
	template.Blocks[1].Labels = map[string]string{"seller": "Lieferant"}
	if shown := visibleText(t, Render(i, template).HTML); !strings.Contains(shown, "Lieferant") || strings.Contains(shown, "Verkäufer") {
		t.Error("a label of the template's own is not shown")
	}
}
