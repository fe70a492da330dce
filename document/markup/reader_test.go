package markup

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// tokens writes the tokens of a document as XML, up to the fault if there is one.
func tokens(document string) (string, *Fault) {
	text, fault := Decode([]byte(document))
	if fault != nil {
		return "", fault
	}
	var b strings.Builder
	r := NewReader(text)
	for {
		token, fault := r.Next()
		if fault != nil {
			return b.String(), fault
		}
		switch token.Kind {
		case StartElement:
			b.WriteString("<" + token.Name.Local)
			for _, a := range token.Attributes {
				b.WriteString(" " + a.Name.Local + "=" + a.Value)
			}
			b.WriteString(">")
		case EndElement:
			b.WriteString("</" + token.Name.Local + ">")
		case Text:
			b.WriteString(token.Text)
		case EndDocument:
			return b.String(), nil
		}
	}
}

func TestWellFormed(t *testing.T) {
	for document, want := range map[string]string{
		"<a/>":                                          "<a></a>",
		"<a></a >":                                      "<a></a>",
		"<a\n>x</a>\n":                                  "<a>x</a>",
		"\n<!-- c --><?p i?><a/>":                       "<a></a>",
		"<a/><!-- c --><?p?> \n":                        "<a></a>",
		"\xEF\xBB\xBF<a/>":                              "<a></a>",
		"<a>\r\n\r</a>":                                 "<a>\n\n</a>",
		"<a b='1'  c = \"2\"/>":                         "<a b=1 c=2></a>",
		"<a b='x\n\ty&#10;&#9;'/>":                      "<a b=x  y\n\t></a>",
		"<a b='\">&apos;'/>":                            "<a b=\">'></a>",
		"<a>&lt;&gt;&amp;&quot;</a>":                    "<a><>&\"</a>",
		"<a>&#65;&#x1F600;&#x41;</a>":                   "<a>A😀A</a>",
		"<a><![CDATA[<b>&amp;]]]]></a>":                 "<a><b>&amp;]]</a>",
		"<a>]] ></a>":                                   "<a>]] ></a>",
		"<p:a xmlns:p='u' p:b=''/>":                     "<a b=></a>",
		"<a xmlns='u'><b xmlns=''/></a>":                "<a><b></b></a>",
		"<a xml:lang='de'/>":                            "<a lang=de></a>",
		"<é·1 ü.-='1'/>":                                "<é·1 ü.-=1></é·1>",
		"<?xml version='1.0'?><a/>":                     "<a></a>",
		"<?xml version=\"1.1\" encoding='utf-8' ?><a/>": "<a></a>",
		"<?xml version='1.0' standalone='yes'?><a/>":    "<a></a>",
		"<?xml version='1.0' encoding='US-ASCII'?><a/>": "<a></a>",
		"<?xml version='1.0' encoding='iso-8859-1'?>\n<a>\xe9\x85</a>": "<a>é\u0085</a>",
		"<?xml-style x?><a/>": "<a></a>",
	} {
		if got, fault := tokens(document); fault != nil || got != want {
			t.Errorf("%q: got %q, %+v, want %q", document, got, fault, want)
		}
	}
}

