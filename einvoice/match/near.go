package match

import (
	"slices"
	"strings"
	"time"
)

// alike reports whether two texts differ in one character, or in the order of two adjacent ones.
func alike(a, b string) bool {
	if len(a) != len(b) || a == b {
		return false
	}
	first, last, differ := -1, -1, 0
	for i := range len(a) {
		if a[i] != b[i] {
			if first < 0 {
				first = i
			}
			last = i
			differ++
		}
	}
	return differ == 1 || differ == 2 && last == first+1 && a[first] == b[last] && a[last] == b[first]
}

// alikeAmounts reports whether two numbers, written with equally many digits before and behind the point, differ as alike texts do: the first digit
// may have become zero, or a zero before it another digit. Most pairs differ in their first digits, so that this takes no time.
func alikeAmounts(a, b string) bool {
	wholeA, decimalsA, _ := strings.Cut(a, ".")
	wholeB, decimalsB, _ := strings.Cut(b, ".")
	whole := max(len(wholeA), len(wholeB))
	var digitsA, digitsB [2]byte // where they differ
	at, differ := 0, 0
	for i := range whole + max(len(decimalsA), len(decimalsB)) {
		x, y := digitAt(i, whole, wholeA, decimalsA), digitAt(i, whole, wholeB, decimalsB)
		if x == y {
			continue
		}
		if differ == 2 || differ == 1 && i != at+1 {
			return false
		}
		digitsA[differ], digitsB[differ], at = x, y, i
		differ++
	}
	return differ == 1 || differ == 2 && digitsA[0] == digitsB[1] && digitsA[1] == digitsB[0]
}

// digitAt is a digit of a number that is written with as many digits before the point as whole says.
func digitAt(i, whole int, of, decimals string) byte {
	digits := decimals
	if i -= whole; i < 0 {
		digits, i = of, i+len(of)
	}
	if i < 0 || i >= len(digits) {
		return '0'
	}
	return digits[i]
}

// near reports whether an amount may be a mistake for a number.
func (a *amount) near(value string) bool {
	for _, r := range a.readings {
		if alikeAmounts(r, value) {
			return true
		}
	}
	return false
}

// near reports whether a date may be a mistake for a day: two of its parts are those of the day, and the third differs in one digit.
func (d shownDate) near(day time.Time) bool {
	p := d.parts
	return p[0].from < p[2].from && (misread(p[2], p[1], p[0], day) || misread(p[2], p[0], p[1], day) || misread(p[0], p[1], p[2], day))
}

// oneDigit reports whether two numbers differ in one digit, or in the order of two.
func oneDigit(a, b int) bool {
	differ := 0
	var digitsA, digitsB [2]int
	for ; a > 0 || b > 0; a, b = a/10, b/10 {
		if x, y := a%10, b%10; x != y {
			if differ < 2 {
				digitsA[differ], digitsB[differ] = x, y
			}
			differ++
		}
	}
	return differ == 1 || differ == 2 && digitsA[0] == digitsB[1] && digitsA[1] == digitsB[0]
}

func misread(year, month, day part, of time.Time) bool {
	wrong, slips := 0, 0
	for _, c := range []struct {
		part part
		is   int
	}{{year, of.Year()}, {month, int(of.Month())}, {day, of.Day()}} {
		if c.part.digits == 0 && slices.Contains(c.part.months, time.Month(c.is)) && c.is == int(of.Month()) || c.part.digits > 0 && c.part.number == c.is {
			continue
		}
		wrong++
		if c.part.digits > 0 && oneDigit(c.part.number, c.is) {
			slips++
		}
	}
	return wrong == 1 && slips == 1
}
