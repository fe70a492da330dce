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
	`"plain text of more than eight bytes, with é, \u0020 and a \"quote\""`, "\"seven77\x1f\"", "\"eight888\x1f\"", `{"html":"<b style=\"color:red\">\n"}`, "\ufeff1", "\u00a01", `{"a":{"b":[{"c":[[]]}]}}`, `]`, `}`, `[}`, `{]`,
}

// The parser makes the tree that encoding/json makes, or refuses the text at the same byte. Only
// texts with very many values are refused earlier.
func FuzzParser(f *testing.F) {
	for _, text := range parserSeeds {
		f.Add([]byte(text))
	}
	f.Add([]byte(strings.Repeat("[", maxDepth+1)))
	f.Add([]byte(strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)))
	f.Fuzz(func(t *testing.T, text []byte) {
		value, offset, ok := parse(text)
		if values := bytes.Count(text, []byte(",")) + bytes.Count(text, []byte(":")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")); values > maxValues {
			return
		}
		wanted, place, err := reference(text)
		if ok != (err == nil) || offset != place || ok && !reflect.DeepEqual(value, wanted) {
			t.Errorf("%q: got %v %#v up to %d, want %v %#v up to %d", text, ok, value, offset, err, wanted, place)
		}
	})
}

// reference is what encoding/json makes of a text.
func reference(text []byte) (value any, offset int, err error) {
	if offset := invalid(text); offset >= 0 {
		return nil, offset, errors.New("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, int(syntax.Offset), err
		}
		return nil, len(text), err
	}
	offset = int(d.InputOffset())
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, offset, errors.New("content after the JSON value")
	}
	return value, offset, nil
}
