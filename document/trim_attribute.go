package document

import "strings"

// tagSpace is what separates the parts of a tag.
const tagSpace = " \n\r\t\f"

// tagAttribute is one of a start tag, as it stands in the source.
type tagAttribute struct {
	name string
	// value is without its quotes, and has its references.
	value string
	// quoted is the value with its quotes; "" if there is none.
	quoted string
	// left is how many bytes of the tag come after the value.
	left int
}

// tagAttributes reads the attributes of a tag as html.Tokenizer does, but takes no time to resolve references and
// to copy values.
type tagAttributes struct{ rest string }

// attributesOf returns the attributes of a start tag.
func attributesOf(tag string) tagAttributes {
	all := tagAttributes{tag}
	all.skip(len("<") + tagNameEnd(tag[len("<"):]))
	return all
}

// next returns the next attribute.
func (all *tagAttributes) next() (a tagAttribute, more bool) {
	if all.end() {
		return a, false
	}
	end := attributeNameEnd(all.rest)
	a.name = all.rest[:end]
	all.skipSpaces(end)
	if strings.HasPrefix(all.rest, "=") {
		all.skipSpaces(1)
		a.value, a.quoted = all.value()
		a.left = len(all.rest) - len(a.quoted)
		all.skip(len(a.quoted))
		return a, true
	}
	all.skip(0)
	return a, true
}

// end reports whether what is left begins with the end of the tag, or is nothing.
func (all *tagAttributes) end() bool { return all.rest == "" || all.rest[0] == '>' }

// skip takes so many bytes, and what may be between attributes.
func (all *tagAttributes) skip(bytes int) {
	for all.skipSpaces(bytes); strings.HasPrefix(all.rest, "/"); {
		all.skipSpaces(1)
	}
}

// skipSpaces takes so many bytes, and the spaces after them.
func (all *tagAttributes) skipSpaces(bytes int) {
	for bytes < len(all.rest) && isTagSpace(all.rest[bytes]) {
		bytes++
	}
	all.rest = all.rest[bytes:]
}

func isTagSpace(c byte) bool {
	return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f')
}

// value returns the value that comes next. One that is not closed has all the rest.
func (all *tagAttributes) value() (value, quoted string) {
	if all.end() {
		return "", ""
	}
	if quote := all.rest[0]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(all.rest[1:], quote)
		if end < 0 {
			return all.rest[1:], all.rest
		}
		return all.rest[1 : 1+end], all.rest[:end+2]
	}
	end := 0
	for end < len(all.rest) && all.rest[end] != '>' && !isTagSpace(all.rest[end]) {
		end++
	}
	return all.rest[:end], all.rest[:end]
}

func tagNameEnd(text string) int {
	end := 0
	for end < len(text) && !partsTag[text[end]] {
		end++
	}
	return end
}

// attributeNameEnd is where the name of an attribute ends. An equals sign may begin one.
func attributeNameEnd(text string) int {
	end := 0
	for end < len(text) && !partsTag[text[end]] && (text[end] != '=' || end == 0) {
		end++
	}
	return end
}

// partsTag has the bytes that end a name in a tag.
var partsTag = [256]bool{' ': true, '\n': true, '\r': true, '\t': true, '\f': true, '/': true, '>': true}

// readTag returns the name of a tag at the beginning of a text, where the name begins at from, how many attributes
// it has, and where it ends; -1 if it does not. It reads no more than most attributes.
func readTag(text string, from, most int) (name string, count, end int) {
	name = text[from : from+tagNameEnd(text[from:])]
	all := tagAttributes{text}
	all.skip(from + len(name))
	for !all.end() && count <= most {
		all.next()
		count++
	}
	if all.end() && all.rest != "" {
		return name, count, len(text) - len(all.rest) + len(">")
	}
	return name, count, -1
}
