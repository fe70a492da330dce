package match

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"platen.dev/einvoice/blocks"
)

// shownDate is a date on a page.
type shownDate struct {
	box
	piece, from, to int // in raw
	raw             string
	days            []time.Time // its possible meanings: day and month may be swapped; none if there is no such day
	parts           [3]part
}

// months maps folded names of months, in the languages of pages, to months.
var months = func() map[string][]time.Month {
	all := map[string][]time.Month{}
	for name, month := range blocks.MonthNames() {
		if key := fold(name); !slices.Contains(all[key], month) {
			all[key] = append(all[key], month)
		}
	}
	return all
}()

// part is a number or a word of what may be a date.
type part struct {
	from, to int
	number   int // -1 for a named month
	digits   int
	months   []time.Month // possible meanings of the name
}

// scanDates adds the dates of a piece: three parts near each other, one of them a year.
func (p *piece) scanDates(all []shownDate, index int) []shownDate {
	if !slices.ContainsFunc(p.raw, unicode.IsDigit) {
		return all
	}
	parts := p.parts()
	for i := 0; i+2 < len(parts); i++ {
		three := parts[i : i+3]
		if !near(p.raw[three[0].to:three[1].from]) || !near(p.raw[three[1].to:three[2].from]) {
			continue
		}
		days := daysOf(three)
		if len(days) == 0 && !dated(three) {
			continue
		}
		from, to := three[0].from, three[2].to
		all = append(all, shownDate{box: p.boxOf(from, to), piece: index, from: from, to: to, raw: string(p.raw[from:to]), days: days, parts: [3]part(three)})
		i += 2
	}
	for _, one := range parts {
		if one.digits == 8 {
			if day, err := time.Parse("20060102", strings.Map(func(r rune) rune { return '0' + digit(r) }, string(p.raw[one.from:one.to]))); err == nil {
				all = append(all, shownDate{box: p.boxOf(one.from, one.to), piece: index, from: one.from, to: one.to, raw: string(p.raw[one.from:one.to]), days: []time.Time{day}})
			}
		}
	}
	return all
}

// dated reports whether three parts look like a date: a year of four digits at one end, and two other parts.
func dated(parts []part) bool {
	year := parts[0].digits == 4 || parts[2].digits == 4
	short := 0
	for _, p := range parts {
		if p.digits <= 2 {
			short++
		}
	}
	return year && short == 2
}

// near reports whether what is between two parts of a date is little: punctuation, spaces, and words such as "de".
func near(between []rune) bool {
	text := strings.ToLower(strings.TrimFunc(string(between), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.Is(unicode.Cf, r)
	}))
	switch text {
	case "", "de", "del", "st", "nd", "rd", "th", "er", "r", "g", "gada", "ta", "year", "年", "月", "년", "월", "ngày", "d", "m":
		return len(between) <= 6
	}
	return false
}

// parts are the numbers of up to eight digits and the names of months of a piece.
func (p *piece) parts() (all []part) {
	for i := 0; i < len(p.raw); {
		from := i
		switch {
		case unicode.IsDigit(p.raw[i]):
			number := 0
			for i < len(p.raw) && unicode.IsDigit(p.raw[i]) {
				if i-from < 8 {
					number = number*10 + int(digit(p.raw[i]))
				}
				i++
			}
			if i-from <= 8 {
				all = append(all, part{from: from, to: i, number: number, digits: i - from})
			}
		case unicode.IsLetter(p.raw[i]):
			for i < len(p.raw) && (unicode.IsLetter(p.raw[i]) || mark(p.raw[i]) || p.raw[i] == '’' || p.raw[i] == '\'') {
				i++
			}
			if named := monthsOf(p.raw[from:i]); named != nil {
				all = append(all, part{from: from, to: i, number: -1, months: named})
			}
		default:
			i++
		}
	}
	return all
}

// longestMonth is the maximum length of a folded month name in bytes.
var longestMonth = func() (most int) {
	for name := range months {
		most = max(most, len(name))
	}
	return most
}()

// monthsOf are the months that a word may mean.
func monthsOf(word []rune) []time.Month {
	folded := make([]byte, 0, 32)
	for _, r := range word {
		if r >= 0x80 {
			return months[fold(string(word))]
		}
		if f := foldASCII(byte(r)); f != 0 {
			folded = append(folded, byte(f))
		}
		if len(folded) > longestMonth {
			return nil
		}
	}
	return months[string(folded)]
}

// daysOf are the days that three parts may mean.
func daysOf(parts []part) (days []time.Time) {
	add := func(year, month, day part) {
		if year.digits != 4 && year.digits != 2 || day.digits == 0 || day.digits > 2 || month.digits > 2 {
			return
		}
		y := year.number
		if year.digits == 2 {
			y += 2000
		}
		meant := month.months
		if month.digits > 0 {
			meant = []time.Month{time.Month(month.number)}
		}
		for _, m := range meant {
			t := time.Date(y, m, day.number, 0, 0, 0, 0, time.UTC)
			if t.Month() == m && t.Day() == day.number && y >= 1980 && y < 2080 {
				days = append(days, t)
			}
		}
	}
	a, b, c := parts[0], parts[1], parts[2]
	add(c, b, a)
	add(c, a, b)
	if a.digits == 4 {
		add(a, b, c)
		add(a, c, b)
	}
	return days
}

// hasDate reports whether the page has the day of a term.
func (v *view) hasDate(t *term) bool {
	return v.byDay[dayOf(t.date)] || t.month && v.hasMonth(t.date)
}

// dayOf counts days since 1970.
func dayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

func (d shownDate) means(day time.Time) bool {
	for _, is := range d.days {
		if is.Equal(day) {
			return true
		}
	}
	return false
}

// hasMonth reports whether the page shows a month, by number or name, with its year.
func (v *view) hasMonth(day time.Time) bool {
	if v.months == nil { // few invoices have any
		v.readMonths()
	}
	month := day.Year()*100 + int(day.Month())
	return v.months[month] || v.hasText([]rune(strconv.Itoa(month)), nil)
}

// readMonths notes the months on the pages, each beside a year of four digits.
func (v *view) readMonths() {
	v.months = map[int]bool{}
	for i := range v.pieces {
		parts := v.pieces[i].parts()
		for n := 0; n+1 < len(parts); n++ {
			month, year := parts[n], parts[n+1]
			if year.digits != 4 {
				month, year = year, month
			}
			if year.digits != 4 {
				continue
			}
			if month.number > 0 && month.number <= 12 {
				v.months[year.number*100+month.number] = true
			}
			for _, named := range month.months {
				v.months[year.number*100+int(named)] = true
			}
		}
	}
}
