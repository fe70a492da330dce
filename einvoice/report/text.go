package report

import (
	"encoding/json"
	"strconv"
)

// Text is null in JSON if it is empty.
type Text string

// MarshalJSON writes the text.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
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
