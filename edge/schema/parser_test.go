package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

var parserSeeds = []string{
	``, ` `, `null`, `nul`, `nulx`, ` true `, `false `, `{}`, `[ ]`, `{"a":1,"a":2}`, `{"a" : [1 , -2.5e+3,"x"] }`, `{"a":}`, `{,}`, `{"a":1,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a"}`, `{1:2}`,
	`0`, `-0`, `01`, `-`, `-x`, `1.`, `1.x`, `.5`, `1e`, `1e+`, `1E-07`, `1e5x`, `+1`, `1 2`, `"a"b`, `"a`, `"`, `"\`, `"\x"`, `"\'"`, `"\/\b\f\n\r\t\"\\"`, "\"\n\"", "\"a\x00\"", "\x00", "[\x00",
	`"\u00e9\u00E9"`, `"\u12"`, `"\u12g4"`, `"\u"`, `"\u123`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\ud83d\u12g4"`,
	`"plain text of more than eight bytes, with é, \u0020 and a \"quote\""`, "\"seven77\x1f\"", "\"eight888\x1f\"", `{"html":"<b style=\"color:red\">\n"}`, "\ufeff1", "\ufeff\ufeff1", "\ufeff", "\ufeff{", "1\ufeff", "\u00a01", `{"a":{"b":[{"c":[[]]}]}}`, `]`, `}`, `[}`, `{]`,
}

// The parser builds the same tree as encoding/json, and refuses the same texts. Exceptions: it refuses texts with very
// many values, and ignores a byte order mark.
func FuzzParser(f *testing.F) {
	for _, text := range parserSeeds {
		f.Add([]byte(text))
	}
	f.Add([]byte(strings.Repeat("[", 10_001)))
	f.Add([]byte(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)))
	f.Fuzz(func(t *testing.T, text []byte) {
		value, offset, wrong := parse(text)
		if values := bytes.Count(text, []byte(",")) + bytes.Count(text, []byte(":")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")); values > maxValues {
			return
		}
		wanted, end, err := reference(text)
		if (wrong == nil) != (err == nil) || wrong == nil && (offset != end || !reflect.DeepEqual(value, wanted)) || offset < 0 || offset > len(text) {
			t.Errorf("%.200q: got %v %#v up to %d, want %v %#v up to %d", text, wrong, value, offset, err, wanted, end)
		}
	})
}

// reference returns the result of encoding/json for a text.
func reference(body []byte) (value any, end int, err error) {
	text := bytes.TrimPrefix(body, byteOrderMark)
	if invalid(text) >= 0 {
		return nil, 0, errors.New("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, 0, err
	}
	end = len(body) - len(text) + int(d.InputOffset())
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, 0, errors.New("content after the JSON value")
	}
	return value, end, nil
}
