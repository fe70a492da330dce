package schema

import "strings"

// WhiteSpace is the set of white space characters of XML. Other spaces of Unicode are
// ordinary characters.
const WhiteSpace = " \t\n\r"

// Accepts reports whether text is a valid value of the kind by the rules of XML Schema.
func (k Kind) Accepts(text string) bool {
	switch k {
	case Decimal:
		return isDecimal(strings.Trim(text, WhiteSpace))
	case Boolean:
		t := strings.Trim(text, WhiteSpace)
		return t == "true" || t == "false" || t == "1" || t == "0"
	case Base64:
		return isBase64(text)
	case Date:
		return isDate(strings.Trim(text, WhiteSpace))
	case Time:
		return isTime(strings.Trim(text, WhiteSpace))
	case Language:
		return isLanguage(strings.Trim(text, WhiteSpace))
	}
	return true
}

// Normalize returns text after the white space processing of its kind.
func (k Kind) Normalize(text string) string {
	switch k {
	case String, Base64:
		return text
	case NormalizedString:
		return toSpaces.Replace(text)
	}
	text = strings.Trim(text, WhiteSpace)
	if k == Token && (strings.Contains(text, "  ") || strings.ContainsAny(text, "\t\n\r")) {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(WhiteSpace, r) }), " ")
	}
	return text
}

var toSpaces = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

// Describe describes the valid values for an error message.
func (k Kind) Describe() string {
	switch k {
	case Decimal:
		return "a decimal number with a decimal point and no thousands separators, such as 1234.50"
	case Boolean:
		return "true or false"
	case Base64:
		return "base64 (A-Z a-z 0-9 + /, padded with = to a multiple of four)"
	case Date:
		return "a day as YYYY-MM-DD, such as 2026-01-31"
	case Time:
		return "a time as hh:mm:ss, such as 14:30:00"
	case Language:
		return "a language tag, such as de-AT"
	}
	return "text"
}

// isDecimal accepts an optional sign, and then digits with at most one decimal point
// before, between or after them.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	digits := 0
	point := false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && !point:
			point = true
		default:
			return false
		}
	}
	return digits > 0
}

// base64Value maps the characters of base64 to their values and all others to 255.
var base64Value = func() (values [256]byte) {
	for i := range values {
		values[i] = 255
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		values[c] = byte(i)
	}
	return values
}()

// isBase64 accepts groups of four characters with white space anywhere; the unused bits
// of the last character must be zero.
func isBase64(s string) bool {
	count, last := 0, byte(0)
	i := 0
	for ; i < len(s) && s[i] != '='; i++ {
		if v := base64Value[s[i]]; v != 255 {
			count, last = count+1, v
		} else if strings.IndexByte(WhiteSpace, s[i]) < 0 {
			return false
		}
	}
	padding := 0
	for ; i < len(s); i++ {
		if s[i] == '=' {
			padding++
		} else if strings.IndexByte(WhiteSpace, s[i]) < 0 {
			return false
		}
	}
	switch count % 4 {
	case 0:
		return padding == 0
	case 2:
		return padding == 2 && last&0x0F == 0
	case 3:
		return padding == 1 && last&0x03 == 0
	}
	return false
}
