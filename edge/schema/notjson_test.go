package schema

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// encoded encodes a text in units of 16 or 32 bits.
func encoded(text string, order binary.AppendByteOrder, bits int) string {
	var b []byte
	if bits == 32 {
		for _, r := range text {
			b = order.AppendUint32(b, uint32(r))
		}
		return string(b)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// The error names the format that was sent in place of JSON, whatever the content type says.
func TestNotJSON(t *testing.T) {
	const (
		good, form, parts = `{"to":"é"}`, "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"
		many              = `{"to":"a","copies":["a"`
	)
	for name, tc := range map[string]struct{ body, contentType, want string }{
		"JSON":                          {good, "application/json", ""},
		"JSON, called Latin-1":          {good, "application/json; charset=iso-8859-1", ""},
		"JSON, called a form":           {good, form, ""},
		"JSON, called parts":            {good, parts, ""},
		"wrong JSON, called a form":     {" {", form, ""},
		"UTF-16":                        {encoded("\ufeff"+good, binary.LittleEndian, 16), form, "the body is UTF-16"},
		"UTF-16, the other way":         {encoded("\ufeff"+good, binary.BigEndian, 16), "", "the body is UTF-16"},
		"UTF-16 without a mark":         {encoded(good, binary.LittleEndian, 16), "", "the body is UTF-16"},
		"UTF-16 without a mark, around": {encoded(good, binary.BigEndian, 16), "", "the body is UTF-16"},
		"little UTF-16":                 {encoded("1", binary.BigEndian, 16), "", "the body is UTF-16"},
		"UTF-32":                        {encoded("\ufeff"+good, binary.LittleEndian, 32), "", "the body is UTF-32"},
		"UTF-32, the other way":         {encoded("\ufeff"+good, binary.BigEndian, 32), "", "the body is UTF-32"},
		"UTF-32 without a mark":         {encoded(good, binary.LittleEndian, 32), "", "the body is UTF-32"},
		"UTF-32 without a mark, around": {encoded(good, binary.BigEndian, 32), "", "the body is UTF-32"},
		"Latin-1":                       {"{\"to\":\"\xe9\"}", "application/json", "the body is not UTF-8, but perhaps Latin-1"},
		"Latin-1, so called":            {"{\"to\":\"\xe9\"}", "application/json; charset=ISO-8859-1", "the body is not UTF-8; its Content-Type says ISO-8859-1"},
		"Latin-1, oddly called":         {"{\"to\":\"\xe9\"}", `application/json; charset="<script>"`, "the body is not UTF-8, but perhaps Latin-1"},
		"compressed":                    {"\x1f\x8b\x08\x00", "application/json", "the body is compressed by gzip"},
		"a form":                        {"html=%3Cp%3E&test=true", form + "; charset=utf-8", "the body is a form (application/x-www-form-urlencoded)"},
		"parts":                         {"--x\r\nContent-Disposition: form-data; name=\"html\"\r\n\r\n\xff\r\n--x--\r\n", parts, "the body is a form (multipart/form-data)"},
		"parts of a mail":               {"\r\n--x\r\n\r\n--x--\r\n", "Multipart/Mixed; boundary=x", "the body is a form (multipart/mixed)"},
		"parts of a long name":          {"--x", "multipart/" + strings.Repeat("x", MaxName-len("multipart/")), "the body is a form (multipart/xxx"},
		"parts of a longer name":        {"--x", "multipart/" + strings.Repeat("x", MaxName), ""},
		"many values":                   {many + strings.Repeat(`,"a"`, maxValues) + `]}`, "", "the body has more than 50000 JSON values"},
		"a mark alone":                  {"\ufeff", form, ""},
	} {
		_, _, violations := letter.Decode([]byte(tc.body), tc.contentType)
		switch got := told(violations); {
		case tc.want == "" && strings.Contains(got, ": the body"), tc.want != "" && !strings.Contains(got, "json_invalid JSON decode error: "+tc.want):
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		case tc.want == "" && strings.HasPrefix(name, "JSON") && got != "":
			t.Errorf("%s: got %q", name, got)
		}
	}
}
