package markup

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Decode gives a document as UTF-8 without a byte order mark, its line ends as XML
// counts them (one line feed each), and holds it to the characters that XML allows.
// The text is good up to the fault.
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

// transcode goes by the first bytes, and then by what the declaration says.
func transcode(document []byte) (string, *Fault) {
	mark, wide := family(document)
	body := document[mark:]
	text := string(body)
	if wide != "" {
		text = fromUTF16(body, wide == "UTF-16BE")
	}
	declared := declaredEncoding(text)
	name := strings.ToUpper(declared)
	switch {
	case wide == "UTF-32":
		return "", &Fault{0, "a document in UTF-32", "UTF-8, UTF-16 or ISO-8859-1"}
	case wide != "" && len(body)%2 != 0:
		return text, &Fault{len(text), "half a character of UTF-16 at the end", "a whole one"}
	case wide != "" && name != "" && name != "UTF-16" && name != wide:
		return text, contradiction(declared, "UTF-16")
	case wide != "":
		return text, nil
	case mark > 0 && name != "" && !isUTF8(name):
		return text, contradiction(declared, "UTF-8 with a byte order mark")
	}
	return fromBytes(body, text, declared)
}

func fromBytes(body []byte, text, declared string) (string, *Fault) {
	switch name := strings.ToUpper(declared); {
	case name == "" || isUTF8(name):
		return text, nil
	case name == "ISO-8859-1" || name == "ISO_8859-1" || name == "LATIN1" || name == "LATIN-1":
		return fromLatin1(body), nil
	case name == "US-ASCII" || name == "ASCII":
		if i := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			return text, &Fault{i, "a character beyond US-ASCII", "what the declared encoding US-ASCII allows"}
		}
		return text, nil
	case strings.HasPrefix(name, "UTF-16") || name == "UTF16":
		return text, contradiction(declared, "not UTF-16")
	}
	return text, &Fault{0, fmt.Sprintf("encoding %q", Short(declared)), "UTF-8, UTF-16, ISO-8859-1 or US-ASCII"}
}

func contradiction(declared, bytes string) *Fault {
	return &Fault{0, fmt.Sprintf("the declared encoding %q, but the bytes are %s", Short(declared), bytes), "an encoding that agrees with the bytes"}
}

func isUTF8(name string) bool { return name == "UTF-8" || name == "UTF8" }

// family gives the length of the byte order mark, and what UTF-16 the bytes are, if
// they are any.
func family(document []byte) (mark int, wide string) {
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

// fromUTF16 gives surrogates that have lost their other half as the bytes they would
// be, which are no UTF-8 and are found out later.
func fromUTF16(b []byte, big bool) string {
	out := make([]byte, 0, len(b)/2+len(b)/8)
	unit := func(i int) rune {
		if big {
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

func fromLatin1(b []byte) string {
	out := make([]byte, 0, len(b)+len(b)/8)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out)
}

// Encoding is what the document's XML declaration says its encoding is, in capitals,
// and empty if it does not say.
func Encoding(document []byte) string {
	mark, wide := family(document)
	if wide != "" {
		return wide
	}
	return strings.ToUpper(declaredEncoding(string(document[mark:min(len(document), mark+1024)])))
}

// declaredEncoding looks ahead for the encoding; whether the declaration is right is
// for the reader to say.
func declaredEncoding(text string) string {
	if !strings.HasPrefix(text, "<?xml") {
		return ""
	}
	end := strings.Index(text[:min(len(text), 1024)], "?>")
	if end < 0 {
		return ""
	}
	_, rest, found := strings.Cut(text[:end], "encoding")
	rest = strings.TrimLeft(rest, " \t\r\n=")
	if !found || rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	name, _, _ := strings.Cut(rest[1:], rest[:1])
	return name
}

func checkCharacters(text string) *Fault {
	if utf8.ValidString(text) {
		return badCharacter(text)
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			if earlier := badCharacter(text[:i]); earlier != nil {
				return earlier
			}
			return &Fault{i, fmt.Sprintf("byte 0x%02X, which is no character of the encoding", text[i]), "text in the encoding that the document declares"}
		}
	}
	return nil
}

// badCharacter finds what is no character of XML in valid UTF-8.
func badCharacter(text string) *Fault {
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

// isCharacter tells the characters of XML 1.0.
func isCharacter(r rune) bool {
	return r >= ' ' && r <= 0xD7FF || r == '\n' || r == '\t' || r == '\r' || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}

// Position counts the line and the column of an offset, both from one, in characters.
func Position(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// Short makes what a caller sent fit for a message: not long, and without characters
// that do something to a terminal or a log.
func Short(s string) string {
	const limit = 60
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > limit {
			b.WriteString("…")
			break
		}
		if r < ' ' || r >= 0x7F && r < 0xA0 || r >= 0x2028 && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
