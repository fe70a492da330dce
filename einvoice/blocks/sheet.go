package blocks

import (
	"math"
	"strings"

	"golang.org/x/text/width"

	"platen.dev/events/contract"
)

// sheet is the area of a page between its margins, in millimetres.
type sheet struct{ width, height float64 }

func sheetOf(setup PageSetup) sheet {
	w, h := contract.PaperSize(setup.Format)
	var sides [4]float64 // inches
	for i, text := range marginsOf(setup.Margin) {
		length, _ := contract.ParseLength(text) // an error was reported for the shorthand
		sides[i] = float64(length)
	}
	return sheet{inMillimetres(float64(w) - sides[1] - sides[3]), inMillimetres(float64(h) - sides[0] - sides[2])}
}

func inMillimetres(inches float64) float64 { return max(1, inches*25.4) }

// class is the class of narrow pages, empty for others.
func (s sheet) class() string {
	switch {
	case s.width < 70:
		return "narrow strip"
	case s.narrow():
		return "narrow"
	}
	return ""
}

// id returns how wide the column of line identifiers may be before they wrap.
func (s sheet) id() float64 { return min(26, s.width/3) }

// narrow reports whether two columns of text would be too narrow to read.
func (s sheet) narrow() bool { return s.width < 110 }

// heading returns how wide, in millimetres, the label of a number column may be before it wraps.
func (s sheet) heading() float64 { return min(max(s.width/9, 14), 30) }

// Font sizes, in points.
const (
	bodySize    = 9.5
	totalSize   = 11
	detailSize  = 8.5
	headingSize = 8
	lineHeight  = 1.4
)

// widthOf estimates how wide a text is in one line, in millimetres. Sans serif fonts are rarely wider.
func widthOf(text string, points float64) float64 {
	em := 0.0
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			em++
		case strings.ContainsRune(".,:;'’ \u00a0\u202f/|", r):
			em += 0.34
		case r >= 'A' && r <= 'Z' || r > 0x2E7F:
			em += 0.76
		default:
			em += 0.6
		}
	}
	return em * points * 25.4 / 72
}

// widestPiece estimates the width of the widest part of a text that must not be broken.
func widestPiece(text string, points float64) (widest float64) {
	for _, piece := range strings.FieldsFunc(text, breaksLine) {
		widest = max(widest, widthOf(piece, points))
	}
	return widest
}

// breaksLine reports whether a line may be broken at a character: at white space that is not a no-break space.
func breaksLine(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' }

// heightOf estimates the height of a text wrapped at a width, in millimetres.
func heightOf(text string, points, width float64) float64 {
	lines := 0.0
	for line := range strings.Lines(text) {
		lines += max(1, math.Ceil(widthOf(line, points)/max(width, 1)))
	}
	return lines * points * lineHeight * 25.4 / 72
}

// keeps reports whether a block of a height must stay on one page. Higher ones may break: moved to the next page, they
// would leave too much of this one empty.
func (s sheet) keeps(height float64) bool { return height <= s.height/3 }

// short reports whether a text is so short that it is kept on one page on any paper.
func short(text string) bool { return len(text) <= 1000 && strings.Count(text, "\n") <= 10 }
