package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxValues bounds the JSON values in a body, names of members included, because each takes much more memory and
// time than its text. No request needs nearly as many.
const maxValues = 50_000

// parse reads one JSON value into the tree that encoding/json makes of it with UseNumber. offset is where the value
// ended or, with an error, where the body went wrong. A byte order mark before the value is ignored.
func parse(body []byte) (value any, offset int, err error) {
	text := bytes.TrimPrefix(body, byteOrderMark)
	value, offset, err = parseText(text)
	return value, offset + len(body) - len(text), err
}

func parseText(body []byte) (value any, offset int, err error) {
	if offset := invalid(body); offset >= 0 {
		return nil, offset, errNotUTF8
	}
	// As in encoding/json, unpaired surrogates become replacement characters, and the last of equal names counts.
	p := parser{jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)), -1}
	value, err = p.value()
	offset = int(p.tokens.InputOffset())
	if err != nil {
		return nil, place(err, offset, len(body)), err
	}
	if len(bytes.Trim(body[offset:], " \t\r\n")) > 0 {
		return nil, offset, errTrailing
	}
	return value, offset, nil
}

// Reasons why a body cannot be parsed, besides syntax errors.
var (
	errNotUTF8  = errors.New("not UTF-8")
	errTooMany  = errors.New("too many values")
	errTrailing = errors.New("text after the value")
)

// place returns the offset at which a body went wrong: the one that the error names, or the end.
func place(err error, offset, length int) int {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooMany):
		return offset
	case errors.As(err, &syntax):
		return int(syntax.ByteOffset)
	}
	return length
}

// parser builds a tree from tokens.
type parser struct {
	tokens *jsontext.Decoder
	inner  int // the number of values and names within the outermost value
}

// count counts a value or a name, before it is read.
func (p *parser) count() error {
	if p.inner++; p.inner > maxValues {
		return errTooMany
	}
	return nil
}

func (p *parser) value() (any, error) {
	if err := p.count(); err != nil {
		return nil, err
	}
	if p.tokens.PeekKind() == '"' {
		return p.text()
	}
	token, err := p.tokens.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '0':
		return json.Number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil // null; the decoder refuses stray closing brackets
}

// text reads a string. Most long strings are copied only once.
func (p *parser) text() (string, error) {
	quoted, err := p.tokens.ReadValue()
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	text, _ := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted) // fails only for unpaired surrogates, which it replaces
	return string(text), nil
}

func (p *parser) object() (any, error) {
	members := object{}
	for p.tokens.PeekKind() != '}' {
		if err := p.count(); err != nil {
			return nil, err
		}
		name, err := p.tokens.ReadToken()
		if err != nil {
			return nil, err
		}
		member := name.String()
		if members[member], err = p.value(); err != nil {
			return nil, err
		}
	}
	_, err := p.tokens.ReadToken()
	return members, err
}

func (p *parser) array() (any, error) {
	elements := []any{}
	for p.tokens.PeekKind() != ']' {
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		elements = append(elements, value)
	}
	_, err := p.tokens.ReadToken()
	return elements, err
}

// invalid is the offset at which a body stops being UTF-8, -1 for none. The JSON parser
// would silently replace such bytes, and the page would show what no client sent.
func invalid(body []byte) int {
	if utf8.Valid(body) {
		return -1
	}
	offset := 0
	for {
		r, size := utf8.DecodeRune(body[offset:])
		if r == utf8.RuneError && size <= 1 {
			return offset
		}
		offset += size
	}
}
