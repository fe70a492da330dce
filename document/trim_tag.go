package document

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// attributes writes a start tag with the attributes that the sanitiser may keep, and its style reduced to what may be
// safe. Of several attributes of a name the first holds.
func (t *trimmer) attributes(element string, kind html.TokenType) {
	t.write("<" + element)
	allowed := allowedAttributes[element]
	seen := make([]string, 0, 16) // enough for any element
	for all := attributesOf(t.lexer.token); !all.end(); {
		a := all.next()
		i := slices.IndexFunc(allowed, func(b allowedAttribute) bool { return b.is(a.name) })
		if i < 0 || slices.Contains(seen, allowed[i].name) {
			continue
		}
		if t.tooLarge() != nil {
			break
		}
		name := allowed[i].name
		seen = append(seen, name)
		if values := allowed[i].values; values == nil || t.matches(element, a, values) {
			t.attribute(element, name, a)
		}
	}
	if kind == html.SelfClosingTagToken {
		t.write(" /") // not taken for the end of a value
	} else if len(seen) > 0 {
		t.write(" ")
	}
	t.write(">")
}

// attribute writes an attribute so that it is read as before.
func (t *trimmer) attribute(element, name string, a tagAttribute) {
	switch {
	case name == "style":
		t.write(` style="` + html.EscapeString(t.style(element, a)) + `"`)
		return
	case name == "title" || name == "alt":
		t.count(a.value, true)
	}
	t.write(" " + name)
	if a.quoted != "" {
		t.write("=")
		t.write(a.quoted)
	}
}

// resolve returns the value of an attribute, "" if the document turned out to be too large.
func (t *trimmer) resolve(a tagAttribute) string {
	if t.references += strings.Count(a.value, "&"); t.tooLarge() != nil {
		return ""
	}
	return t.resolver.resolve(a)
}

// matches counts an attribute if its value matches a pattern.
func (t *trimmer) matches(element string, a tagAttribute, pattern *regexp.Regexp) bool {
	value := t.resolve(a)
	if !pattern.MatchString(value) {
		t.removed++
		return false
	}
	if t.allowed[element] {
		t.least += len(` =""`) + len(a.name) + len(value)
	}
	return true
}

// style returns what remains of a style.
func (t *trimmer) style(element string, a tagAttribute) string {
	text := t.resolve(a)
	if t.tags += strings.Count(text, ";"); t.tooLarge() != nil {
		return ""
	}
	if text = repairStyle(text, t.picture); t.tooLarge() != nil {
		return ""
	}
	style := trimStyle(text)
	t.odd += style.odd
	if element != "body" {
		t.least += style.least
	}
	return style.text
}

// picture is keptPicture for as many bytes as fit.
func (t *trimmer) picture(address string) string {
	if t.tooLarge() != nil {
		return ""
	}
	if t.pictures += shortestPicture; pictureURL.MatchString(address) {
		t.pictures += len(address)
	}
	if t.tooLarge() != nil {
		return "" // a copy of the address would be in vain
	}
	shown := keptPicture(address)
	t.pictures += max(0, len(shown)-len(address)-shortestPicture) // encoding has made it longer
	return shown
}

const (
	// longestReference exceeds the length of any character reference, in bytes.
	longestReference = 40
	// textPart is how many bytes of a text are examined at a time.
	textPart = 64 << 10
	// cutReference is by how many bytes cut references may distort a count, at both ends.
	cutReference = 2 * longestReference
)

// count counts a text to be shown, or the value of an attribute.
func (t *trimmer) count(text string, references bool) {
	for part, cut := range parts(text) {
		if t.least > t.limit {
			return
		}
		t.least += max(0, shown(part, references)-cut)
	}
}

// parts splits a text for examination; with each part goes the number of bytes by which its count may be too high.
func parts(text string) iter.Seq2[string, int] {
	cut := 0
	if len(text) > textPart {
		cut = cutReference
	}
	return func(yield func(string, int) bool) {
		for text != "" && yield(text[:min(textPart, len(text))], cut) {
			text = text[min(textPart, len(text)):]
		}
	}
}

// shown returns the least number of bytes of a text when it is written with references.
func shown(text string, references bool) int {
	returns := strings.Count(text, "\r")
	if references && strings.Contains(text, "&") {
		text = html.UnescapeString(text)
	}
	return len(text) - returns + 4*(strings.Count(text, "&")+strings.Count(text, "'")+strings.Count(text, `"`)) +
		3*(strings.Count(text, "<")+strings.Count(text, ">"))
}

// seen reports whether a text has a visible character. A cut reference may look like one.
func seen(text string) bool {
	for part := range parts(text) {
		if strings.ContainsFunc(html.UnescapeString(part), isVisible) {
			return true
		}
	}
	return false
}

// shownTitle returns a lower bound of a title's bytes, or anything more than enough.
func shownTitle(text string, enough int) (least int) {
	for part, cut := range parts(text) {
		words := 0
		for word := range strings.FieldsSeq(html.UnescapeString(part)) {
			words += shown(word, false)
		}
		if least += max(0, words-cut); least > enough {
			break
		}
	}
	return least
}
