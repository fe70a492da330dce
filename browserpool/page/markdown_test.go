package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	documents "platen.dev/document"
	"platen.dev/events/testkit"
)

// printedMarkdown prints Markdown as the product does.
func printedMarkdown(t *testing.T, slot *slot, source string) []byte {
	t.Helper()
	html, err := documents.Markdown(source)
	if err != nil {
		t.Fatal(err)
	}
	return mustPrint(t, slot, Print{HTML: html}).PDF
}

// Symbols in headings and text are drawn with fonts made for them: not composed of two glyphs, and not with the wide
// glyphs of a Chinese font, which is embedded as Type 3.
func TestSymbolsOfMarkdown(t *testing.T) {
	t.Parallel()
	const symbols = "a ≠ b ≤ c ≥ d ≈ e ≮ f ∞ √2 ∑ ∏ ∫ ∇ ∈ ∉ ∋ ⊂ ∪ ∧ ∨ ∀ ∃ ∅ ≡ ≢ ⊕ → ← ↑ ↔ ⇒ ⇔ ↦ ⟶ € ₹ ₿ ½ ⅓ x² xⁿ x₂ ✓ ✔ ✗ ☐ ☑ ★ ● ■ ▶ ♠ ┌─┬─┐ ║ █"
	slot := openSlot(t)
	pdf := printedMarkdown(t, slot, "# "+symbols+"\n\n"+symbols+" **"+symbols+"**\n\n    "+symbols+"\n")
	fonts := testkit.Tool(t, pdf, "pdffonts", "-")
	for _, want := range []string{"NotoSansMath", "NotoSansSymbols2", "DejaVuSans-Bold", "DejaVuSansMono"} {
		if !strings.Contains(fonts, want) {
			t.Errorf("no %s among the fonts\n%s", want, fonts)
		}
	}
	if strings.Contains(fonts, "Type 3") || strings.Contains(fonts, "Liberation") {
		t.Errorf("symbols are drawn by other fonts\n%s", fonts)
	}
	if text := testkit.PDFText(t, pdf); strings.Count(text, "a ≠ b") != 4 || strings.Count(text, "✗") != 4 {
		t.Errorf("the text is %s", text)
	}
	// A symbol with an emoji selector is an emoji.
	if fonts := testkit.Tool(t, printedMarkdown(t, slot, "✔\ufe0f 😀"), "pdffonts", "-"); !strings.Contains(fonts, "Type 3") || strings.Contains(fonts, "Symbols2") {
		t.Errorf("emoji are drawn by\n%s", fonts)
	}
}

var (
	destination = regexp.MustCompile(`(?m)^ +(\d+) \[.*\] "(.*)"$`)
	leadsTo     = regexp.MustCompile(`/Dest /([^\s/>]+)`)
	escaped     = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)
)

// Links to headings lead to them in the PDF, whatever their script.
func TestLinksOfMarkdown(t *testing.T) {
	t.Parallel()
	headings := []string{"Getting started", "What's *new*?", "Über Größe", "हिन्दी में", "はじめに", "مرحبا بالعالم", "🚀 Launch", "Twice", "Twice"}
	links := []string{"getting-started", "whats-new", "über-größe", "हिन्दी-में", "はじめに", "مرحبا-بالعالم", "-launch", "twice", "twice-1"}
	var source strings.Builder
	for _, link := range links {
		fmt.Fprintf(&source, "- [to it](#%s)\n", link)
	}
	source.WriteString("- [dead](#nowhere)\n")
	for _, heading := range headings {
		fmt.Fprintf(&source, "\n## %s\n%s", heading, strings.Repeat("\ntext\n", 60)) // a page or two for each
	}
	pdf := printedMarkdown(t, openSlot(t), source.String())
	pages := map[string]string{}
	for _, found := range destination.FindAllStringSubmatch(testkit.Tool(t, pdf, "pdfinfo", "-dests", "-"), -1) {
		pages[found[2]] = found[1]
	}
	all := leadsTo.FindAllStringSubmatch(string(pdf), -1)
	if len(all) != len(links) || len(pages) != len(links) {
		t.Fatalf("%d links to headings, and %d places, want %d of each: %v", len(all), len(pages), len(links), pages)
	}
	var last string
	for _, found := range all {
		name := escaped.ReplaceAllStringFunc(found[1], func(code string) string { return string([]byte{fromHex(code)}) })
		if page, known := pages[name]; !known || page == last {
			t.Errorf("a link leads to %s on page %q, after page %s", name, page, last)
		}
		last = pages[name]
	}
}

// fromHex returns the byte of a code such as #2f.
func fromHex(code string) (b byte) {
	_, _ = fmt.Sscanf(code, "#%02x", &b)
	return b
}

// A long word in a cell and a long line of code do not shrink the page: they are broken, unlike ordinary words.
func TestLongWordsOfMarkdown(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	word := strings.Repeat("Abcdefghi", 20) // 180 characters
	plain := heightOf(t, printedMarkdown(t, slot, "ORDINARY"), "ORDINARY")
	for name, source := range map[string]string{
		"cell":   "|Name|Hash|Description|\n|-|-|-|\n|Donaudampfschiff|" + word + "|Rechtsschutzversicherung and many ordinary words that are a long sentence|\n",
		"header": "|Donaudampfschiff|" + word + "|Rechtsschutzversicherung|\n|-|-|-:|\n|a|b|c|\n",
		"code":   "|`" + word + "`|Donaudampfschiff|\n|-|-|\n|a|Rechtsschutzversicherung|\n",
		"block":  "```\n" + word + word + word + "\n```\nDonaudampfschiff Rechtsschutzversicherung\n",
		"line":   "```\n" + strings.Repeat("word ", 200) + "\n```\nDonaudampfschiff Rechtsschutzversicherung\n",
		"many":   "|Donaudampfschiff|" + strings.Repeat(word+"|", 6) + "\n" + strings.Repeat("|-", 7) + "|\n" + "|Rechtsschutzversicherung|" + strings.Repeat("b|", 6) + "\n",
	} {
		pdf := printedMarkdown(t, slot, "ORDINARY\n\n"+source)
		if got := heightOf(t, pdf, "ORDINARY"); got < plain*0.99 {
			t.Errorf("%s: text is %.1f pt high, otherwise %.1f", name, got, plain)
		}
		words := strings.Fields(testkit.PDFText(t, pdf))
		for _, whole := range []string{"Donaudampfschiff", "Rechtsschutzversicherung"} {
			if !slices.Contains(words, whole) {
				t.Errorf("%s: %s is not whole in %q", name, whole, words)
			}
		}
	}
}

// heightOf returns the height of a word on the page, in points.
func heightOf(t *testing.T, pdf []byte, word string) float64 {
	t.Helper()
	box := regexp.MustCompile(`yMin="([0-9.]+)" xMax="[0-9.]+" yMax="([0-9.]+)">` + word + `<`)
	found := box.FindStringSubmatch(testkit.Tool(t, pdf, "pdftotext", "-bbox", "-", "-"))
	if found == nil {
		t.Fatalf("the word %s is not on the page", word)
	}
	return number(t, found[2]) - number(t, found[1])
}
