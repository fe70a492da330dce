package schema

const (
	// maxValues bounds the JSON values in a body, because each takes much more memory and time than its
	// text. No request needs nearly as many.
	maxValues = 50_000
	// maxDepth bounds how deep they are nested, as encoding/json does.
	maxDepth = 10_000
)

// parser reads JSON that is UTF-8 into the tree that encoding/json makes of it with UseNumber, and refuses what that
// refuses, at the same byte. It takes a fifth of the time, because it looks at the text once, and at what is
// plain eight bytes at a time: a body of 8 MB that will be refused must not cost more than it has to. FuzzParser compares the two.
type parser struct {
	text []byte
	// at is the next byte. After a refusal it is the number of bytes up to the one that is wrong.
	at            int
	depth, values int
}

// value reads a value behind white space; false if there is none.
func (p *parser) value() (any, bool) {
	p.space()
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		return p.string()
	case c == 't':
		return true, p.literal("true")
	case c == 'f':
		return false, p.literal("false")
	case c == 'n':
		return nil, p.literal("null")
	case c == '-' || isDigit(c):
		return p.number()
	}
	return nil, p.refuse()
}

// peek is the next byte, 0 at the end: no JSON outside of strings has it.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// refuse says that the next byte is wrong, or that the text ends too early.
func (p *parser) refuse() bool {
	p.at = min(p.at+1, len(p.text))
	return false
}

// accept reads a byte if it is the next one.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) literal(word string) bool {
	for i := range len(word) {
		if !p.accept(word[i]) {
			return p.refuse()
		}
	}
	return true
}

// open begins an object or an array.
func (p *parser) open() bool {
	if p.depth++; p.depth > maxDepth {
		return p.refuse()
	}
	return p.punctuation()
}

// punctuation reads a byte that a further value may follow.
func (p *parser) punctuation() bool {
	if p.values++; p.values > maxValues {
		return false
	}
	p.at++
	return true
}

// close reads the end of an object or an array, or the comma before its next value; more says which.
func (p *parser) close(end byte) (more, ok bool) {
	p.space()
	switch p.peek() {
	case end:
		p.depth--
		p.at++
		return false, true
	case ',':
		return true, p.punctuation()
	}
	return false, p.refuse()
}

func (p *parser) object() (any, bool) {
	members := object{}
	if !p.open() {
		return nil, false
	}
	p.space()
	if p.accept('}') {
		p.depth--
		return members, true
	}
	for {
		name, value, ok := p.member()
		if !ok {
			return nil, false
		}
		members[name] = value
		if more, ok := p.close('}'); !ok || !more {
			return members, ok
		}
	}
}

func (p *parser) member() (name string, value any, ok bool) {
	p.space()
	if p.peek() != '"' {
		return "", nil, p.refuse()
	}
	if name, ok = p.string(); !ok {
		return "", nil, false
	}
	p.space()
	if p.peek() != ':' {
		return "", nil, p.refuse()
	}
	if !p.punctuation() {
		return "", nil, false
	}
	value, ok = p.value()
	return name, value, ok
}

func (p *parser) array() (any, bool) {
	elements := []any{}
	if !p.open() {
		return nil, false
	}
	p.space()
	if p.accept(']') {
		p.depth--
		return elements, true
	}
	for {
		value, ok := p.value()
		if !ok {
			return nil, false
		}
		elements = append(elements, value)
		if more, ok := p.close(']'); !ok || !more {
			return elements, ok
		}
	}
}
