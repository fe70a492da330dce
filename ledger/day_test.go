package ledger

import (
	"errors"
	"testing"
	"time"
)

// A day begins where its bucket begins, also where midnight was skipped or came twice.
func TestStartOfDay(t *testing.T) {
	for _, c := range []struct {
		location    string
		year        int
		month       time.Month
		date        int
		want        string
		wantInvalid bool
	}{
		{location: "UTC", year: 2026, month: 3, date: 1, want: "2026-03-01T00:00:00Z"},
		{location: "Europe/Berlin", year: 2026, month: 3, date: 29, want: "2026-03-29T00:00:00+01:00"},
		{location: "America/Sao_Paulo", year: 2018, month: 11, date: 4, want: "2018-11-04T01:00:00-02:00"},
		{location: "America/Havana", year: 2026, month: 11, date: 1, want: "2026-11-01T00:00:00-04:00"},
		{location: "Africa/Monrovia", year: 1970, month: 1, date: 1, wantInvalid: true}, // was 44 minutes and a half behind
	} {
		got, err := StartOfDay(zone(t, c.location), c.year, c.month, c.date)
		if c.wantInvalid {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: got %s, %v", c.location, got, err)
			}
			continue
		}
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: got %s (%v), want %s", c.location, got.Format(time.RFC3339), err, c.want)
		}
	}
	if got, err := StartOfDay(nil, 2026, 1, 1); err != nil || got.Location() != time.UTC {
		t.Errorf("without a location: %s, %v", got, err)
	}
}
