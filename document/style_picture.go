package document

import (
	"strings"
	"unicode/utf8"
)

// This file keeps the pictures of inline styles, and writes each address in a form in which nothing of it can end the string, the call or the declaration.

// keptPicture returns a picture whose address an image may have, and one without an address in place of any other: it shows nothing, and the requester
// learns that it is missing.
func keptPicture(address string) string {
	address = strings.Trim(address, urlSpaces)
	switch {
	case address == "":
		return "none"
	case !pictureURL.MatchString(address):
		return `url("")`
	}
	return `url("` + escapeAddress(address) + `")`
}

// noPicture stands in for a picture where none may be shown.
func noPicture(string) string { return "none" }

const (
	// urlSpaces are what URLs may have around them; but for the space, browsers skip them within as well.
	urlSpaces = " \t\r\n\f"
	// addressCharacters are the characters of addresses other than letters and digits. No comment begins without an asterisk, and no call without a
	// bracket, wherever a browser takes an address to end.
	addressCharacters = "-._~:/?#[]@!$&+,;=%"
)

const hexDigits = "0123456789ABCDEF"

func inAddress(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || strings.IndexByte(addressCharacters, c) >= 0
}

// escapeAddress encodes the bytes of an address that are not addressCharacters, as browsers do before they ask for it.
func escapeAddress(address string) string {
	if !strings.ContainsFunc(address, func(r rune) bool { return r >= utf8.RuneSelf || !inAddress(byte(r)) }) {
		return address
	}
	var out strings.Builder
	out.Grow(len(address))
	for i := range len(address) {
		switch c := address[i]; {
		case inAddress(c):
			out.WriteByte(c)
		case c != ' ' && strings.IndexByte(urlSpaces, c) >= 0: // it is skipped
		default:
			out.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return out.String()
}

// afterAddress takes the text behind "url(". It returns the text behind the call, and whether the address is one that keptPicture writes.
func afterAddress(call string) (after string, safe bool) {
	if !strings.HasPrefix(call, `"`) {
		return "", false
	}
	address, after, closed := strings.Cut(call[1:], `"`)
	for i := range len(address) {
		if !inAddress(address[i]) {
			return "", false
		}
	}
	return strings.TrimPrefix(after, ")"), closed && strings.HasPrefix(after, ")") && (address == "" || pictureURL.MatchString(address))
}

// replacePictures replaces each picture of a style by what show makes of its address.
func replacePictures(style string, show func(address string) string) string {
	var out strings.Builder
	for from := 0; ; {
		bracket := strings.IndexByte(style[from:], '(')
		if bracket < 0 {
			break
		}
		from += bracket + len("(")
		if !callsURL(style[:from]) {
			continue
		}
		if address, end := addressIn(style[from:]); end > 0 {
			if out.Cap() == 0 {
				out.Grow(len(style))
			}
			out.WriteString(style[:from-len("url(")])
			out.WriteString(show(address))
			style, from = style[from+end:], 0
		}
	}
	if out.Cap() == 0 {
		return style
	}
	out.WriteString(style)
	return out.String()
}

// callsURL reports whether a text ends with the beginning of a call of url.
func callsURL(text string) bool {
	start := len(text) - len("url(")
	return start >= 0 && text[start+2]|0x20 == 'l' && strings.EqualFold(text[start:], "url(") && (start == 0 || !isWord(text[start-1]))
}

func isWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' }

// addressIn takes the text behind "url(". It returns the address and where the call ends: 0 if a browser reads no address there, or if it has escapes.
func addressIn(call string) (address string, end int) {
	rest, stops := strings.TrimLeft(call, urlSpaces), "\"'()\\"+urlSpaces
	quote := ""
	if strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "'") {
		quote = rest[:1]
		rest, stops = rest[1:], quote+"\\\r\n\f"
	}
	length := strings.IndexAny(rest, stops)
	if length < 0 || !strings.HasPrefix(rest[length:], quote) {
		return "", 0
	}
	address, rest = rest[:length], strings.TrimLeft(rest[length+len(quote):], urlSpaces)
	if !strings.HasPrefix(rest, ")") {
		return "", 0
	}
	return address, len(call) - len(rest) + len(")")
}
