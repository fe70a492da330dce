package corpus

import (
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

// sheet is a page of a PDF, in points.
type sheet struct {
	width, height float64
	words         []word
}

type word struct {
	text string
	box  [4]float64 // left, top, right, bottom
}

// printed reads a PDF.
func printed(t *testing.T, pdf []byte, warnings []page.Warning) artefact {
	t.Helper()
	return artefact{
		warnings: warnings, pdf: pdf,
		sheets:   sheetsOf(t, testkit.Tool(t, pdf, "pdftotext", "-bbox", "-", "-")),
		pictures: picturesOf(t, pdf),
		picture:  pagetest.PictureOf(t, pdf, 1),
	}
}

var boxes = regexp.MustCompile(`<page width="([0-9.]+)" height="([0-9.]+)">|<word xMin="([-0-9.]+)" yMin="([-0-9.]+)" xMax="([-0-9.]+)" yMax="([-0-9.]+)">(.*?)</word>`)

// sheetsOf parses the boxes in the output of pdftotext.
func sheetsOf(t *testing.T, said string) (sheets []sheet) {
	t.Helper()
	for _, m := range boxes.FindAllStringSubmatch(said, -1) {
		if m[1] != "" {
			sheets = append(sheets, sheet{width: number(t, m[1]), height: number(t, m[2])})
			continue
		}
		at := &sheets[len(sheets)-1]
		w := word{text: html.UnescapeString(m[7])}
		for i := range w.box {
			w.box[i] = number(t, m[3+i])
		}
		at.words = append(at.words, w)
	}
	return sheets
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// picturesOf lists kind, width and height of the pictures on each page.
func picturesOf(t *testing.T, pdf []byte) (pictures []string) {
	t.Helper()
	if !strings.Contains(string(pdf), "/Image") {
		return nil
	}
	for _, line := range strings.Split(testkit.Tool(t, pdf, "pdfimages", "-list", "-"), "\n")[2:] {
		if columns := strings.Fields(line); len(columns) > 4 {
			pictures = append(pictures, fmt.Sprintf("page %s: %s %s x %s", columns[0], columns[2], columns[3], columns[4]))
		}
	}
	return pictures
}

// near is the allowed distance between words, in points: one pixel of the document. Platen leaves whole pixels between
// the margins (whole-right-edge), so centred or right-aligned content may move by one.
const near = 0.78

// unlike describes how an artefact differs from the wanted one.
func (got artefact) unlike(want artefact) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	if len(got.sheets) != len(want.sheets) {
		complain("%d pages, want %d", len(got.sheets), len(want.sheets))
	}
	for i := range min(len(got.sheets), len(want.sheets)) {
		g, w := got.sheets[i], want.sheets[i]
		if math.Abs(g.width-w.width) > near || math.Abs(g.height-w.height) > near {
			complain("page %d is %.1f x %.1f points, want %.1f x %.1f", i+1, g.width, g.height, w.width, w.height)
		}
		if len(g.words) != len(w.words) {
			complain("page %d has %d words, want %d", i+1, len(g.words), len(w.words))
		}
		for j := range min(len(g.words), len(w.words)) {
			if a, b := g.words[j], w.words[j]; a.text != b.text || apart(a.box, b.box) > near {
				complain("page %d: word %d is %q at %.1f, want %q at %.1f", i+1, j+1, a.text, a.box, b.text, b.box)
				break
			}
		}
	}
	if !slices.Equal(got.pictures, want.pictures) {
		complain("pictures %v, want %v", got.pictures, want.pictures)
	}
	if g, w := got.picture.Bounds(), want.picture.Bounds(); g != w {
		complain("it looks %v large, want %v", g.Size(), w.Size())
	} else if blocks := pagetest.Unlike(got.picture, want.picture); len(blocks) > 0 {
		complain("%d blocks of colour differ, the first at %v", len(blocks), blocks[0].Min)
	}
	return complaints
}

// apart returns the largest distance between corresponding sides of two boxes.
func apart(a, b [4]float64) (most float64) {
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// keep writes an artefact to a directory, for a person to look at.
func keep(t *testing.T, dir, name string, a artefact) {
	t.Helper()
	if a.picture == nil {
		return
	}
	pagetest.WritePicture(t, filepath.Join(dir, name+".png"), a.picture)
	if a.pdf == nil {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".pdf"), a.pdf, 0o644); err != nil {
		t.Error(err)
	}
}
