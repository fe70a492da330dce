package blocks

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-playground/locales"
	"golang.org/x/text/language"
)

// locale writes numbers and dates as a language and region do.
type locale struct {
	tag            string
	decimal, group string
	// first is how many digits stand before the point without a separator, next how
	// many between two: 3 and 3 in most places, 3 and 2 in India.
	first, next int
	date        func(time.Time) string
}

var (
	matcher, translators = known()
	fallback             = language.AmericanEnglish
)

// localeOf finds the known locale that is nearest to a tag such as de-AT. What
// is not near to any is American English.
func localeOf(tag string) locale {
	wanted, err := language.Parse(tag)
	if err != nil {
		wanted = fallback
	}
	_, index, confidence := matcher.Match(wanted)
	if confidence == language.No {
		index = 0
	}
	t := translators[index]
	l := locale{tag: wanted.String(), decimal: ".", group: ",", first: 3, next: 3, date: t.FmtDateMedium}
	l.learn(t)
	return l
}

// learn sees how a number is grouped from an example, as amounts are decimal texts,
// longer than a float is exact.
func (l *locale) learn(t locales.Translator) {
	const whole = "1234567"
	example := t.FmtNumber(1234567.5, 1)
	head, ok := strings.CutSuffix(example, "5")
	if !ok || !utf8.ValidString(example) || !strings.HasPrefix(example, "1") {
		return
	}
	digits := 0
	var runs []string // what stands between the digits
	for _, r := range head {
		if digits < len(whole) && r == rune(whole[digits]) {
			digits++
			runs = append(runs, "")
			continue
		}
		runs[len(runs)-1] += string(r)
	}
	if digits != len(whole) {
		return
	}
	l.decimal = runs[6]
	l.group, l.next = "", 3
	for at := 5; at >= 0; at-- {
		if runs[at] == "" {
			continue
		}
		if l.group == "" {
			l.group, l.first = runs[at], 6-at
			continue
		}
		l.next = 6 - at - l.first
		break
	}
}

// number writes a decimal text with at least so many digits behind the point. It keeps
// every digit that counts. What is no decimal number stays as it is.
func (l locale) number(text string, least int) string {
	sign, digits := "", strings.TrimSpace(text)
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "−", rest
	}
	digits = strings.TrimPrefix(digits, "+")
	whole, part, _ := strings.Cut(digits, ".")
	if whole+part == "" || strings.Trim(whole+part, "0123456789") != "" {
		return text
	}
	whole, part = strings.TrimLeft(whole, "0"), strings.TrimRight(part, "0")
	if whole == "" {
		whole = "0"
	}
	for len(part) < least {
		part += "0"
	}
	written := sign + l.grouped(whole)
	if part != "" {
		written += l.decimal + part
	}
	return written
}

func (l locale) grouped(digits string) string {
	if l.group == "" {
		return digits
	}
	var groups []string
	size := l.first
	for len(digits) > size {
		groups = append([]string{digits[len(digits)-size:]}, groups...)
		digits = digits[:len(digits)-size]
		size = l.next
	}
	return strings.Join(append([]string{digits}, groups...), l.group)
}