// TestMalformed checks the offset of each fault and a part of its text.
func TestMalformed(t *testing.T) {
	for _, c := range []struct {
		document string
		offset   int
		found    string
	}{
		{"", 0, "no root element"},
		{" \n", 2, "no root element"},
		{"x", 0, `"x"`},
		{"<a>", 3, "end of the document"},
		{"<a", 2, "end of the document"},
		{"<a></b>", 3, "</b>"},
		{"</a>", 0, "</a>"},
		{"<a/></a>", 4, "</a>"},
		{"<a/><b/>", 4, "second root"},
		{"<a/>x", 4, `"x"`},
		{"<a/>&#32;", 4, "&#32;"},
		{"<a/><![CDATA[]]>", 4, "CDATA"},
		{"<![CDATA[]]><a/>", 0, "CDATA"},
		{"<a><![CDATA[x</a>", 3, "CDATA"},
		{"<a></a x='1'>", 7, "x='1'"},
		{"<a></ a>", 3, "</>"},
		{"< a/>", 0, " a/"},
		{"<1/>", 0, "1/"},
		{"<a b/>", 4, "/"},
		{"<a b=1/>", 5, "1/"},
		{"<a b='1/>", 5, "unterminated"},
		{"<a b='1'c='2'/>", 8, "c="},
		{"<a b='<'/>", 6, "\"<\""},
		{"<a b='1' b='2'/>", 9, "duplicate"},
		{"<a xmlns:p='u' xmlns:p='v'/>", 15, "duplicate"},
		{"<a xmlns='u' xmlns='v'/>", 13, "duplicate"},
		{"<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>", 34, "another prefix"},
		{"<p:a/>", 0, "not declared"},
		{"<a p:b=''/>", 3, "not declared"},
		{"<a xmlns:p=''/>", 3, "empty namespace"},
		{"<p:a><p:b xmlns:p='u'/></p:a>", 0, "not declared"},
		{"<a><b xmlns:p='u'/><p:c/></a>", 19, "not declared"},
		{"<a xmlns:xml='u'/>", 3, "reserved"},
		{"<a xmlns:xmlns='u'/>", 3, "reserved"},
		{"<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", 3, "reserved"},
		{"<a:/>", 0, "a:"},
		{"<:a/>", 0, ":a"},
		{"<a:b:c/>", 0, "a:b:c"},
		{"<a:1 xmlns:a='u'/>", 0, "a:1"},
		{"<a :b=''/>", 3, ":b"},
		{"<a xmlns:=''/>", 3, "xmlns:"},
		{"<a>&</a>", 3, "&"},
		{"<a>&b;</a>", 3, "&b;"},
		{"<a>&#0;</a>", 3, "&#0;"},
		{"<a>&#xD800;</a>", 3, "&#xD800;"},
		{"<a>&#X41;</a>", 3, "&#X41;"},
		{"<a>&#1114112;</a>", 3, "&#1114112;"},
		{"<a>&#4294967361;</a>", 3, "&#4294967361;"},
		{"<a>&#;</a>", 3, "&#;"},
		{"<a>&#+65;</a>", 3, "&#+65;"},
		{"<a b='&c;'/>", 6, "&c;"},
		{"<a>]]></a>", 3, "]]>"},
		{"<a><!-- -- --></a>", 8, "--"},
		{"<a><!-- ---></a>", 8, "--"},
		{"<a><!-- </a>", 3, "unterminated"},
		{"<a><!-></a>", 3, "declaration"},
		{"<a><!x></a>", 3, "declaration"},
		{"<a><?p</a>", 6, "/a"},
		{"<a><?p </a>", 3, "unterminated"},
		{"<a><??></a>", 3, "?"},
		{"<a><?xml x?></a>", 3, "XML declaration"},
		{" <?xml version='1.0'?><a/>", 1, "XML declaration"},
		{"<a><?p:q?></a>", 3, "p:q"},
		{"<?XML x?><a/>", 0, "XML declaration"},
		{"<?xml?><a/>", 0, "XML declaration"},
		{"<?xml version='2.0'?><a/>", 19, "2.0"},
		{"<?xml encoding='UTF-8'?><a/>", 6, "encoding"},
		{"<?xml version='1.0'encoding='UTF-8'?><a/>", 19, "encoding"},
		{"<?xml version='1.0' standalone='maybe'?><a/>", 38, "maybe"},
		{"<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>", 37, "encoding"},
		{"<?xml version=1.0?><a/>", 14, "1.0"},
		{"<?xml version?><a/>", 13, "?"},
		{"<?xml version='1.0' encoding=''?><a/>", 29, "''"},
		{"<?xml version='1.0' encoding='8'?><a/>", 0, "8"},
		{"<?xml version='1.0' ><a/>", 20, ">"},
		{"<!DOCTYPE a><a/>", 0, "DOCTYPE"},
		{"<a/><!DOCTYPE a>", 4, "DOCTYPE"},
		{"<a>\x01</a>", 3, "U+0001"},
		{"<a>\ufffe</a>", 3, "U+FFFE"},
		{"<a>\xff</a>", 3, "0xFF"},
		{"<a>\xed\xa0\x80</a>", 3, "0xED"},
		{"<a>\xc0\x80</a>", 3, "0xC0"},
		{"<a>\x02\xff</a>", 3, "U+0002"},
		{"<a/>\x00", 4, "U+0000"},
		{"<?xml version='1.0' encoding='EBCDIC'?><a/>", 0, "EBCDIC"},
		{"<?xml version='1.0' encoding='UTF-16'?><a/>", 0, "not UTF-16"},
		{"<?xml version='1.0' encoding='ascii'?><a>é</a>", 41, "US-ASCII"},
		{"\xEF\xBB\xBF<?xml version='1.0' encoding='ISO-8859-1'?><a/>", 0, "byte order mark"},
		{"\xFF\xFE\x00\x00<\x00\x00\x00", 0, "UTF-32"},
		{"\x00\x00\x00<", 0, "UTF-32"},
	} {
		_, fault := tokens(c.document)
		if fault == nil {
			t.Errorf("%q was accepted", c.document)
			continue
		}
		if fault.Offset != c.offset || !strings.Contains(fault.Found, c.found) || fault.Expected == "" {
			t.Errorf("%q: %+v, want %q at %d", c.document, *fault, c.found, c.offset)
		}
	}
}

