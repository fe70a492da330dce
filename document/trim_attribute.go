package document

import "strings"

// tagAttribute is one of a start tag, as it stands in the source.
type tagAttribute struct {
	name string
	// value is the value without its quotes, its references not resolved.
	value string
	// quoted is the value with its quotes; "" if there is none.
	quoted string
	// left is how many bytes of the tag come after the value.
	left int
}

// tagAttributes reads the attributes of a tag as html.Tokenizer does, but takes no time to resolve references and
// to copy values.
type tagAttributes struct {
	text string
	at   int // the next byte
}

// attributesOf returns the attributes of a start tag.
func attributesOf(tag string) tagAttributes {
	all := tagAttributes{tag, len("<") + tagNameEnd(tag[len("<"):])}
	all.skip()
	return all
}

// next reads the next attribute.
func (all *tagAttributes) next() (a tagAttribute) {
	start := all.at
	all.at += attributeNameEnd(all.text[start:])
	a.name = all.text[start:all.at]
	if all.equals() {
		a.value, a.quoted = all.value()
		a.left = len(all.text) - all.at
	}
	all.skip()
	return a
}

// equals takes an equals sign and the spaces around it, if one comes next.
func (all *tagAttributes) equals() bool {
	all.skipSpaces()
	if all.at == len(all.text) || all.text[all.at] != '=' {
		return false
	}
	all.at++
	all.skipSpaces()
	return true
}

// end reports whether the tag, or the text, ends here.
func (all *tagAttributes) end() bool { return all.at == len(all.text) || all.text[all.at] == '>' }

// skip skips the bytes between attributes.
func (all *tagAttributes) skip() {
	for !all.end() && partsTag[all.text[all.at]] {
		all.at++
	}
}

// skipSpaces skips spaces.
func (all *tagAttributes) skipSpaces() {
	for all.at < len(all.text) && isTagSpace(all.text[all.at]) {
		all.at++
	}
}

func isTagSpace(c byte) bool { return c <= ' ' && partsTag[c] }

// value reads the next value. An unclosed one extends to the end.
func (all *tagAttributes) value() (value, quoted string) {
	start := all.at
	all.at = all.valueEnd()
	value = all.text[start:all.at]
	quoted = value
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		quote := value[0]
		if value = value[1:]; value != "" && value[len(value)-1] == quote {
			value = value[:len(value)-1]
		}
	}
	return value, quoted
}

// valueEnd returns where the next value ends.
func (all *tagAttributes) valueEnd() int {
	if all.end() {
		return all.at
	}
	at := all.at
	if quote := all.text[at]; quote == '"' || quote == '\'' {
		if length := strings.IndexByte(all.text[at+1:], quote); length >= 0 {
			return at + 1 + length + 1
		}
		return len(all.text)
	}
	for at < len(all.text) && all.text[at] != '>' && !isTagSpace(all.text[at]) {
		at++
	}
	return at
}

func tagNameEnd(text string) int {
	end := 0
	for end < len(text) && !partsTag[text[end]] {
		end++
	}
	return end
}

// attributeNameEnd returns where the name of an attribute ends. It may begin with an equals sign.
func attributeNameEnd(text string) int {
	end := 0
	for end < len(text) && !partsTag[text[end]] && (text[end] != '=' || end == 0) {
		end++
	}
	return end
}

// partsTag has the bytes that end a name in a tag.
var partsTag = [256]bool{' ': true, '\n': true, '\r': true, '\t': true, '\f': true, '/': true, '>': true}

// readTag returns the name of a tag at the beginning of a text, where the name begins at from; where the tag ends, -1 if it does
// not; and whether it has more than most attributes, where it stops reading.
func readTag(text string, from, most int) (name string, end int, tooMany bool) {
	name = text[from : from+tagNameEnd(text[from:])]
	from += len(name)
	if end := plainTagEnd(text, from); end >= 0 && end-from <= most {
		return name, end, false
	}
	all := tagAttributes{text, from}
	all.skip()
	for count := 0; !all.end(); count++ {
		if count == most {
			return name, -1, true
		}
		all.next()
	}
	if all.at == len(text) {
		return name, -1, false
	}
	return name, all.at + len(">"), false
}

// plainTagEnd returns where a tag ends if that is clear without reading its attributes, because none has quotes; otherwise -1.
func plainTagEnd(text string, from int) int {
	length := strings.IndexByte(text[from:], '>')
	if length < 0 {
		return -1
	}
	if inside := text[from : from+length]; strings.IndexByte(inside, '"') >= 0 || strings.IndexByte(inside, '\'') >= 0 {
		return -1
	}
	return from + length + len(">")
}
