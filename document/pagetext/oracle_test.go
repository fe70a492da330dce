package pagetext

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"platen.dev/events/testkit"
)

// foreign lists files of other producers, from pdfcpu's own tests.
var foreign = []string{
	"Acroforms2", "BuildingWebappsWithGo", "CenterOfWhy", "GoForOptimization", "T4", "adobeImplOfPDFSpec", "annotTest", "bookletTestA6", "gobook.0", "golang",
	"testWithText", "text_annotations", "xdp_2.0",
}

// characters counts the letters and digits of a text.
func characters(text string) map[rune]int {
	all := map[rune]int{}
	for _, r := range norm.NFKD.String(text) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			all[r]++
		}
	}
	return all
}

// wordsOf returns the words of a text.
func wordsOf(text string) []string {
	return strings.FieldsFunc(norm.NFKC.String(text), func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}

func textOf(pages []Page) string {
	var b strings.Builder
	for _, page := range pages {
		for _, piece := range page.Pieces {
			for _, w := range piece.Words {
				b.WriteString(w.Text + " ")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestLikePoppler compares the text of our files with poppler's: the characters must be the same, and poppler's words must be in ours.
func TestLikePoppler(t *testing.T) {
	likePoppler(t, "../testdata/invoice.pdf", "../pdfa/testdata/plain.pdf", "../pdfa/testdata/rich.pdf", "../pdfa/testdata/tagged.pdf", "../../actors/render/sample/sample.pdf")
}

// TestForeignLikePoppler does the same with files of other producers.
func TestForeignLikePoppler(t *testing.T) {
	testkit.Long(t)
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pdfcpu/pdfcpu").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range foreign {
		likePoppler(t, filepath.Join(strings.TrimSpace(string(module)), "pkg", "testdata", name+".pdf"))
	}
}

func likePoppler(t *testing.T, files ...string) {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("NOT COMPARED: pdftotext (poppler-utils) is not installed")
	}
	for _, file := range files {
		pdf, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages, err := Read(pdf)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := textOf(pages), testkit.Tool(t, pdf, "pdftotext", "-", "-")
		got, want := characters(ours), characters(theirs)
		total, wrong := 0, 0
		for r, n := range want {
			total += n
			wrong += max(n-got[r], got[r]-n)
		}
		words, all := wordsOf(ours), wordsOf(theirs)
		slices.Sort(words)
		var missing []string
		for _, w := range all {
			if _, found := slices.BinarySearch(words, w); !found {
				missing = append(missing, w)
			}
		}
		if total == 0 || wrong*40 > total || len(missing)*20 > len(all) {
			t.Errorf("%s: %d of %d characters differ, %d of %d words are missing: %.300q", file, wrong, total, len(missing), len(all), missing)
		}
	}
}
