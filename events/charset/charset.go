// Package charset decodes files of text.
package charset

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// Decode returns a file of HTML, Markdown, CSS or script in UTF-8, without a byte order mark. Its encoding is that of its byte order mark,
// else UTF-8 if it is valid UTF-8, else what a meta element in its first 1,024 bytes declares, and else fallback, a label of the WHATWG's
// Encoding Standard. Anything that is not a label means windows-1252, which browsers assume. Invalid bytes become U+FFFD.
func Decode(content []byte, fallback string) []byte {
	if utf8.Valid(content) {
		return bytes.TrimPrefix(content, []byte(byteOrderMark))
	}
	encoding, name, _ := charset.DetermineEncoding(content, "")
	if other, _ := charset.Lookup(fallback); other != nil && name == assumed && !declaration.Match(content[:min(len(content), 1024)]) {
		encoding = other
	}
	decoded, err := encoding.NewDecoder().Bytes(content)
	if err != nil {
		decoded = content
	}
	return bytes.TrimPrefix(bytes.ToValidUTF8(decoded, []byte("\ufffd")), []byte(byteOrderMark))
}

const (
	byteOrderMark = "\ufeff"
	assumed       = "windows-1252"
)

var declaration = regexp.MustCompile(`(?i)<meta[^>]+charset`)

// IsLabel reports whether a text names an encoding.
func IsLabel(text string) bool {
	encoding, _ := charset.Lookup(text)
	return encoding != nil
}
