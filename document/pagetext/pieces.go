package pagetext

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Gaps, relative to the text size.
const (
	wordGap  = 0.16 // between words: a narrow space has 0.2
	pieceGap = 0.7  // between columns: more than two spaces
	overlap  = 0.6  // the part of the line height that must agree
)

// placed is a glyph in the frame of its own direction, with the y axis down.
type placed struct {
	text                           string
	left, right, base, top, bottom float64
	size                           float64
}

// piecesOf orders glyphs into pieces, separately for each direction of writing.
func piecesOf(glyphs []glyph) (pieces []Piece) {
	byAngle := map[int][]placed{}
	for len(glyphs) > 0 { // one angle at a time: most pages have only one
		angle := angleOf(glyphs[0])
		n := 1
		for n < len(glyphs) && angleOf(glyphs[n]) == angle {
			n++
		}
		degrees := int(math.Round(angle * 180 / math.Pi))
		all := slices.Grow(byAngle[degrees], n)
		sin, cos := math.Sincos(-angle)
		for _, g := range glyphs[:n] {
			all = append(all, place(g, sin, cos))
		}
		byAngle[degrees], glyphs = all, glyphs[n:]
	}
	angles := make([]int, 0, len(byAngle))
	for a := range byAngle {
		angles = append(angles, a)
	}
	slices.SortFunc(angles, func(a, b int) int { return cmp.Or(cmp.Compare(a*a, b*b), cmp.Compare(b, a)) })
	for _, a := range angles {
		for _, line := range linesOf(byAngle[a]) {
			pieces = append(pieces, piecesOfLine(line)...)
		}
	}
	return pieces
}

// angleOf is the direction in which a glyph is written.
func angleOf(g glyph) float64 {
	if g.along.length() == 0 {
		return math.Atan2(g.up.x, -g.up.y)
	}
	return math.Atan2(g.along.y, g.along.x)
}

// place turns a glyph upright, by the sine and cosine of the angle for that.
func place(g glyph, sin, cos float64) placed {
	x, y := g.origin.x*cos-g.origin.y*sin, g.origin.x*sin+g.origin.y*cos
	size := g.up.length()
	return placed{text: g.text, left: x, right: x + g.along.length(), base: y, top: y - 0.75*size, bottom: y + 0.2*size, size: size}
}

// linesOf gathers glyphs of about one height, from the top, each from the left.
func linesOf(glyphs []placed) (lines [][]placed) {
	slices.SortStableFunc(glyphs, func(a, b placed) int { return cmp.Compare(a.base, b.base) })
	for len(glyphs) > 0 {
		first, n := glyphs[0], 1
		for n < len(glyphs) && glyphs[n].base-first.base <= (1-overlap)*max(first.size, glyphs[n].size)*0.75 {
			n++
		}
		line := glyphs[:n:n]
		slices.SortStableFunc(line, func(a, b placed) int { return cmp.Compare(a.left, b.left) })
		lines = append(lines, line)
		glyphs = glyphs[n:]
	}
	return lines
}

// piecesOfLine splits a line at wide gaps, and its pieces at spaces.
func piecesOfLine(line []placed) (pieces []Piece) {
	var words [][]placed
	flush := func() {
		if len(words) > 0 {
			pieces = append(pieces, pieceOf(words))
		}
		words = words[:0]
	}
	kept := line[:0] // glyphs of words; it reuses the part of line that was read
	begin := func(g placed) {
		kept = append(kept, g)
		words = append(words, kept[len(kept)-1:])
	}
	end := math.Inf(-1)
	spaced := true // a space ends the word before it
	for _, g := range line {
		if strings.TrimFunc(g.text, unicode.IsSpace) == "" {
			spaced = true
			continue
		}
		gap := g.left - end
		switch {
		case len(words) == 0, gap > pieceGap*g.size, gap < -2*g.size && len(words) > 0:
			flush()
			begin(g)
		case repeats(words[len(words)-1], g):
			continue // printed twice to look bold
		case spaced || gap > wordGap*g.size:
			begin(g)
		default:
			kept = append(kept, g)
			words[len(words)-1] = append(words[len(words)-1], g) // at the same position
		}
		end, spaced = max(end, g.right), false
		if gap > pieceGap*g.size {
			end = g.right
		}
	}
	flush()
	return pieces
}

// repeats reports whether a glyph is the last one again.
func repeats(word []placed, g placed) bool {
	last := word[len(word)-1]
	return last.text == g.text && math.Abs(last.left-g.left) < 0.12*g.size && math.Abs(last.base-g.base) < 0.12*g.size
}

func pieceOf(words [][]placed) Piece {
	p := Piece{Words: make([]Word, 0, len(words)), Left: math.Inf(1), Top: math.Inf(1), Right: math.Inf(-1), Bottom: math.Inf(-1)}
	for _, glyphs := range words {
		w := Word{Left: math.Inf(1), Top: math.Inf(1), Right: math.Inf(-1), Bottom: math.Inf(-1)}
		for _, g := range glyphs {
			w.Left, w.Top, w.Right, w.Bottom = min(w.Left, g.left), min(w.Top, g.top), max(w.Right, g.right), max(w.Bottom, g.bottom)
		}
		w.Text = logical(glyphs)
		p.Words = append(p.Words, w)
		p.Left, p.Top, p.Right, p.Bottom = min(p.Left, w.Left), min(p.Top, w.Top), max(p.Right, w.Right), max(p.Bottom, w.Bottom)
	}
	if slices.ContainsFunc(p.Words, func(w Word) bool { return FromRight(w.Text) }) {
		p.Words = reordered(p.Words)
	}
	return p
}

// logical returns the text of glyphs, given in visual order, in reading order.
func logical(glyphs []placed) string {
	var b strings.Builder
	right := slices.ContainsFunc(glyphs, func(g placed) bool { return FromRight(g.text) })
	if !right {
		for _, g := range glyphs {
			b.WriteString(g.text)
		}
		return b.String()
	}
	for end := len(glyphs); end > 0; { // from the right, but for runs of others, such as digits
		start := end - 1
		if !turned(glyphs[start].text) {
			for start > 0 && !turned(glyphs[start-1].text) {
				start--
			}
		}
		for _, g := range glyphs[start:end] {
			b.WriteString(g.text)
		}
		end = start
	}
	return b.String()
}

// turned reports whether a glyph belongs to right-to-left text: it contains no digit, and no letter of another script.
func turned(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !FromRight(string(r)) && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '.' || r == ','
	})
}

// reordered puts the words of a piece with right-to-left text into reading order. Most of its words determine the direction of the
// whole; the others are read in runs.
func reordered(words []Word) []Word {
	right := 0
	for _, w := range words {
		if FromRight(w.Text) {
			right++
		}
	}
	runs := Runs(words)
	for _, run := range runs {
		if FromRight(run[0].Text) {
			slices.Reverse(run)
		}
	}
	if 2*right > len(words) {
		slices.Reverse(runs)
	}
	return slices.Concat(runs...)
}

// Runs splits words where the direction of writing changes.
func Runs(words []Word) (runs [][]Word) {
	for i, w := range words {
		if i == 0 || FromRight(w.Text) != FromRight(words[i-1].Text) {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], w)
	}
	return runs
}

// FromRight reports whether a text has letters of a right-to-left script.
func FromRight(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return (r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFC) && unicode.IsLetter(r)
	})
}
