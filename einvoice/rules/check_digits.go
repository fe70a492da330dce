package rules

import "strings"

// weigh adds up the digits of a number, each times the weight of its place, which counts from the right and from 0.
func weigh(digits string, weight func(place int) int) (total int) {
	for n, b := range []byte(digits) {
		total += digit(b) * weight(len(digits)-1-n)
	}
	return total
}

func digit(b byte) int { return int(b - '0') }

// hasCheckDigit reports whether the last of some digits is right by GS1: with weights 3 and 1 from the right, all add up to a multiple of 10.
func hasCheckDigit(text string) bool {
	return text != "" && isDigits(text, len(text)) && weigh(text, func(place int) int { return 1 + 2*(place%2) })%10 == 0
}

// isLuhn reports whether the last digit of a number is correct by Luhn's algorithm.
func isLuhn(number string) bool {
	total := 0
	for n, b := range []byte(number) {
		d := digit(b) * (1 + (len(number)-1-n)%2)
		total += d/10 + d%10
	}
	return total%10 == 0
}

func isSwedishNumber(text string) bool { return isDigits(text, 10) && isLuhn(text) }

// isNorwegianNumber reports whether a text is a Norwegian organisation number (modulus 11).
func isNorwegianNumber(text string) bool {
	return isDigits(text, 9) && text != "000000000" && (11-weigh(text[:8], func(place int) int { return place%6 + 2 })%11)%11 == digit(text[8])
}

// isBelgianNumber reports whether a text is a Belgian enterprise number (modulus 97).
func isBelgianNumber(text string) bool {
	return isDigits(text, 10) && 97-decimalValue(text[:8])%97 == decimalValue(text[8:])
}

func decimalValue(digits string) (value int) {
	for _, b := range []byte(digits) {
		value = value*10 + digit(b)
	}
	return value
}

// isABN reports whether a text is an Australian business number (modulus 89; the first digit counts one less).
func isABN(text string) bool {
	return isDigits(text, 11) && (weigh(text, func(place int) int {
		if place == 10 {
			return 10
		}
		return 19 - 2*place
	})-10)%89 == 0
}

// isGreekTIN reports whether a text begins with a Greek tax number: the official rules look no further.
func isGreekTIN(text string) bool {
	return len(text) >= 9 && isDigits(text[:9], 9) && weigh(text[:8], func(place int) int { return 2 << place })%11%10 == digit(text[8])
}

// isItalianVAT reports whether a text is a valid Italian VAT number, if its country is Italy.
func isItalianVAT(text string) bool {
	number := text[min(2, len(text)):]
	return !oneOf(firstTwo(text), "IT it") || isDigits(number, 11) && isLuhn(number)
}

// isIPACode reports whether a text is the code of an Italian office.
func isIPACode(text string) bool {
	return len(text) == 6 && !strings.ContainsFunc(text, isNoAlphanumeric)
}

func isNoAlphanumeric(r rune) bool { return !isLetter(r) && (r < '0' || r > '9') }

// isItalianTaxCode reports whether a text has the form of an Italian tax code, of a company or a person.
func isItalianTaxCode(text string) bool {
	switch len(text) {
	case 11:
		return isInteger(text)
	case 16:
		return isLetters(text[:6]+text[8:9]+text[15:]) && isInteger(text[6:8]) && isInteger(text[9:11]) && isInteger(text[14:15])
	}
	return false
}

func isLetters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !isLetter(r) })
}

// isInteger reports whether a text is one by XML Schema, perhaps with a sign and white space around it.
func isInteger(text string) bool {
	text = strings.TrimSpace(text)
	digits := strings.TrimLeft(text, "+-")
	return digits != "" && len(text)-len(digits) <= 1 && isDigits(digits, len(digits))
}
