package pdfa

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCoverage replaces characters for which a fictitious machine has no glyphs.
func TestCoverage(t *testing.T) {
	c := parseCoverage("TrueType False 20-7e a0-ff 20ac 304\nType 1 False 400-4ff\nCFF False fffd 4e00\nPCF False 500\n\n")
	for text, want := range map[string]struct {
		text     string
		replaced []rune
	}{
		"plain\ttext\n":                      {"plain\ttext\n", nil},
		"12,50 € für Müller":                 {"12,50 € für Müller", nil},
		"中一中":                                {"\ufffd一\ufffd", []rune{'中'}},
		"Д\u0085\x01x\ue123Д":                {"\ufffd\ufffd\ufffdx\ufffd\ufffd", []rune{'Д', 0x85, 1, 0xE123}},
		"soft\u00adhyphen\u200b\ufe0f\u200e": {"soft\u00adhyphen\u200b\ufe0f\u200e", nil},
		"bad\xff":                            {"bad\ufffd", nil},
	} {
		got, replaced := c.printable(text)
		if got != want.text || !slices.Equal(replaced, want.replaced) {
			t.Errorf("%q: %q, %q", text, got, replaced)
		}
	}
	if got, _ := parseCoverage("TrueType False 20-7e").printable("é"); got != "?" {
		t.Errorf("without U+FFFD: %q", got)
	}
}

// TestMarks replaces combining marks that a fictitious browser does not print in the font of their base character.
func TestMarks(t *testing.T) {
	c := parseCoverage("TrueType False 20-7e e9 fffd 5d0 20dd 304 336\n" + "TrueType False 20-7e a0-ff 5d0 591 20e0 301 4e00\nTrueType True 30-39 20e3 1f600\nCFF False 61 4e00 20dd 20e3 323\n")
	for text, want := range map[string]string{
		"a\u20dd b\u0336":                "a\u20dd b\u0336",
		"a\u20e0":                        "a\ufffd",       // another font has both
		"a\u0323":                        "a\ufffd",       // the last one has
		"一\u20dd":                        "一\ufffd",       // the first font with the character lacks the mark
		"一\ufe0f\u20e0":                  "一\ufe0f\u20e0", // in the second font
		"א\u0591":                        "א\u0591",       // a style may name the second font, which supports the script
		"a\u0591":                        "a\ufffd",       // but not this script
		"e\u0301 x\u0301":                "e\u0301 x\ufffd",
		"5\ufe0f\u20e3 5\u20e3":          "5\ufe0f\u20e3 5\ufffd",
		"\u20dd<p>\u20e0\n\u20e0a\u034f": "\u20dd<p>\u20e0\n\u20e0a\u034f", // no base character
		"a\u0304\u20e0\u0304":            "a\u0304\ufffd\u0304",
		"a" + strings.Repeat("\u0304", 20) + "\u20e0": "a" + strings.Repeat("\u0304", 20) + "\ufffd",
	} {
		if got, _ := c.printable(text); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}

// TestPrintable prints text of many scripts with the browser, before and after Printable,
// and has Check look for .notdef.
func TestPrintable(t *testing.T) {
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("no browser")
	}
	text := "Rechnung € ﬁ 日本語 ไทย हिन्दी 😀 👨‍👩‍👧 ℡ \ue123\U0010FFFD\u0085\u0378\U0001FAE0\u180f ḁ̊ a\u20ddb 5\u20e3 5\ufe0f\u20e3 ก\u0336 ا\u0670 x\u20d7 漢\u20dd a\u0489 ❤\ufe0f 日\u3099 €\u20dd"
	fixed, replaced, err := Printable(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []rune{0xE123, 0x10FFFD, 0x85, 0x378, 0x20DD, 0x336} {
		if !slices.Contains(replaced, r) {
			t.Errorf("%U was not replaced", r)
		}
	}
	for _, r := range "€日語ไหิ😀" {
		if slices.Contains(replaced, r) {
			t.Logf("no font of this machine has %c", r)
		}
	}
	if got := slices.Contains(rules(Check(printPage(t, browser, text), archive)), "6.2.11.8-1"); !got {
		t.Error("Check does not find .notdef before Printable")
	}
	if got := slices.Contains(rules(Check(printPage(t, browser, fixed), archive)), "6.2.11.8-1"); got {
		t.Errorf("%q prints .notdef after Printable", fixed)
	}
}

func printPage(t *testing.T, browser, text string) []byte {
	t.Helper()
	page, pdf := filepath.Join(t.TempDir(), "a.html"), filepath.Join(t.TempDir(), "a.pdf")
	html := fmt.Sprintf("<!doctype html><meta charset=utf-8><p>%s", strings.ReplaceAll(text, "<", "&lt;"))
	if err := os.WriteFile(page, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), browser, "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--print-to-pdf="+pdf, page).CombinedOutput(); err != nil {
		t.Skipf("browser: %v: %.200s", err, said)
	}
	return read(t, pdf)
}
