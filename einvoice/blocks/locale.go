package blocks

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-playground/locales"
	"golang.org/x/text/language"
)

// locale formats numbers and dates for a language and region.
type locale struct {
	tag            string
	decimal, group string
	// primary and secondary are the grouping sizes: the digits in the last group before the
	// decimal point and in the groups before that. They are 3 and 3 in most locales, 3 and 2
	// in India.
	primary, secondary int
	date               func(time.Time) string
}

var (
	matcher, translators = supportedLocales()
	fallback             = language.AmericanEnglish
)

// localeOf returns the supported locale that best matches a language tag such as de-AT, American English if none does.
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
	l := locale{tag: wanted.String(), decimal: ".", group: ",", primary: 3, secondary: 3, date: t.FmtDateMedium}
	l.detectGrouping(t)
	return l
}

// direction returns the direction of the locale's script, as a value of the attribute dir.
func (l locale) direction() string {
	script, _ := language.Make(l.tag).Script()
	switch script.String() {
	case "Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm":
		return "rtl"
	}
	return "ltr"
}

// detectGrouping learns the separators and group sizes from an example. The translator
// itself formats floats, which are not exact enough for amounts.
func (l *locale) detectGrouping(t locales.Translator) {
	separators := separatorsOf(t.FmtNumber(1234567.5, 1))
	if separators == nil {
		return
	}
	l.decimal = separators[6]
	l.group, l.secondary = "", 3
	for at := 5; at >= 0; at-- {
		if separators[at] == "" {
			continue
		}
		if l.group == "" {
			l.group, l.primary = separators[at], 6-at
			continue
		}
		l.secondary = 6 - at - l.primary
		break
	}
}

// separatorsOf are the texts after each digit of the number 1234567 in a text that has
// the decimal 5 in the end; nil if it is not such a text.
func separatorsOf(example string) []string {
	const whole = "1234567"
	head, ok := strings.CutSuffix(example, "5")
	if !ok || !utf8.ValidString(example) || !strings.HasPrefix(example, "1") {
		return nil
	}
	var separators []string
	for _, r := range head {
		if n := len(separators); n < len(whole) && r == rune(whole[n]) {
			separators = append(separators, "")
			continue
		}
		separators[len(separators)-1] += string(r)
	}
	if len(separators) != len(whole) {
		return nil
	}
	return separators
}

// number formats a decimal number with at least minDecimals decimals. It drops no digit
// but leading and trailing zeros. Text that is not a decimal number is returned as it is.
func (l locale) number(text string, minDecimals int) string {
	sign, digits := "", strings.TrimSpace(text)
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "−", rest
	}
	digits = strings.TrimPrefix(digits, "+")
	whole, decimals, _ := strings.Cut(digits, ".")
	if whole+decimals == "" || strings.Trim(whole+decimals, "0123456789") != "" {
		return text
	}
	if strings.Trim(whole+decimals, "0") == "" {
		sign = "" // zero has none
	}
	whole, decimals = strings.TrimLeft(whole, "0"), strings.TrimRight(decimals, "0")
	if whole == "" {
		whole = "0"
	}
	for len(decimals) < minDecimals {
		decimals += "0"
	}
	formatted := sign + l.grouped(whole)
	if decimals != "" {
		formatted += l.decimal + decimals
	}
	return formatted
}

func (l locale) grouped(digits string) string {
	if l.group == "" {
		return digits
	}
	before := len(digits) - l.primary // digits before the last group
	if before <= 0 {
		return digits
	}
	var b strings.Builder
	b.Grow(len(digits) + (before/l.secondary+1)*len(l.group))
	from := 0
	for to := (before-1)%l.secondary + 1; to <= before; to += l.secondary { // the first group may be shorter
		b.WriteString(digits[from:to])
		b.WriteString(l.group)
		from = to
	}
	b.WriteString(digits[from:])
	return b.String()
}
