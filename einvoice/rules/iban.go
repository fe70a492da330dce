package rules

import "strings"

// isIBAN reports whether a text is an IBAN with correct check digits, ignoring white space.
func isIBAN(text string) bool {
	iban := strings.Join(strings.Fields(text), "")
	if len(iban) < 4 || len(iban) > 34 {
		return false
	}
	remainder := 0
	for _, r := range iban[4:] + iban[:4] {
		switch {
		case r >= '0' && r <= '9':
			remainder = (remainder*10 + int(r-'0')) % 97
		case isLetter(r):
			remainder = (remainder*100 + int(r-'A') + 10) % 97
		default:
			return false
		}
	}
	return remainder == 1 && isUpper(iban[0]) && isUpper(iban[1]) && isDigits(iban[2:4], 2)
}

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
