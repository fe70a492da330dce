package schema

import (
	"strings"
	"testing"
)

// A body with very many values is refused before they are allocated; text does not count.
func TestTooManyValues(t *testing.T) {
	many := func(n int) string { return `{"a":[` + strings.TrimSuffix(strings.Repeat("1,", n), ",") + `]}` }
	const outside = 3 // the braces, the colon, the bracket; the first element has no comma
	for name, tc := range map[string]struct {
		text string
		ok   bool
	}{
		"values":       {many(maxValues - outside + 1), true},
		"more values":  {many(maxValues - outside + 2), false},
		"members":      {`{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, maxValues/2-1), ",") + `}`, true},
		"more members": {`{` + strings.TrimSuffix(strings.Repeat(`"a":1,`, maxValues), ",") + `}`, false},
		"text":         {`{"a":"` + strings.Repeat(`,[{\":`, maxValues) + `"}`, true},
		"backslashes":  {`["\\",` + strings.Repeat(`"\\\"",`, 100) + `"\\\\"]`, true},
		"no end":       {`{"a":"` + strings.Repeat(",", maxValues+1), false},
	} {
		if _, offset, err := parse([]byte(tc.text)); (err == nil) != tc.ok {
			t.Errorf("%s: got %v up to %d", name, err, offset)
		}
	}
}

// BenchmarkRefusedJSON measures refused bodies of 8 MB.
func BenchmarkRefusedJSON(b *testing.B) {
	fill := func(s string) string { return strings.Repeat(s, 8_000_000/len(s)) }
	for name, text := range map[string]string{
		"elements": "[" + fill("1,") + "1]", "members": `{` + fill(`"a":1,`) + `"b":1}`, "arrays": fill("["), "text": `{"a":"` + fill("x"), "escapes": `{"a":"` + fill(`\n`), "backslashes": `{"a":"` + fill(`\\`),
		"quotes": `{"a":"` + fill(`\"`), "spaces": fill(" "),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := parse([]byte(text)); err == nil {
					b.Fatal("it is not refused")
				}
			}
		})
	}
}
