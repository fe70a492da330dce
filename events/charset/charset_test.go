package charset

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDecode(t *testing.T) {
	late := strings.Repeat(" ", 1024)
	for name, tc := range map[string]struct{ content, fallback, want string }{
		"empty":                   {"", "", ""},
		"UTF-8":                   {"Grüße", "", "Grüße"},
		"with a mark":             {"\ufeffGrüße", "windows-1250", "Grüße"},
		"UTF-8, declared wrongly": {`<meta charset="windows-1252">Grüße`, "", `<meta charset="windows-1252">Grüße`},
		"UTF-16LE":                {"\xff\xfeG\x00r\x00\xfc\x00", "", "Grü"},
		"UTF-16BE":                {"\xfe\xff\x00G\x00r\x00\xfc", "", "Grü"},
		"declared": {
			"<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1251\">\xcf\xf0\xe8", "windows-1250",
			"<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1251\">При",
		},
		"declared in time":      {late[:1000] + "<meta charset=koi8-r>\xf0", "", late[:1000] + "<meta charset=koi8-r>П"},
		"declared too late":     {late + "<meta charset=koi8-r>\xfc", "", late + "<meta charset=koi8-r>ü"},
		"undeclared":            {"Gr\xfc\xdfe \x80", "", "Grüße €"},
		"with a fallback":       {"\xb9", "iso-8859-2", "š"},
		"declared as assumed":   {"<meta charset=latin1>\xb9", "iso-8859-2", "<meta charset=latin1>¹"},
		"with a wrong one":      {"\xfc", "x", "ü"},
		"Shift JIS":             {"<meta charset=shift_jis>\x93\xfa\x96{", "", "<meta charset=shift_jis>日本"},
		"broken UTF-8":          {"<meta charset=utf-8>ü\xfc", "", "<meta charset=utf-8>ü\ufffd"},
		"UTF-8 that breaks off": {"ڨ\xef", "", "ڨ\ufffd"},
		"half a UTF-16 letter":  {"\xff\xfeG\x00r", "", "G\ufffd"},
	} {
		if got := string(Decode([]byte(tc.content), tc.fallback)); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestIsLabel(t *testing.T) {
	for text, want := range map[string]bool{"utf8": true, "UTF-8": true, "latin1": true, "": false, "x": false} {
		if IsLabel(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// Whatever a file has, the result is valid, and not much longer.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "\xff\xfe", "<meta charset=iso-2022-jp>\x1b$B", "<meta charset=gb18030>\x81\x30", "\xef\xbb\xbf\xff"} {
		f.Add([]byte(seed), "utf-16")
	}
	f.Fuzz(func(t *testing.T, content []byte, fallback string) {
		got := Decode(content, fallback)
		if !utf8.Valid(got) || len(got) > 4*len(content)+3 {
			t.Errorf("%q becomes %q", content, got)
		}
	})
}
