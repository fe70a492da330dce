package blocks

import (
	"strings"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		tag, text string
		least     int
		want      string
	}{
		{"en-US", "1234567.891", 2, "1,234,567.891"},
		{"en-US", "0.5", 2, "0.50"},
		{"en-US", "-1234.5", 2, "−1,234.50"},
		{"en-US", "+7", 0, "7"},
		{"en-US", "10.0000", 0, "10"},
		{"en-US", "10.0000", 2, "10.00"},
		{"en-US", "007", 0, "7"},
		{"en-US", ".5", 0, "0.5"},
		{"en-US", "5.", 0, "5"},
		{"en-US", "999", 0, "999"},
		{"en-US", "1000", 0, "1,000"},
		{"en-US", "123456789012345678901234", 0, "123,456,789,012,345,678,901,234"},
		{"de-DE", "1234567.8", 2, "1.234.567,80"},
		{"de-AT", "1234.5", 2, "1\u00a0234,50"},
		{"de-CH", "1234567.8", 2, "1’234’567.80"},
		{"fr", "1234567.8", 2, "1\u202f234\u202f567,80"},
		{"en-IN", "12345678.9", 2, "1,23,45,678.90"},
		{"pl", "1234567", 0, "1\u00a0234\u00a0567"},
		{"de", "-0.00", 2, "0,00"},
		{"de", "abc", 2, "abc"},
		{"de", "", 2, ""},
		{"de", "1e5", 2, "1e5"},
		{"de", "--1", 2, "--1"},
		{"de", "1.2.3", 2, "1.2.3"},
		{"xx-YY", "1234.5", 2, "1,234.50"},
		{"not a tag", "1234.5", 2, "1,234.50"},
	} {
		if got := localeOf(c.tag).number(c.text, c.least); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.tag, c.text, got, c.want)
		}
	}
}

// A number of any length is written digit by digit: schemas do not bound it.
func TestLongNumbers(t *testing.T) {
	const digits = 99_999
	text := strings.Repeat("1", digits)
	for locale, groups := range map[string]int{"de-DE": digits / 3, "en-IN": 1 + (digits-3)/2, "fr": digits / 3} {
		l := localeOf(locale)
		got := l.number(text, 2)
		if n := strings.Count(got, l.group); n != groups-1 || strings.Count(got, "1") != digits {
			t.Errorf("%s: %d groups of %d digits, want %d: %.40s…", locale, n+1, strings.Count(got, "1"), groups, got)
		}
		if allocations := testing.AllocsPerRun(1, func() { l.number(text, 2) }); allocations > 20 {
			t.Errorf("%s: %v allocations", locale, allocations)
		}
	}
}

// TestLocales checks that the grouping of every supported locale is detected.
func TestLocales(t *testing.T) {
	day := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)
	for _, translator := range translators {
		l := localeOf(translator.Locale())
		if l.decimal == "" || l.decimal == l.group || l.primary != 3 || l.secondary < 2 || l.secondary > 3 {
			t.Errorf("%s: decimal %q, group %q, %d and %d", translator.Locale(), l.decimal, l.group, l.primary, l.secondary)
		}
		if l.date(day) == "" {
			t.Errorf("%s: no date", translator.Locale())
		}
	}
	for tag, want := range map[string]string{"en-US": "Mar 5, 2026", "en-GB": "5 Mar 2026", "de-DE": "05.03.2026", "fr-BE": "5 mars 2026"} {
		if got := localeOf(tag).date(day); got != want {
			t.Errorf("%s: got %s, want %s", tag, got, want)
		}
	}
}
