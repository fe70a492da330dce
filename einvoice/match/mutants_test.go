package match

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"platen.dev/document/pagetext"
	"platen.dev/einvoice"
	"platen.dev/einvoice/model"
)

// specimen is an invoice with pages that match it.
type specimen struct {
	name, profile string
	xml           []byte
	pages         []pagetext.Page
}

func (s specimen) invoice(t testing.TB) *model.Invoice {
	t.Helper()
	i, err := einvoice.ParseSchemaOnly(s.xml, s.profile)
	if err != nil {
		t.Fatal(s.name, err)
	}
	return model.Of(i)
}

// copied returns copies of pages, whose words may be changed.
func copied(pages []pagetext.Page) []pagetext.Page {
	all := slices.Clone(pages)
	for i := range all {
		all[i].Pieces = slices.Clone(all[i].Pieces)
		for n := range all[i].Pieces {
			all[i].Pieces[n].Words = slices.Clone(all[i].Pieces[n].Words)
		}
	}
	return all
}

// occurrence is a place of a value on the pages: characters of words.
type occurrence struct {
	words      []*pagetext.Word
	from, to   []int // runes of each word
	term       *term
	wholeWords bool
}

// occurrences returns the places of a term on the pages, in order.
func occurrences(pages []pagetext.Page, v *view, t *term, everywhere bool) (all []occurrence) {
	var flat []*pagetext.Piece
	for i := range pages {
		for n := range pages[i].Pieces {
			flat = append(flat, &pages[i].Pieces[n])
		}
	}
	add := func(piece, from, to int) {
		if piece >= len(flat) {
			return // a piece also read in another direction
		}
		if p := &v.pieces[piece]; !everywhere && t.text == "" && (wordIn(p.raw[:from], unicode.IsDigit) || wordIn(p.raw[to:], unicode.IsDigit)) {
			return // prose, which is no place for the term
		}
		if p := &v.pieces[piece]; t.kind == quantity && !everywhere && (p.left < 70 || p.left > 535) {
			return // the number of a line
		}
		o := occurrence{term: t, wholeWords: true}
		at := 0
		for n := range flat[piece].Words {
			w := &flat[piece].Words[n]
			length := len([]rune(w.Text))
			if lo, hi := max(from, at), min(to, at+length); lo < hi {
				o.words, o.from, o.to = append(o.words, w), append(o.from, lo-at), append(o.to, hi-at)
				o.wholeWords = o.wholeWords && hi-lo == length
			}
			at += length + 1
		}
		all = append(all, o)
	}
	switch {
	case t.amount != "":
		for i := range v.amounts {
			if a := &v.amounts[i]; (a.percent == t.rate || everywhere) && a.shows(t.amount) && (!t.money() || v.money(a)) {
				add(a.piece, a.from, a.to)
			}
		}
	case !t.date.IsZero():
		for _, d := range v.dates {
			if d.means(t.date) {
				add(d.piece, d.from, d.to)
			}
		}
	default:
		v.hasText([]rune(t.text), func(spots []spot) bool {
			s := spots[0]
			p := &v.pieces[s.piece]
			add(s.piece, p.from[s.from], p.from[s.to-1]+1)
			return true
		})
	}
	return all
}

// change changes one digit of an occurrence. It returns false if there is none.
func (o occurrence) change(rng *rand.Rand) bool {
	type place struct{ word, at int }
	var digits []place
	for w := range o.words {
		for at, r := range []rune(o.words[w].Text) {
			if at >= o.from[w] && at < o.to[w] && unicode.IsDigit(r) {
				digits = append(digits, place{w, at})
			}
		}
	}
	if len(digits) == 0 {
		return false
	}
	p := digits[rng.IntN(len(digits))]
	runes := []rune(o.words[p.word].Text)
	runes[p.at] = '0' + (digit(runes[p.at])+1+rune(rng.IntN(9)))%10
	o.words[p.word].Text = string(runes)
	return true
}

