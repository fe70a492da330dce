package ledgertest

import (
	"testing"
	"time"

	"platen.dev/ledger"
)

var zoneCases = []testCase{
	{"days of 23 and 25 hours in Berlin", berlin},
	{"hours where the clock is changed", changedHours},
	{"days and months of zones with half hours", halfHours},
}

// quarters returns an entry for each quarter of an hour of [from, to), and for the last second
// before the next.
func quarters(from, to time.Time) (entries []ledger.Entry) {
	for at := from; at.Before(to); at = at.Add(15 * time.Minute) {
		n := len(entries)
		entries = append(entries, debit(n, at.UTC()), debit(n+1, at.Add(15*time.Minute-time.Second).UTC()))
	}
	return entries
}

// wantBuckets checks which buckets there are and how many entries each has.
func wantBuckets(t *testing.T, l ledger.Ledger, q ledger.Query, want ...bucket) {
	t.Helper()
	var got []bucket
	for _, r := range usage(t, l, q) {
		if r.Start.Location() != q.Location || r.End.Location() != q.Location {
			t.Errorf("%s to %s is not in %s", r.Start, r.End, q.Location)
		}
		got = append(got, bucket{r.Start.Format(time.RFC3339), r.End.Sub(r.Start), r.Entries})
	}
	wantSame(t, got, want)
}

type bucket struct {
	start   string
	length  time.Duration
	entries int64
}

const hour = time.Hour

func berlin(t *testing.T, s Storage) {
	l := s.Open(t)
	zone := location(t, "Europe/Berlin")
	spring := quarters(time.Date(2026, 3, 28, 0, 0, 0, 0, zone), time.Date(2026, 3, 31, 0, 0, 0, 0, zone))
	mustAppend(t, l, batchAt(0, spring...))
	q := always(account)
	q.Bucket, q.Location = ledger.Day, zone
	q.From, q.To = spring[0].Occurred, spring[len(spring)-1].Occurred.Add(time.Second)
	wantBuckets(
		t, l, q,
		bucket{"2026-03-28T00:00:00+01:00", 24 * hour, 24 * 8}, bucket{"2026-03-29T00:00:00+01:00", 23 * hour, 23 * 8}, bucket{"2026-03-30T00:00:00+02:00", 24 * hour, 24 * 8},
	)
	q.Bucket = ledger.Month
	wantBuckets(t, l, q, bucket{"2026-03-01T00:00:00+01:00", (31*24 - 1) * hour, 71 * 8})
	autumn := quarters(time.Date(2026, 10, 25, 0, 0, 0, 0, zone), time.Date(2026, 10, 26, 0, 0, 0, 0, zone))
	for i := range autumn {
		autumn[i].ID = "autumn " + autumn[i].ID
	}
	mustAppend(t, l, batchAt(int64(len(spring)), autumn...))
	q.Bucket, q.From, q.To = ledger.Day, autumn[0].Occurred, autumn[0].Occurred.Add(25*hour)
	wantBuckets(t, l, q, bucket{"2026-10-25T00:00:00+02:00", 25 * hour, 25 * 8})
	q.From, q.To = autumn[0].Occurred.Add(time.Second), q.To.Add(-time.Second)
	wantBuckets(t, l, q, bucket{"2026-10-25T00:00:00+02:00", 25 * hour, 25*8 - 2})
}

func changedHours(t *testing.T, s Storage) {
	l := s.Open(t)
	zone := location(t, "Europe/Berlin")
	spring := quarters(time.Date(2026, 3, 29, 1, 0, 0, 0, zone), time.Date(2026, 3, 29, 4, 0, 0, 0, zone))
	mustAppend(t, l, batchAt(0, spring...))
	q := always(account)
	q.Bucket, q.Location, q.From, q.To = ledger.Hour, zone, spring[0].Occurred, spring[0].Occurred.Add(2*hour)
	wantBuckets(t, l, q, bucket{"2026-03-29T01:00:00+01:00", hour, 8}, bucket{"2026-03-29T03:00:00+02:00", hour, 8})
	autumn := quarters(time.Date(2026, 10, 25, 1, 0, 0, 0, zone), time.Date(2026, 10, 25, 4, 0, 0, 0, zone))
	for i := range autumn {
		autumn[i].ID = "autumn " + autumn[i].ID
	}
	mustAppend(t, l, batchAt(int64(len(spring)), autumn...))
	q.From, q.To = autumn[0].Occurred, autumn[0].Occurred.Add(4*hour)
	wantBuckets(
		t, l, q,
		bucket{"2026-10-25T01:00:00+02:00", hour, 8}, bucket{"2026-10-25T02:00:00+02:00", hour, 8},
		bucket{"2026-10-25T02:00:00+01:00", hour, 8}, bucket{"2026-10-25T03:00:00+01:00", hour, 8},
	)
}

func halfHours(t *testing.T, s Storage) {
	l := s.Open(t)
	kolkata, stJohns := location(t, "Asia/Kolkata"), location(t, "America/St_Johns")
	from := time.Date(2026, 10, 31, 18, 0, 0, 0, time.UTC) // 23:30 in Kolkata; St. John's changes its clock the next day
	mustAppend(t, l, batchAt(0, quarters(from, from.Add(48*hour))...))
	q := always(account)
	q.Bucket, q.Location, q.From, q.To = ledger.Day, kolkata, from, from.Add(48*hour)
	wantBuckets(
		t, l, q,
		bucket{"2026-10-31T00:00:00+05:30", 24 * hour, 4}, bucket{"2026-11-01T00:00:00+05:30", 24 * hour, 24 * 8}, bucket{"2026-11-02T00:00:00+05:30", 24 * hour, 24*8 - 4},
	)
	q.Location = stJohns
	wantBuckets(
		t, l, q,
		bucket{"2026-10-31T00:00:00-02:30", 24 * hour, 17 * 4}, bucket{"2026-11-01T00:00:00-02:30", 25 * hour, 25 * 8}, bucket{"2026-11-02T00:00:00-03:30", 24 * hour, 58 * 2},
	)
	q.Bucket = ledger.Month
	wantBuckets(t, l, q, bucket{"2026-10-01T00:00:00-02:30", 31 * 24 * hour, 17 * 4}, bucket{"2026-11-01T00:00:00-02:30", (30*24 + 1) * hour, 25*8 + 58*2})
	q.Bucket, q.To = ledger.Hour, from.Add(hour)
	wantBuckets(t, l, q, bucket{"2026-10-31T15:00:00-02:30", hour, 4}, bucket{"2026-10-31T16:00:00-02:30", hour, 4})
	q.Location = kolkata
	wantBuckets(t, l, q, bucket{"2026-10-31T23:00:00+05:30", hour, 4}, bucket{"2026-11-01T00:00:00+05:30", hour, 4})
}
