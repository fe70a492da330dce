// Package textfile reads text files that people write with any editor.
package textfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"
)

// Read reads a text file that a person has written: see Decode.
func Read(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(path, b)
}

// ReadJSON reads a text file that must be valid JSON.
func ReadJSON(path string) (json.RawMessage, error) {
	b, err := Read(path)
	if err != nil {
		return nil, err
	}
	var valid json.RawMessage
	if err := json.Unmarshal(b, &valid); err != nil {
		line := bytes.Count(b, []byte("\n")) + 1
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line = bytes.Count(b[:syntax.Offset], []byte("\n")) + 1
		}
		return nil, fmt.Errorf("%s is not valid JSON: line %d: %w", path, line, err)
	}
	return b, nil
}

// byteOrderMark is written by some editors at the beginning of a file in UTF-8.
const byteOrderMark = "\ufeff"

// Decode returns the content of a text file in UTF-8, without a byte order mark. Its error names the encoding of a file in another one, and quotes
// nothing of it: it may contain a secret.
func Decode(name string, content []byte) ([]byte, error) {
	content = bytes.TrimPrefix(content, []byte(byteOrderMark))
	if encoding := utf16(content); encoding != "" {
		return nil, fmt.Errorf("%s is encoded in %s; save it as UTF-8", name, encoding)
	}
	if utf8.Valid(content) {
		return content, nil
	}
	line, rest := 1, content
	for {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			return nil, fmt.Errorf("%s is not encoded in UTF-8, as line %d shows; it may be in Latin-1 or Windows-1252: save it as UTF-8", name, line)
		}
		if r == '\n' {
			line++
		}
		rest = rest[size:]
	}
}

// utf16 returns the UTF-16 variant of a text, by its byte order mark or the zero byte of its first character, which no UTF-8 text has; empty for
// none.
func utf16(content []byte) string {
	switch {
	case len(content) < 2:
		return ""
	case bytes.HasPrefix(content, []byte{0xFF, 0xFE}) || content[0] != 0 && content[1] == 0:
		return "UTF-16 (little-endian)"
	case bytes.HasPrefix(content, []byte{0xFE, 0xFF}) || content[0] == 0 && content[1] != 0:
		return "UTF-16 (big-endian)"
	}
	return ""
}
