package report

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Text is null in JSON if it is empty.
type Text string

// MarshalJSON writes the text. The encoder decides whether HTML characters are escaped.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(string(t))
	return b.Bytes(), err
}

// Number is null in JSON if it is zero.
type Number int

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(n), 10), nil
}
