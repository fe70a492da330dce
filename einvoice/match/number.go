package match

import (
	"slices"
	"strings"
	"unicode"
)

// amount is a number on a page.
type amount struct {
	box
	piece, from, to int // in raw
	raw             string
	// readings are the numbers that it may be, canonical: 1.234 is a thousand or one. parts has, for each space in it, the readings of the two
	// amounts that the space may separate.
	readings []string
	parts    [][2][]string
	percent  bool
	decimals bool // it certainly has decimals
}

// shows reports whether an amount is a number, or that number rounded to as many decimals as are shown.
func (a *amount) shows(value string) bool {
	if slices.Contains(a.readings, value) {
		return true
	}
	for _, p := range a.parts {
		if slices.Contains(p[1], value) || slices.Contains(p[0], value) {
			return true
		}
	}
	return a.rounds(value)
}

// values are all that an amount may be, its parts included.
func (a *amount) values() []string {
	all := a.readings
	for _, p := range a.parts {
		all = append(append(all[:len(all):len(all)], p[0]...), p[1]...)
	}
	return all
}

// rounds reports whether an amount is a number with more than two decimals, rounded.
func (a *amount) rounds(value string) bool {
	if !a.decimals {
		return false
	}
	whole, decimals, _ := strings.Cut(value, ".")
	if len(decimals) < 3 {
		return false
	}
	for _, r := range a.readings {
		w, d, _ := strings.Cut(r, ".")
		if w == whole && len(d) >= 2 && len(d) < len(decimals) && (strings.HasPrefix(decimals, d) || d == roundedUp(decimals, len(d))) {
			return true
		}
	}
	return false
}

// roundedUp increments the last of the first n decimals, "" if that would carry over into the whole part.
func roundedUp(decimals string, n int) string {
	b := []byte(decimals[:n])
	for i := n - 1; i >= 0; i-- {
		if b[i] < '9' {
			b[i]++
			return strings.TrimRight(string(b), "0")
		}
		b[i] = '0'
	}
	return ""
}

// canonical is a number of the XML without sign, leading zeros and trailing ones.
func canonical(text string) (string, bool) {
	text = strings.TrimLeft(strings.TrimSpace(text), "+-")
	whole, decimals, _ := strings.Cut(text, ".")
	if whole+decimals == "" || strings.Trim(whole+decimals, "0123456789") != "" {
		return "", false
	}
	return joined(whole, decimals), true
}

// joined is the canonical form of a whole part and decimals.
func joined(whole, decimals string) string {
	whole, decimals = strings.TrimLeft(whole, "0"), strings.TrimRight(decimals, "0")
	if whole == "" {
		whole = "0"
	}
	if decimals == "" {
		return whole
	}
	return whole + "." + decimals
}

// maxDigits is the maximum length of a number.
const maxDigits = 400

// scanAmounts adds the numbers of a piece.
func (p *piece) scanAmounts(all []amount, index int) []amount {
	for i := 0; i < len(p.raw); {
		if !unicode.IsDigit(p.raw[i]) {
			i++
			continue
		}
		end := numberEnd(p.raw, i)
		if !inCode(p.raw, i, end) {
			all = append(all, p.amountAt(index, i, end))
		}
		i = max(end, i+1)
		for i < len(p.raw) && unicode.IsDigit(p.raw[i]) {
			i++
		}
	}
	return all
}

// separator is the separator that a character may be in a number: a point, a comma, an apostrophe or a space; 0 for none.
func separator(r rune) rune {
	switch r {
	case '.', '·', '٬':
		return '.'
	case ',', '٫':
		return ','
	case '\'', '’', '‘', '´', '`':
		return '\''
	case ' ', '\u00a0', '\u202f', '\u2009', '\u2007':
		return ' '
	}
	return 0
}

// numberEnd returns where a number ends: separators have digits on both sides, and exactly three after a space.
func numberEnd(raw []rune, at int) int {
	end := at
	run := 0 // digits since the last separator
	last := rune(0)
	for end < len(raw) && end-at < maxDigits {
		if unicode.IsDigit(raw[end]) {
			end++
			run++
			continue
		}
		s := separator(raw[end])
		digits := 0
		for end+1+digits < len(raw) && unicode.IsDigit(raw[end+1+digits]) {
			digits++
		}
		if s == 0 || digits == 0 || s == ' ' && (digits != 3 || run > 3 || last != 0 && last != ' ') {
			break
		}
		last, run = s, 0
		end++
	}
	return end
}

