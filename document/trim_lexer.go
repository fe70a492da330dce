package document

import (
	"math"
	"strings"

	"golang.org/x/net/html"
)

// lexer splits a document into the tokens of html.Tokenizer, byte for byte, without copying it and without reading the
// inside of tags: for large documents it takes a tenth of the time. FuzzLexer compares the two.
type lexer struct {
	text string
	// token is the current token, name its element's name in lower case; "" if it has none.
	token, name string
	// raw is the element whose raw text comes next; "" for none.
	raw string
	// refused is set if a start tag has too many attributes, or those that end with a slash have too many together.
	refused bool
	// slashed counts the attributes of the latter, which are read twice.
	slashed int
}

// maxAttributes bounds the attributes of a start tag, and those of all that end with a slash.
const maxAttributes = 300_000

// next reads the next token. The end, and a tag that is not closed, are an ErrorToken.
func (l *lexer) next() html.TokenType {
	l.name = ""
	if raw := l.raw; raw != "" {
		l.raw = ""
		if end := rawTextEnd(l.text, raw); end > 0 {
			return l.take(html.TextToken, end)
		}
	}
	if end := textEnd(l.text); end > 0 {
		return l.take(html.TextToken, end)
	}
	switch {
	case l.text == "":
		return l.take(html.ErrorToken, 0)
	case isLetter(l.text[1]):
		return l.startTag()
	case l.text[1] == '/' && isLetter(l.text[2]):
		return l.endTag()
	}
	return l.take(html.CommentToken, commentEnd(l.text))
}

func (l *lexer) take(kind html.TokenType, bytes int) html.TokenType {
	l.token, l.text = l.text[:bytes], l.text[bytes:]
	return kind
}

func (l *lexer) startTag() html.TokenType {
	name, end, tooMany := readTag(l.text, len("<"), maxAttributes)
	l.refused = tooMany
	if end < 0 {
		return l.take(html.ErrorToken, len(l.text))
	}
	l.take(html.StartTagToken, end)
	l.name = asciiLower(name)
	if rawText[l.name] {
		l.raw = l.name
	}
	if strings.HasSuffix(l.token, "/>") && !l.valueEnds() {
		return html.SelfClosingTagToken
	}
	return html.StartTagToken
}

// valueEnds reports whether the current tag ends with the value of an attribute. The tokenizer drops a repeated attribute,
// so that a slash at the end of its value belongs to the tag.
func (l *lexer) valueEnds() bool {
	tag, last := l.token, tagAttribute{}
	for all := attributesOf(tag); !all.end(); l.slashed++ {
		if l.slashed == maxAttributes {
			l.refused = true
			return false
		}
		last = all.next()
	}
	if last.left != len(">") {
		return false
	}
	name := asciiLower(last.name)
	for all := attributesOf(tag); ; {
		if first := all.next(); asciiLower(first.name) == name {
			return first.left == last.left
		}
	}
}

func (l *lexer) endTag() html.TokenType {
	name, end, _ := readTag(l.text, len("</"), math.MaxInt)
	if end < 0 {
		return l.take(html.ErrorToken, len(l.text))
	}
	l.name = asciiLower(name)
	return l.take(html.EndTagToken, end)
}

// textEnd returns where a text at the beginning ends.
func textEnd(text string) int {
	for at := 0; ; {
		angle := strings.IndexByte(text[at:], '<')
		if angle < 0 {
			return len(text)
		}
		at += angle
		switch rest := text[at+1:]; {
		case rest == "" || rest == "/" && at == 0:
			return len(text)
		case isLetter(rest[0]) || rest[0] == '/' || rest[0] == '!' || rest[0] == '?':
			return at
		}
		at++
	}
}

// commentEnd returns where a comment ends, or a declaration or anything else that is read like one.
func commentEnd(text string) int {
	for at := 0; ; {
		angle := strings.IndexByte(text[at:], '>')
		if angle < 0 {
			return len(text)
		}
		at += angle + 1
		inside, comment := strings.CutPrefix(text[:at-1], "<!--")
		if !comment || inside == "" || inside == "-" || strings.HasSuffix(inside, "--") || strings.HasSuffix(inside, "--!") {
			return at
		}
	}
}

// rawTextEnd is where the raw text of an element ends.
func rawTextEnd(text, element string) int {
	switch element {
	case "plaintext":
		return len(text)
	case "script":
		return scriptEnd(text)
	}
	for at := 0; ; at++ {
		angle := strings.IndexByte(text[at:], '<')
		if angle < 0 {
			return len(text)
		}
		at += angle
		if opens(text[at:], "</", element) {
			return at
		}
	}
}

// opens reports whether a tag with a name begins here.
func opens(text, mark, name string) bool {
	end := len(mark) + len(name)
	return len(text) > end && text[:len(mark)] == mark && strings.EqualFold(text[len(mark):end], name) && partsTag[text[end]]
}

// scriptEnd returns where a script ends. Within an apparent comment, a nested script is skipped.
func scriptEnd(text string) int {
	const (
		plain = iota
		comment
		inner // a script within the comment
	)
	state, dashes := plain, 0
	for at := 0; at < len(text); at++ {
		if state == plain {
			angle := strings.IndexByte(text[at:], '<')
			if angle < 0 {
				return len(text)
			}
			at += angle
		}
		before := dashes
		dashes = 0
		switch rest := text[at:]; {
		case rest[0] == '-':
			dashes = before + 1
		case rest[0] == '>' && before >= 2:
			state = plain
		case rest[0] != '<':
		case opens(rest, "</", "script"):
			if state != inner {
				return at
			}
			state = comment
			at += len("</script")
		case state == plain && strings.HasPrefix(rest, "<!--"):
			state, dashes = comment, 2
			at += len("<!-")
		case state == comment && opens(rest, "<", "script"):
			state = inner
			at += len("<script")
		case state == comment && len(rest) > 1 && rest[1] != '/' && !isLetter(rest[1]):
			state = plain
		}
	}
	return len(text)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// asciiLower returns a text with only the letters A to Z in lower case.
func asciiLower(text string) string {
	isUpper := func(c rune) bool { return 'A' <= c && c <= 'Z' }
	if !strings.ContainsFunc(text, isUpper) {
		return text
	}
	lower := []byte(text)
	for i, c := range lower {
		if isUpper(rune(c)) {
			lower[i] += 'a' - 'A'
		}
	}
	return string(lower)
}
