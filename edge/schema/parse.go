package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// parse reads one JSON value; with an error, offset is where the body went wrong.
func parse(body []byte) (value any, offset int, err error) {
	if offset := invalid(body); offset >= 0 {
		return nil, offset, errors.New("not UTF-8")
	}
	if offset := tooMany(body); offset >= 0 {
		return nil, offset, fmt.Errorf("more than %d values", maxValues)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, position(err, len(body)), err
	}
	offset = int(d.InputOffset())
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, offset, errors.New("content after the JSON value")
	}
	return value, offset, nil
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

func position(err error, length int) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return int(syntax.Offset)
	}
	return length
}
