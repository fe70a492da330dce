package schema

import "unicode/utf8"

// parse reads one JSON value. If the body is not one, or has too many values, offset is where it went wrong.
func parse(body []byte) (value any, offset int, ok bool) {
	if offset := invalid(body); offset >= 0 {
		return nil, offset, false
	}
	p := parser{text: body}
	if value, ok = p.value(); !ok {
		return nil, p.at, false
	}
	offset = p.at
	p.space()
	return value, offset, p.at == len(body)
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
