package ledger

import (
	"errors"
	"testing"
	"time"
	_ "time/tzdata" // the zones of these tests wherever they run

	"platen.dev/events/testkit"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func bounds(t *testing.T, location string, b Bucket, from, to string) (all []string) {
	t.Helper()
	c := clock{zone(t, location)}
	parse := func(text string) int64 {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return at.Unix()
	}
	starts, err := c.bounds(b, parse(from), parse(to))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range starts {
		all = append(all, time.Unix(s, 0).In(c.location).Format("2006-01-02T15:04-0700"))
	}
	return all
}

// For clocks changed at midnight, by half an hour, by a whole day or to another year's rule, buckets have no gaps and do not overlap, because each
// ends where the next begins. Future changes may be decided otherwise (Cuba did, for 2026), so past ones are used.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		location string
		bucket   Bucket
		from, to string
		want     []string
	}{
		{"UTC", Day, "2026-02-28T23:59:59Z", "2026-03-01T00:00:00Z", []string{"2026-02-28T00:00+0000", "2026-03-01T00:00+0000"}},
		{"UTC", Day, "2026-02-28T23:59:59Z", "2026-03-01T00:00:01Z", []string{"2026-02-28T00:00+0000", "2026-03-01T00:00+0000", "2026-03-02T00:00+0000"}},
		{"UTC", Hour, "2026-01-01T00:59:59Z", "2026-01-01T01:00:00Z", []string{"2026-01-01T00:00+0000", "2026-01-01T01:00+0000"}},
		{"UTC", Month, "2024-02-29T00:00:00Z", "2024-03-31T00:00:00Z", []string{"2024-02-01T00:00+0000", "2024-03-01T00:00+0000", "2024-04-01T00:00+0000"}},
		{"UTC", Month, "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", []string{"2026-12-01T00:00+0000", "2027-01-01T00:00+0000"}},
		// Midnight was skipped in Brazil, so the day began at one.
		{"America/Sao_Paulo", Day, "2018-11-04T02:00:00Z", "2018-11-04T04:00:00Z", []string{"2018-11-03T00:00-0300", "2018-11-04T01:00-0200", "2018-11-05T00:00-0200"}},
		// Havana shows the hour after midnight twice. The day begins with the first.
		{"America/Havana", Day, "2024-11-03T04:30:00Z", "2024-11-03T05:30:00Z", []string{"2024-11-03T00:00-0400", "2024-11-04T00:00-0500"}},
		// Newfoundland went back from 00:01, so the date was reached twice.
		{"America/St_Johns", Day, "2010-11-07T02:00:00Z", "2010-11-07T04:00:00Z", []string{"2010-11-06T00:00-0230", "2010-11-07T00:00-0230", "2010-11-08T00:00-0330"}},
		// Samoa left out a whole day.
		{"Pacific/Apia", Day, "2011-12-29T12:00:00Z", "2011-12-30T12:00:00Z", []string{"2011-12-29T00:00-1000", "2011-12-31T00:00+1400", "2012-01-01T00:00+1400"}},
		// Lord Howe Island changes its clock by half an hour.
		{"Australia/Lord_Howe", Hour, "2024-04-06T14:00:00Z", "2024-04-06T16:30:00Z", []string{"2024-04-07T01:00+1100", "2024-04-07T01:30+1030", "2024-04-07T02:00+1030", "2024-04-07T03:00+1030"}},
		{"Australia/Lord_Howe", Hour, "2024-10-05T15:00:00Z", "2024-10-05T16:30:00Z", []string{"2024-10-06T01:00+1030", "2024-10-06T02:30+1100", "2024-10-06T03:00+1100", "2024-10-06T04:00+1100"}},
		{"Asia/Kathmandu", Hour, "2026-01-01T00:00:00Z", "2026-01-01T00:15:00Z", []string{"2026-01-01T05:00+0545", "2026-01-01T06:00+0545"}},
		{"Asia/Kathmandu", Hour, "2026-01-01T00:00:00Z", "2026-01-01T00:15:01Z", []string{"2026-01-01T05:00+0545", "2026-01-01T06:00+0545", "2026-01-01T07:00+0545"}},
	} {
		got := bounds(t, c.location, c.bucket, c.from, c.to)
		if len(got) != len(c.want) {
			t.Errorf("%s by %s from %s: %v, want %v", c.location, c.bucket, c.from, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s by %s from %s: %v, want %v", c.location, c.bucket, c.from, got, c.want)
				break
			}
		}
	}
}

// In many zones, over years, each bucket is what a clock on the wall shows in it.
func TestBucketsShowOneDate(t *testing.T) {
	r := testkit.Rand(t)
	zones := []string{"Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Chatham", "America/Sao_Paulo", "Asia/Tehran", "Africa/Casablanca", "Asia/Gaza", "Antarctica/Troll"}
	for _, name := range zones {
		location := zone(t, name)
		from := time.Date(2012+r.IntN(40), 1, 1, 0, 0, 0, 0, time.UTC)
		for bucket, layout := range map[Bucket]string{Day: "2006-01-02", Month: "2006-01", Hour: "2006-01-02T15 -0700"} {
			starts, err := clock{location}.bounds(bucket, from.Unix(), from.AddDate(1, 0, 0).Unix())
			if err != nil {
				t.Fatal(err)
			}
			show := func(unix int64) string { return time.Unix(unix, 0).In(location).Format(layout) }
			for i, start := range starts[1:] {
				if show(start) == show(starts[i]) || show(start-1) != show(starts[i]) {
					t.Fatalf("%s by %s: %s is followed by %s", name, bucket, show(starts[i]), show(start))
				}
			}
		}
	}
}

// The most buckets are 10,000, and a clock that is not in step with quarters of an hour is refused.
func TestBoundsAreRefused(t *testing.T) {
	q := Query{Account: "a", From: MinTime, Bucket: Hour}
	for add, want := range map[time.Duration]error{MaxBuckets * time.Hour: nil, MaxBuckets*time.Hour + time.Second: ErrInvalid} {
		q.To = q.From.Add(add)
		if _, err := NewFold(q); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", add, err, want)
		}
	}
	q.Bucket = Day
	for add, want := range map[time.Duration]error{MaxBuckets * 24 * time.Hour: nil, MaxBuckets*24*time.Hour + time.Second: ErrInvalid} {
		q.To = q.From.Add(add)
		if _, err := NewFold(q); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", add, err, want)
		}
	}
	q.To = q.From.AddDate(0, 0, 2)
	for seconds, want := range map[int]error{900: nil, -2700: nil, 60: ErrInvalid, 899: ErrInvalid} {
		for _, q.Bucket = range []Bucket{Hour, Day, Month} {
			q.Location = time.FixedZone("odd", seconds)
			if _, err := NewFold(q); !errors.Is(err, want) {
				t.Errorf("%d seconds ahead by %s: %v, want %v", seconds, q.Bucket, err, want)
			}
		}
	}
	q.Location, q.Bucket = time.FixedZone("odd", 60), Total
	if _, err := NewFold(q); err != nil {
		t.Errorf("a total needs no quarters: %v", err)
	}
}
