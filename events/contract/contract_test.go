package contract

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParseLength(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "0.0": 0, "0px": 0, "96px": 1, "2.54cm": 1, "25.4mm": 1, "1in": 1, ".5in": 0.5, "72pt": 1, "6pc": 1, "999999.999999in": 999999.999999,
	} {
		got, err := ParseLength(text)
		if err != nil || math.Abs(float64(got)-want) > 1e-9 {
			t.Errorf("%q: got %v in, %v; want %v in", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrLength, "px": ErrLength, "-1px": ErrLength, "1e3px": ErrLength, "10px;": ErrLength, "10 px": ErrLength, " 10px": ErrLength, "10PX": ErrLength,
		"5%": ErrLength, "5em": ErrLength, "1000000px": ErrLength, "1.0000000px": ErrLength, "10": ErrUnit, "0.1": ErrUnit,
	} {
		if _, err := ParseLength(text); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", text, err, want)
		}
	}
}

// The bounds hold in every unit, in spite of rounding.
func TestParseSide(t *testing.T) {
	for text, want := range map[string]Length{"10mm": MinSide, "1cm": MinSide, "200in": MaxSide, "5080mm": MaxSide, "508cm": MaxSide, "1200pc": MaxSide, "1in": 1} {
		if got, err := ParseSide(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]error{"9.9999mm": ErrSide, "200.00001in": ErrSide, "0": ErrSide, "5": ErrUnit, "wide": ErrLength} {
		if _, err := ParseSide(text); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}

func TestParsePageRanges(t *testing.T) {
	for text, want := range map[string][]PageRange{
		"1":          {{1, 1}},
		"1-3, 5, 8-": {{1, 3}, {5, 5}, {8, 0}},
		" 2 - 2,3":   {{2, 2}, {3, 3}},
		"999999-":    {{999_999, 0}},
	} {
		if got, err := ParsePageRanges(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "0", "0-3", "1-0", "-3", "3-1", "5, 1", "1-3, 3", "3-, 5", "1,", ",1", "1 2", "1--2", "a", "1.5", "1000000", "１"} {
		if got, err := ParsePageRanges(text); !errors.Is(err, ErrPageRanges) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
}

func TestParseMargins(t *testing.T) {
	for text, want := range map[string][4]string{
		"1mm":             {"1mm", "1mm", "1mm", "1mm"},
		"1mm 2mm":         {"1mm", "2mm", "1mm", "2mm"},
		"1mm 2mm 3mm":     {"1mm", "2mm", "3mm", "2mm"},
		"1mm 2mm 3mm 0":   {"1mm", "2mm", "3mm", "0"},
		" 1mm\t2mm\n3mm ": {"1mm", "2mm", "3mm", "2mm"},
	} {
		if got, err := ParseMargins(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]error{"": ErrShorthand, "  ": ErrShorthand, "1mm 2mm 3mm 4mm 5mm": ErrShorthand, "1mm 2": ErrUnit, "1mm auto": ErrLength} {
		if _, err := ParseMargins(text); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", text, err, want)
		}
	}
}

func TestParseURL(t *testing.T) {
	for _, text := range []string{"http://example.com", "https://example.com:8443/a?b#c", "HTTP://EXAMPLE.COM", "http://[::1]:80/", "https://x/" + strings.Repeat("a", MaxURL-len("https://x/"))} {
		if u, err := ParseURL(text, "http", "https"); err != nil || u.Hostname() == "" {
			t.Errorf("%.40q: got %v, %v", text, u, err)
		}
	}
	for text, want := range map[string]error{
		"":                   ErrURLScheme,
		"example.com":        ErrURLScheme,
		"ftp://example.com":  ErrURLScheme,
		"file:///etc/passwd": ErrURLScheme,
		"http://":            ErrURLHost,
		"http:/a":            ErrURLHost,
		"http://:80/":        ErrURLHost,
		"http://a b/":        ErrURLSyntax,
		"http://a/\xff":      ErrURLSyntax,
		"http://u:p@a/":      ErrURLCredentials,
		"http://u@a/":        ErrURLCredentials,
		"https://x/" + strings.Repeat("a", MaxURL-len("https://x/")+1): ErrURLLength,
	} {
		if _, err := ParseURL(text, "http", "https"); !errors.Is(err, want) {
			t.Errorf("%.40q: got %v, want %v", text, err, want)
		}
	}
	if u, err := ParseURL("https://u:p@a:8443/", "https"); !errors.Is(err, ErrURLCredentials) || u == nil || u.Port() != "8443" {
		t.Errorf("with credentials: got %v, %v", u, err)
	}
	if _, err := ParseURL("http://example.com", "https"); !errors.Is(err, ErrURLScheme) {
		t.Errorf("http where https alone is allowed: got %v", err)
	}
}

func TestCompleteInvoice(t *testing.T) {
	for profile, want := range map[string]bool{"minimum": false, "basicwl": false, "basic": true, "en16931": true, "extended": true} {
		if got := CompleteInvoice(profile); got != want {
			t.Errorf("%s: got %t, want %t", profile, got, want)
		}
	}
}

// As in a browser, a percent sign that begins no escape is a character of a page's URL, but not of
// its host; the length is that of the text sent.
func TestParsePageURL(t *testing.T) {
	for text, want := range map[string]string{
		"http://a/100%": "/100%", "http://a/%zz%41": "/%zzA", "http://a/%%%": "/%%%", "http://a/%4": "/%4", "http://a/%20": "/ ",
	} {
		u, err := ParsePageURL(text)
		if err != nil || u.Path != want {
			t.Errorf("%s: %v, %v, want the path %s", text, u, err, want)
		}
	}
	for text, want := range map[string]error{
		"http://a%b/": ErrURLSyntax, "ftp://a/100%": ErrURLScheme, "http://u:p@a/100%": ErrURLCredentials,
		"http://a/" + strings.Repeat("%", MaxURL-9): nil, "http://a/" + strings.Repeat("%", MaxURL-8): ErrURLLength,
	} {
		if _, err := ParsePageURL(text); !errors.Is(err, want) {
			t.Errorf("%.20s: %v, want %v", text, err, want)
		}
	}
}

// A page of a file has the number that it has in the whole document.
func TestPageAt(t *testing.T) {
	for ranges, want := range map[string][]int{"": {1, 2, 3}, "1": {1, 0, 0}, "2-3, 7-": {2, 3, 7, 8}, "5, 9, 11-12": {5, 9, 11, 12, 0}} {
		for i, number := range want {
			if got := PagesOf(ranges).At(i + 1); got != number {
				t.Errorf("%q: page %d is %d, want %d", ranges, i+1, got, number)
			}
		}
	}
}