// hide removes an occurrence from the page.
func (o occurrence) hide() {
	for w := range o.words {
		runes := []rune(o.words[w].Text)
		for at := o.from[w]; at < o.to[w]; at++ {
			runes[at] = ' '
		}
		o.words[w].Text = strings.TrimSpace(string(runes))
	}
}

// mutate makes a mutant of a kind, and describes it; "" if there is none.
func (s specimen) mutate(t testing.TB, kind string, rng *rand.Rand) (invoice *model.Invoice, pages []pagetext.Page, what string) {
	t.Helper()
	invoice, pages = s.invoice(t), copied(s.pages)
	terms := termsOf(invoice)
	v := viewOf(pages, invoice.Currency.Text())
	one := &terms[rng.IntN(len(terms))]
	switch kind {
	case "page digit":
		if all := occurrences(pages, v, one, kind == "hidden"); len(all) > 0 {
			before := fmt.Sprint(words(all[0]))
			if all[0].change(rng) {
				return invoice, pages, fmt.Sprintf("%s %s → %s", one.number, before, words(all[0]))
			}
		}
	case "XML digit":
		text := one.node.Text()
		at := slices.IndexFunc([]byte(text), func(b byte) bool { return b >= '0' && b <= '9' })
		if at < 0 || one.kind == itemName {
			return nil, nil, ""
		}
		changed := []byte(text)
		for n := range changed {
			if d := len(changed) - 1 - n; changed[d] >= '0' && changed[d] <= '9' && rng.IntN(2) == 0 {
				at = d
				break
			}
		}
		changed[at] = '0' + (changed[at]-'0'+1+byte(rng.IntN(9)))%10
		was, _ := canonical(text)
		is, _ := canonical(string(changed))
		if one.amount != "" && (was == is || is == "0" || rounded(was) == rounded(is)) { // pages may round
			return nil, nil, ""
		}
		lines := bytes.SplitAfter(s.xml, []byte("\n"))
		n := one.node.SourceLine() - 1
		if bytes.Count(lines[n], []byte(">"+text+"<")) != 1 {
			return nil, nil, ""
		}
		lines[n] = bytes.Replace(lines[n], []byte(">"+text+"<"), []byte(">"+string(changed)+"<"), 1)
		parsed, err := einvoice.ParseSchemaOnly(bytes.Join(lines, nil), s.profile)
		if err != nil {
			return nil, nil, ""
		}
		return model.Of(parsed), pages, fmt.Sprintf("%s %s → %s", one.number, text, changed)
	case "hidden":
		if all := occurrences(pages, v, one, kind == "hidden"); len(all) > 0 {
			for _, o := range all {
				o.hide()
			}
			return invoice, pages, one.number + " " + one.node.Text()
		}
	case "swapped":
		other := &terms[rng.IntN(len(terms))]
		if one.amount == "" || other.amount == "" || one.rate || other.rate || one.kind == quantity || other.kind == quantity || one.amount == other.amount {
			return nil, nil, ""
		}
		a, b := occurrences(pages, v, one, kind == "hidden"), occurrences(pages, v, other, false)
		if len(a) == 0 || len(b) == 0 || !a[0].wholeWords || !b[0].wholeWords || len(a[0].words) != 1 || len(b[0].words) != 1 || a[0].words[0] == b[0].words[0] {
			return nil, nil, ""
		}
		x, y := a[0].words[0], b[0].words[0]
		x.Text, y.Text = y.Text, x.Text
		return invoice, pages, fmt.Sprintf("%s %s ↔ %s %s", one.number, y.Text, other.number, x.Text)
	}
	return nil, nil, ""
}

// rounded returns a number without the digits after its second decimal.
func rounded(number string) string {
	whole, decimals, _ := strings.Cut(number, ".")
	return whole + "." + decimals[:min(len(decimals), 2)]
}

func words(o occurrence) string {
	var all []string
	for _, w := range o.words {
		all = append(all, w.Text)
	}
	return strings.Join(all, " ")
}
