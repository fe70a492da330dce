package match

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold leaves of a text what identifies it: its letters and digits, without accents and case.
func fold(text string) string {
	var b strings.Builder
	for _, r := range foldRunes(text) {
		b.WriteRune(r)
	}
	return b.String()
}

// foldRunes are the letters and digits of a text.
func foldRunes(text string) []rune {
	all := make([]rune, 0, len(text))
	if ascii(text) {
		for i := range len(text) {
			if f := foldASCII(text[i]); f != 0 {
				all = append(all, f)
			}
		}
		return all
	}
	for _, r := range norm.NFKD.String(text) {
		switch r = unicode.ToLower(r); {
		case r == 'ß':
			all = append(all, 's', 's')
		case plain[r] != 0:
			all = append(all, plain[r])
		case unicode.IsDigit(r):
			all = append(all, '0'+digit(r))
		case unicode.IsLetter(r):
			all = append(all, r)
		}
	}
	return all
}

// plain are letters with a stroke or without a dot, which have no accent by Unicode.
var plain = map[rune]rune{'ı': 'i', 'ł': 'l', 'ø': 'o', 'đ': 'd', 'ħ': 'h', 'ŧ': 't'}

// foldASCII is a letter without case, or a digit; 0 for others.
func foldASCII(c byte) rune {
	switch {
	case c >= 'A' && c <= 'Z':
		return rune(c) + 'a' - 'A'
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return rune(c)
	}
	return 0
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// digit returns the value of a digit of any script: each script's digits are consecutive, from zero to nine, and so are those of several sets of
// mathematical digits.
func digit(r rune) rune {
	if r <= '9' {
		return r - '0'
	}
	for _, digits := range unicode.Digit.R16 {
		if r <= rune(digits.Hi) {
			return (r - rune(digits.Lo)) % 10
		}
	}
	for _, digits := range unicode.Digit.R32 {
		if r <= rune(digits.Hi) {
			return (r - rune(digits.Lo)) % 10
		}
	}
	return 0
}
