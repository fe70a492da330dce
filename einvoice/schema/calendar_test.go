package schema

import "testing"

func TestDatesAndTimes(t *testing.T) {
	good := map[Kind][]string{
		Date:     {"2026-01-31", " 2024-02-29\n", "2000-02-29Z", "2026-12-31+14:00", "2026-12-31-13:59", "-0001-01-01", "12026-01-01", "9999-12-31"},
		Time:     {"00:00:00", "23:59:59", "24:00:00", "24:00:00.00", "12:30:00.123456789", "12:30:00Z", "12:30:00-05:00"},
		Language: {"de", "de-AT", "x-12345678", "abcdefgh"}, URI: {"", "urn:a", "a b"}, NormalizedString: {" a\n"},
	}
	bad := map[Kind][]string{
		Date: {
			"", "2026", "2026-1-31", "26-01-31", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "0000-01-01", "02026-01-01", "+2026-01-01", "20260131",
			"2026-01-31T00:00:00", "2026-01-31+14:01", "2026-01-31+15:00", "2026-01-31+1:00", "2026-01-31z", "2026-01-31 Z", "x026-01-31", "--2026-01-31",
		},
		Time:     {"", "12:30", "1:30:00", "24:00:01", "24:00:00.1", "23:60:00", "23:59:60", "12:30:00.", "12:30:00,5", "12:30:00+24:00", "12:30:00 Z"},
		Language: {"", "de_AT", "d3", "abcdefghi", "de-", "-de", "de-abcdefghi", "é"},
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
	if got := NormalizedString.Normalize(" a\n\tb "); got != " a  b " {
		t.Errorf("got %q", got)
	}
}
