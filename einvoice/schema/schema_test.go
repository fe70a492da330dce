package schema

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	typ := Read("a:A\n  1  B xs:token\n  1  C xs:token\n  1  D xs:token\n", 0, nil)["a:A"]
	for from := range 4 {
		for i, c := range typ.Children {
			if got := typ.Find(c.Name, from); got != i {
				t.Errorf("Find(%s, %d) is %d, want %d", c.Name, from, got, i)
			}
		}
		if got := typ.Find("Nothing", from); got != -1 {
			t.Errorf("Find(Nothing, %d) is %d", from, got)
		}
	}
}

func TestInvalidTable(t *testing.T) {
	for _, table := range []string{"a:A = colour\n", "a:A\n  x  B a:B\n", "a:A\n  1  B a:B\n", "a:A\n  x  B xs:token\n", "a:A\n" + strings.Repeat("  1  B xs:token\n", MaxChildren+1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", table)
				}
			}()
			Read(table, 0, nil)
		}()
	}
}

func TestAccepts(t *testing.T) {
	good := map[Kind][]string{
		Decimal: {"0", "1.", ".1", "+1", "-1.50", " 1\n", "00", strings.Repeat("9", 60)},
		Boolean: {"true", "false", "0", "1", "\t1 "},
		Base64:  {"", "QUJD", "QUI=", "QQ==", "Q U\nJ D", "QQ = =", " "},
		Token:   {"", " a  b "}, String: {"", "\n"},
	}
	bad := map[Kind][]string{
		Decimal: {"", " ", ".", "+", "-.", "1,5", "1 0", "1e3", "NaN", "--1", "1.0.0", "0x1", "١", "\u00a01"},
		Boolean: {"", "TRUE", "yes", "01", "true false"},
		Base64:  {"Q", "QUJ", "QUJ==", "QUJD=", "QQ=", "QQ===", "=", "QR==", "QUJ=", "Q*JD", "QQ==QQ==", "QUJD-_"},
	}
	for kind, texts := range good {
		for _, text := range texts {
			if !kind.Accepts(text) {
				t.Errorf("kind %d refuses %q", kind, text)
			}
		}
	}
	for kind, texts := range bad {
		for _, text := range texts {
			if kind.Accepts(text) {
				t.Errorf("kind %d accepts %q", kind, text)
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct {
		kind     Kind
		in, want string
	}{
		{Token, " a \n\t b ", "a b"},
		{Token, "a b", "a b"},
		{Token, "a\u00a0 b", "a\u00a0 b"},
		{String, " a \n", " a \n"},
		{Decimal, " 1.50\n", "1.50"},
		{Boolean, "\ttrue ", "true"},
		{Base64, "QU JD\n", "QU JD\n"},
	} {
		if got := c.kind.Normalize(c.in); got != c.want {
			t.Errorf("kind %d makes %q of %q, want %q", c.kind, got, c.in, c.want)
		}
	}
}
