package textfile

import (
	"os"
	"path/filepath"
	"testing"
)

// A text file may begin with a byte order mark; for another encoding, the error names it.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ content, want, wrong string }{
		{content: ""},
		{content: "a", want: "a"},
		{content: "{\"a\": \"ä\"}", want: "{\"a\": \"ä\"}"},
		{content: "\xef\xbb\xbf{}", want: "{}"},
		{content: "\xef\xbb\xbf", want: ""},
		{content: "\xff\xfe{\x00}\x00", wrong: "FILE is encoded in UTF-16 (little-endian); save it as UTF-8"},
		{content: "\xfe\xff\x00{\x00}", wrong: "FILE is encoded in UTF-16 (big-endian); save it as UTF-8"},
		{content: "{\x00}\x00", wrong: "FILE is encoded in UTF-16 (little-endian); save it as UTF-8"},
		{content: "\x00{\x00}", wrong: "FILE is encoded in UTF-16 (big-endian); save it as UTF-8"},
		{content: "one\ntwo\xe4\n", wrong: "FILE is not encoded in UTF-8, as line 2 shows; it may be in Latin-1 or Windows-1252: save it as UTF-8"},
		{content: "a \ufffd b", want: "a \ufffd b"},
	} {
		got, err := Decode("FILE", []byte(c.content))
		if string(got) != c.want || (err == nil) != (c.wrong == "") || err != nil && err.Error() != c.wrong {
			t.Errorf("%q: got %q, %v", c.content, got, err)
		}
	}
}

// An error in JSON names the line of the first mistake.
func TestReadJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.json")
	for content, wrong := range map[string]string{
		"\xef\xbb\xbf{\"a\": 1}\n": "",
		"{\n\"a\": 1,\n}":          path + " is not valid JSON: line 3: invalid character '}' looking for beginning of object key string",
		"{\n":                      path + " is not valid JSON: line 2: unexpected end of JSON input",
		"{} {}":                    path + " is not valid JSON: line 1: invalid character '{' after top-level value",
		"\xff\xfe{\x00}\x00":       path + " is encoded in UTF-16 (little-endian); save it as UTF-8",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadJSON(path)
		if (err == nil) != (wrong == "") || err != nil && err.Error() != wrong {
			t.Errorf("%q: got %v", content, err)
		}
	}
	if _, err := ReadJSON(path + "x"); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