// encodeUTF16 encodes text as UTF-16.
func encodeUTF16(text string, bigEndian bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if bigEndian {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

func TestUTF16(t *testing.T) {
	const plain, declared = "<a>é😀\r\n</a>", "<?xml version='1.0' encoding='UTF-16'?><a>é😀\r\n</a>"
	for _, bigEndian := range []bool{true, false} {
		mark := encodeUTF16("\ufeff", bigEndian)
		for _, document := range []string{mark + encodeUTF16(plain, bigEndian), mark + encodeUTF16(declared, bigEndian), encodeUTF16(declared, bigEndian)} {
			if got, fault := tokens(document); fault != nil || got != "<a>é😀\n</a>" {
				t.Errorf("%q is %q, %+v", document, got, fault)
			}
		}
		for document, found := range map[string]string{
			mark + encodeUTF16(strings.Replace(declared, "UTF-16", "UTF-8", 1), bigEndian):                          "the bytes are UTF-16",
			mark + encodeUTF16(plain, bigEndian) + "x":                                                              "an incomplete UTF-16 character",
			mark + encodeUTF16("<a>", bigEndian) + encodeUTF16("😀", bigEndian)[:2] + encodeUTF16("</a>", bigEndian): "0xFF",
			mark + encodeUTF16("<a>", bigEndian) + encodeUTF16("😀", bigEndian)[2:] + encodeUTF16("</a>", bigEndian): "0xFF",
		} {
			if _, fault := tokens(document); fault == nil || !strings.Contains(fault.Found, found) {
				t.Errorf("%q: %+v, want %q", document, fault, found)
			}
		}
	}
}

func TestEncoding(t *testing.T) {
	for document, want := range map[string]string{
		"": "", "<a/>": "", "<?xml version='1.0' encoding='utf-8'?>": "UTF-8", "\xEF\xBB\xBF<?xml encoding = \"x\"?>": "X", "\xFF\xFE<\x00": "UTF-16LE", "<?xml encoding": "", "<?xml encoding=?>": "",
	} {
		if got := Encoding([]byte(document)); got != want {
			t.Errorf("%q is in %q, want %q", document, got, want)
		}
	}
}

// The declaration of the encoding counts however far it is from the beginning, or the document is refused.
func TestLongDeclaration(t *testing.T) {
	for _, encoding := range []string{"ISO-8859-1", "UTF-7", "UTF-8"} {
		for spaces, long := range map[int]bool{900: false, 1024: true, 100_000: true} {
			document := `<?xml version="1.0"` + strings.Repeat(" ", spaces) + `encoding="` + encoding + `"?><a>` + "\xc3\xa9</a>"
			got, fault := tokens(document)
			switch {
			case long && (fault == nil || fault.Found != "an XML declaration of more than 1024 characters"),
				!long && encoding == "UTF-7" && (fault == nil || fault.Found != `encoding "UTF-7"`),
				!long && encoding == "UTF-8" && got != "<a>é</a>", !long && encoding == "ISO-8859-1" && got != "<a>Ã©</a>":
				t.Errorf("%s behind %d spaces: %q, %+v", encoding, spaces, got, fault)
			}
		}
	}
	if got, fault := tokens(`<?xml-stylesheet encoding="UTF-7"?>` + "<a/>"); fault != nil || got != "<a></a>" {
		t.Errorf("an instruction that looks like a declaration: %q, %+v", got, fault)
	}
}

func TestPosition(t *testing.T) {
	for offset, want := range map[int][2]int{0: {1, 1}, 1: {1, 2}, 3: {1, 3}, 4: {2, 1}, 99: {2, 2}} {
		if line, column := Position("aé\nx", offset); [2]int{line, column} != want {
			t.Errorf("offset %d is at %d, %d, want %v", offset, line, column, want)
		}
	}
}
