package match

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"platen.dev/document/pagetext"
)

// view is the text of the pages, indexed for searching.
type view struct {
	pieces                []piece
	amounts               []amount
	dates                 []shownDate
	amountGrid, pieceGrid grid
	byDay                 map[int64]bool     // dates, by days since 1970
	byValue               map[string][]int   // amounts by their possible meanings
	words                 map[[3]rune][]spot // beginnings of words, by their first three characters
	tails                 map[rune][]spot    // words at the end of a piece that have fewer
	decimals              int                // how many amounts have decimals
	currency              string             // of the invoice
	steps                 int                // remaining, for the terms themselves
	work                  int                // remaining, for contradictions
	months                map[int]bool       // year and month as 202601, filled on demand
	answers               map[asked]bool     // what hasAmount has found
	initials              map[rune][][3]rune // the keys of words, by their first character
}

// maxSteps bounds the search for the terms themselves, by the number of places, lines and amounts that are looked at.
const maxSteps = 4 << 20

// box is a place on a page.
type box struct {
	page                     int
	left, top, right, bottom float64
}

// beside reports whether two boxes are in one line.
func (b box) beside(o box) bool {
	return b.page == o.page && min(b.bottom, o.bottom)-max(b.top, o.top) > 0.5*min(b.bottom-b.top, o.bottom-o.top)
}

// meets reports whether two boxes are in about one line: the lines of a label beside a value are higher and lower than it is.
func (b box) meets(o box) bool {
	return b.page == o.page && min(b.bottom, o.bottom)-max(b.top, o.top) > 0.1*min(b.bottom-b.top, o.bottom-o.top)
}

// over returns how much of its width a box has in common with another; below zero, it is how far they are apart.
func (b box) over(o box) float64 { return min(b.right, o.right) - max(b.left, o.left) }

func (b box) middle() float64 { return (b.top + b.bottom) / 2 }

// piece is text in one line without a wide gap.
type piece struct {
	box
	// raw are its characters with a space between words, or a tab where the gap is wider than a space. x has the left edge of each.
	raw []rune
	x   []float64
	// folded are its letters and digits. starts tells where a word begins; from is the position of each in raw.
	folded []rune
	starts []bool
	from   []int
	below  []int // pieces in which its text may continue
	wordy  bool  // it begins with a word rather than with a number or a currency, or is a part of a sentence
}

// spend takes steps from the remaining work. It returns false if there is not enough.
func (v *view) spend(steps int) bool {
	v.work -= steps
	return v.work >= 0
}

func viewOf(pages []pagetext.Page, currency string) *view {
	v := &view{
		amountGrid: grid{}, pieceGrid: grid{}, byValue: map[string][]int{}, byDay: map[int64]bool{},
		words: make(map[[3]rune][]spot, 512), tails: map[rune][]spot{}, steps: maxSteps, work: maxWork, currency: currency,
		answers: map[asked]bool{}, initials: map[rune][][3]rune{},
	}
	count := 0
	for _, page := range pages {
		count += len(page.Pieces)
	}
	v.pieces, v.amounts = make([]piece, 0, count), make([]amount, 0, count/2)
	for n, page := range pages {
		for _, p := range page.Pieces {
			v.pieces = append(v.pieces, pieceOf(n, p))
		}
	}
	for i := range v.pieces {
		p := &v.pieces[i]
		v.pieceGrid.add(p.box, i)
		v.amounts = p.scanAmounts(v.amounts, i)
		v.dates = p.scanDates(v.dates, i)
	}
	for n, page := range pages { // last, because the others are in the order of lines
		for _, p := range page.Pieces {
			if turned := otherwise(p.Words); turned != nil {
				p.Words = turned
				v.pieces = append(v.pieces, pieceOf(n, p))
			}
		}
	}
	for i := range v.pieces {
		v.index(i)
	}
	for _, d := range v.dates {
		for _, day := range d.days {
			v.byDay[dayOf(day)] = true
		}
	}
	for i := range v.amounts {
		a := &v.amounts[i]
		v.amountGrid.add(a.box, i)
		for _, value := range a.values() {
			v.byValue[value] = append(v.byValue[value], i)
		}
	}
	for _, a := range v.amounts {
		if a.decimals {
			v.decimals++
		}
	}
	return v
}

// otherwise returns words of both directions of writing in the order of the other direction: a page does not reveal the direction of
// the whole. It is nil for words of one direction.
func otherwise(words []pagetext.Word) []pagetext.Word {
	if !slices.ContainsFunc(words, func(w pagetext.Word) bool { return pagetext.FromRight(w.Text) }) {
		return nil
	}
	runs := pagetext.Runs(words)
	if len(runs) < 2 {
		return nil
	}
	slices.Reverse(runs)
	return slices.Concat(runs...)
}

func pieceOf(page int, from pagetext.Piece) piece {
	p := piece{box: box{page, from.Left, from.Top, from.Right, from.Bottom}}
	length := 0
	for _, w := range from.Words {
		length += len(w.Text) + 1
	}
	p.raw, p.x = make([]rune, 0, length), make([]float64, 0, length)
	for n, w := range from.Words {
		if n > 0 {
			space := ' '
			if w.Left-from.Words[n-1].Right > 0.45*(w.Bottom-w.Top) {
				space = '\t'
			}
			p.raw, p.x = append(p.raw, space), append(p.x, from.Words[n-1].Right)
		}
		before, count := len(p.raw), float64(utf8.RuneCountInString(w.Text))
		for _, r := range w.Text {
			p.x = append(p.x, w.Left+(w.Right-w.Left)*float64(len(p.raw)-before)/count)
			p.raw = append(p.raw, r)
		}
	}
	p.folded, p.starts, p.from = make([]rune, 0, len(p.raw)), make([]bool, 0, len(p.raw)), make([]int, 0, len(p.raw))
	apart := true
	add := func(f rune, at int) {
		p.folded, p.starts, p.from = append(p.folded, f), append(p.starts, apart || ideograph(f)), append(p.from, at)
		apart = ideograph(f)
	}
	for i, r := range p.raw {
		if r < 0x80 {
			if f := foldASCII(byte(r)); f != 0 {
				add(f, i)
			} else {
				apart = true
			}
			continue
		}
		folded := foldRunes(string(r))
		if len(folded) == 0 {
			apart = !mark(r)
		}
		for _, f := range folded {
			add(f, i)
		}
	}
	p.wordy = wordIn(p.raw, unicode.IsDigit) || slices.Contains(p.raw, '%') && slices.ContainsFunc(p.raw, unicode.IsLetter)
	return p
}

// ideograph reports whether a character is a word of its own.
func ideograph(r rune) bool {
	return r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0x20000
}

// flow returns the pieces in which the text of a piece may continue: on the next line below that overlaps it, or on the next page.
func (v *view) flow(i int) []int {
	p := &v.pieces[i]
	if p.below != nil {
		return p.below
	}
	p.below = []int{}
	const reach = 3.2 // lines
	height := p.bottom - p.top
	for n := i + 1; n < len(v.pieces); n++ { // pieces are in line order
		q := &v.pieces[n]
		v.steps--
		overlaps := q.left < p.right && q.right > p.left || q.left < p.left+height && q.right > p.left
		switch {
		case q.page > p.page+1:
			return p.below
		case overlaps && (q.page > p.page || q.top > p.top+height*0.3 && q.top < p.top+reach*height):
			p.below = append(p.below, n)
		}
	}
	return p.below
}