// inCode reports whether a number is a part of a word, a code, a date or a time.
func inCode(raw []rune, from, to int) bool {
	letters := 0
	for i := from - 1; i >= 0 && unicode.IsLetter(raw[i]); i-- {
		letters++
	}
	if letters > 3 {
		return true
	}
	if before := from - letters - 1; before >= 0 {
		if letters > 0 && unicode.IsDigit(raw[before]) || binds(raw[before]) && before > 0 && (unicode.IsDigit(raw[before-1]) || unicode.IsLetter(raw[before-1])) {
			return true
		}
		if letters == 0 && separator(raw[before]) != 0 && raw[before] != ' ' && separator(raw[before]) != ' ' && before > 0 && unicode.IsDigit(raw[before-1]) {
			return true
		}
	}
	if to >= len(raw) {
		return false
	}
	if binds(raw[to]) && to+1 < len(raw) && (unicode.IsDigit(raw[to+1]) || unicode.IsLetter(raw[to+1])) {
		return true
	}
	after := to
	for after < len(raw) && unicode.IsLetter(raw[after]) {
		after++
	}
	return after-to > 8 || after > to && after < len(raw) && unicode.IsDigit(raw[after])
}

// binds reports whether a character joins its neighbours into one code.
func binds(r rune) bool { return strings.ContainsRune("-–/_:#@\\+", r) }

func (p *piece) amountAt(index, from, to int) amount {
	a := amount{piece: index, from: from, to: to, raw: string(p.raw[from:to]), box: p.boxOf(from, to)}
	a.readings, a.decimals = readingsOf(p.raw[from:to])
	const few = 8 // spaces between two amounts and in them
	spaces := 0
	for i := from; i < to && spaces < few; i++ {
		if separator(p.raw[i]) == ' ' {
			spaces++
			first, _ := readingsOf(p.raw[from:i])
			second, _ := readingsOf(p.raw[i+1 : to])
			a.parts = append(a.parts, [2][]string{first, second})
		}
	}
	for i := to; i < min(len(p.raw), to+2); i++ {
		if p.raw[i] == '%' || p.raw[i] == '٪' {
			a.percent = true
		} else if separator(p.raw[i]) != ' ' {
			break
		}
	}
	return a
}

func (p *piece) boxOf(from, to int) box {
	b := p.box
	b.left = p.x[from]
	if to < len(p.x) {
		b.right = p.x[to]
	}
	return b
}

// readingsOf are the numbers that digits with separators may be, and whether they certainly have decimals.
func readingsOf(raw []rune) (all []string, decimals bool) {
	var groups []string
	var separators []rune
	group := []rune{}
	for _, r := range raw {
		if s := separator(r); s != 0 {
			groups, separators, group = append(groups, string(group)), append(separators, s), nil
			continue
		}
		group = append(group, '0'+digit(r))
	}
	groups = append(groups, string(group))
	n := len(separators)
	if n == 0 {
		return []string{joined(groups[0], "")}, false
	}
	last := separators[n-1]
	once := !slices.Contains(separators[:n-1], last)
	if once && last != ' ' && grouped(groups[:n], separators[:n-1]) {
		all = append(all, joined(strings.Join(groups[:n], ""), groups[n]))
		decimals = len(groups[n]) != 3 || n > 1
	}
	if same(separators) && grouped(groups, separators) {
		all = append(all, joined(strings.Join(groups, ""), ""))
	}
	return all, decimals
}

func same(separators []rune) bool {
	return !slices.ContainsFunc(separators, func(s rune) bool { return s != separators[0] })
}

// grouped reports whether groups of digits make a whole number: the last has three, those before it two or three.
func grouped(groups []string, separators []rune) bool {
	if len(separators) == 0 {
		return true
	}
	if !same(separators) || len(groups[len(groups)-1]) != 3 || len(groups[0]) > 3 {
		return false
	}
	for _, g := range groups[1 : len(groups)-1] {
		if len(g) != 2 && len(g) != 3 {
			return false
		}
	}
	return true
}
