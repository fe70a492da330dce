package markup

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Decode converts a document to UTF-8 without a byte order mark, normalises its line ends
// to line feeds, and checks that XML allows all its characters. After a fault, the text
// up to the offset of the fault is valid.
func Decode(document []byte) (string, *Fault) {
	text, err := transcode(document)
	if err != nil {
		return text, err
	}
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return text, checkCharacters(text)
}

// transcode detects the encoding from the first bytes and the XML declaration.
func transcode(document []byte) (string, *Fault) {
	bomLength, wide := sniffEncoding(document)
	body := document[bomLength:]
	text := string(body)
	if wide != "" {
		text = decodeUTF16(body, wide == "UTF-16BE")
	}
	declared, ends := encodingDeclaration(text)
	name := strings.ToUpper(declared)
	switch {
	case !ends:
		return text, &Fault{0, fmt.Sprintf("an XML declaration of more than %d characters", maxDeclaration), "a short one: it tells the encoding"}
	case wide == "UTF-32":
		return "", &Fault{0, "a document in UTF-32", "UTF-8, UTF-16 or ISO-8859-1"}
	case wide != "" && len(body)%2 != 0:
		return text, &Fault{len(text), "an incomplete UTF-16 character at the end", "a complete one"}
	case wide != "" && name != "" && name != "UTF-16" && name != wide:
		return text, contradiction(declared, "UTF-16")
	case wide != "":
		return text, nil
	case bomLength > 0 && name != "" && !isUTF8(name):
		return text, contradiction(declared, "UTF-8 with a byte order mark")
	}
	return decodeBytes(body, text, declared)
}

func decodeBytes(body []byte, text, declared string) (string, *Fault) {
	switch name := strings.ToUpper(declared); {
	case name == "" || isUTF8(name):
		return text, nil
	case name == "ISO-8859-1" || name == "ISO_8859-1" || name == "LATIN1" || name == "LATIN-1":
		return decodeLatin1(body), nil
	case name == "US-ASCII" || name == "ASCII":
		if i := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			return text, &Fault{i, "a character beyond US-ASCII", "only US-ASCII characters, as declared"}
		}
		return text, nil
	case strings.HasPrefix(name, "UTF-16") || name == "UTF16":
		return text, contradiction(declared, "not UTF-16")
	}
	return text, &Fault{0, fmt.Sprintf("encoding %q", Excerpt(declared)), "UTF-8, UTF-16, ISO-8859-1 or US-ASCII"}
}

func contradiction(declared, bytes string) *Fault {
	return &Fault{0, fmt.Sprintf("the declared encoding %q, but the bytes are %s", Excerpt(declared), bytes), "a declared encoding that matches the bytes"}
}

func isUTF8(name string) bool { return name == "UTF-8" || name == "UTF8" }

// sniffEncoding returns the length of the byte order mark, and the encoding if its code
// units have more than one byte: UTF-16LE, UTF-16BE or UTF-32.
func sniffEncoding(document []byte) (bomLength int, wide string) {
	starts := func(prefix string) bool { return bytes.HasPrefix(document, []byte(prefix)) }
	switch {
	case starts("\xEF\xBB\xBF"):
		return 3, ""
	case starts("\xFF\xFE\x00\x00"), starts("\x00\x00\xFE\xFF"), starts("<\x00\x00\x00"), starts("\x00\x00\x00<"):
		return 0, "UTF-32"
	case starts("\xFF\xFE"):
		return 2, "UTF-16LE"
	case starts("\xFE\xFF"):
		return 2, "UTF-16BE"
	case starts("<\x00?\x00"):
		return 0, "UTF-16LE"
	case starts("\x00<\x00?"):
		return 0, "UTF-16BE"
	}
	return 0, ""
}

// decodeUTF16 converts unpaired surrogates to a byte that is not valid UTF-8, so that
// checkCharacters finds them.
func decodeUTF16(b []byte, bigEndian bool) string {
	out := make([]byte, 0, len(b)/2+len(b)/8)
	unit := func(i int) rune {
		if bigEndian {
			return rune(b[i])<<8 | rune(b[i+1])
		}
		return rune(b[i+1])<<8 | rune(b[i])
	}
	for i := 0; i+1 < len(b); i += 2 {
		r := unit(i)
		switch {
		case r < 0xD800 || r > 0xDFFF:
			out = utf8.AppendRune(out, r)
		case r < 0xDC00 && i+3 < len(b) && unit(i+2)&0xFC00 == 0xDC00:
			out = utf8.AppendRune(out, 0x10000+(r&0x3FF)<<10+unit(i+2)&0x3FF)
			i += 2
		default:
			out = append(out, 0xFF)
		}
	}
	return string(out)
}

func decodeLatin1(b []byte) string {
	out := make([]byte, 0, len(b)+len(b)/8)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out)
}

// Encoding returns the name of a document's encoding in capitals: from its first bytes for UTF-16 or UTF-32, else from
// its XML declaration. It is empty if neither tells.
func Encoding(document []byte) string {
	bomLength, wide := sniffEncoding(document)
	if wide != "" {
		return wide
	}
	declared, _ := encodingDeclaration(string(document[bomLength:min(len(document), bomLength+maxDeclaration)]))
	return strings.ToUpper(declared)
}

// ForeignEncoding returns the Encoding of a document that declares another encoding than UTF-8; "" otherwise.
func ForeignEncoding(document []byte) string {
	encoding := Encoding(document)
	if encoding == "UTF-8" || encoding == "UTF8" {
		return ""
	}
	return encoding
}

// maxDeclaration is how many bytes of a document may tell its encoding.
const maxDeclaration = 1024

// encodingDeclaration finds the encoding in the XML declaration, if there is one, and whether the declaration ends
// within maxDeclaration. It does not check the declaration, as the Reader does that.
func encodingDeclaration(text string) (name string, ends bool) {
	if len(text) < 6 || !strings.HasPrefix(text, "<?xml") || !isSpace(text[5]) {
		return "", true
	}
	end := strings.Index(text[:min(len(text), maxDeclaration)], "?>")
	if end < 0 {
		return "", len(text) <= maxDeclaration
	}
	_, rest, found := strings.Cut(text[:end], "encoding")
	rest = strings.TrimLeft(rest, " \t\r\n=")
	if !found || rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return "", true
	}
	name, _, _ = strings.Cut(rest[1:], rest[:1])
	return name, true
}

func checkCharacters(text string) *Fault {
	if utf8.ValidString(text) {
		return findForbidden(text)
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			if earlier := findForbidden(text[:i]); earlier != nil {
				return earlier
			}
			return &Fault{i, fmt.Sprintf("byte 0x%02X, which is not valid in the encoding", text[i]), "valid text in the encoding of the document"}
		}
	}
	return nil
}

// findForbidden finds the first character of valid UTF-8 that XML does not allow.
func findForbidden(text string) *Fault {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != 0xEF || c == '\n' || c == '\t' || c == '\r' {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(text[i:]); !isCharacter(r) {
			return &Fault{i, fmt.Sprintf("character U+%04X", r), "a character that XML allows"}
		}
	}
	return nil
}

// isCharacter reports whether XML 1.0 allows a character.
func isCharacter(r rune) bool {
	return r >= ' ' && r <= 0xD7FF || r == '\n' || r == '\t' || r == '\r' || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}
