package chromium

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/cdp"
)

var idPrefix = []byte(`{"id":`)

// answerID reads the id of an answer, which the browser always writes first. It does not
// look at the rest, which may be megabytes. ok is false for an event.
func answerID(frame []byte) (id int, ok bool) {
	digits, ok := bytes.CutPrefix(frame, idPrefix)
	if !ok {
		return 0, false
	}
	for i, c := range digits {
		if c < '0' || c > '9' {
			return id, i > 0
		}
		id = id*10 + int(c-'0')
	}
	return id, len(digits) > 0
}

// result decodes an answer into its result, or the error that the browser reports.
func result(method string, frame []byte) ([]byte, error) {
	var response cdp.Response
	if err := json.Unmarshal(frame, &response); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if response.Error != nil {
		return nil, fmt.Errorf("%s: %w", method, response.Error)
	}
	return response.Result, nil
}

// stringField cuts the value of a string field out of a frame without decoding
// the rest. It is for base64, which contains no escapes.
func stringField(frame []byte, name string) (value []byte, ok bool) {
	_, after, ok := bytes.Cut(frame, []byte(`"`+name+`":"`))
	if !ok {
		return nil, false
	}
	end := bytes.IndexByte(after, '"')
	if end < 0 {
		return nil, false
	}
	return after[:end], true
}

// decodeData returns the bytes in the base64 field "data" of an answer; more than limit
// are ErrOversized.
func decodeData(method string, frame []byte, limit int64) ([]byte, error) {
	encoded, ok := stringField(frame, "data")
	if !ok {
		if _, err := result(method, frame); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: no data in the answer", method)
	}
	padding := len(encoded) - len(bytes.TrimRight(encoded, "="))
	if int64(base64.StdEncoding.DecodedLen(len(encoded))-padding) > limit {
		return nil, fmt.Errorf("%s: %w", method, ErrOversized)
	}
	data := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
	n, err := base64.StdEncoding.Decode(data, encoded)
	return data[:n], err
}

// endOfStream reports whether an answer to IO.read is the last. The field comes before or
// after the data; base64 contains no quotes, so the text cannot be part of the data.
func endOfStream(frame []byte) bool {
	const margin = 256
	mark := []byte(`"eof":true`)
	return bytes.Contains(frame[:min(margin, len(frame))], mark) || bytes.Contains(frame[max(0, len(frame)-margin):], mark)
}
