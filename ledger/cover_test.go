package ledger

import (
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// Whole hours are told apart from the edges of a range.
func TestCover(t *testing.T) {
	at := func(text string) int64 {
		when, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return when.Unix()
	}
	q := Query{Account: "a", From: time.Unix(at("2026-05-01 22:59:59"), 0), To: time.Unix(at("2026-05-04 01:15:01"), 0)}
	fold, err := NewFold(q)
	if err != nil {
		t.Fatal(err)
	}
	got := fold.Cover(3600)
	want := []Span{
		{at("2026-05-01 22:59:59"), at("2026-05-01 23:00:00"), false},
		{at("2026-05-01 23:00:00"), at("2026-05-04 01:00:00"), true},
		{at("2026-05-04 01:00:00"), at("2026-05-04 01:15:01"), false},
	}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("span %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// For any range and time zone, the spans are consecutive, no sum spans two buckets, and an hour within one bucket is whole.
func TestCoverAny(t *testing.T) {
	r := testkit.Rand(t)
	for range 300 {
		zone := []string{"UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Asia/Kathmandu"}[r.IntN(5)]
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(2026, 3, 20, 0, 0, r.IntN(20*86400), 0, time.UTC)
		q := Query{Account: "a", From: from, To: from.Add(time.Duration(1+r.IntN(20*86400)) * time.Second), Location: location, Bucket: Bucket(r.IntN(4))}
		fold, err := NewFold(q)
		if err != nil {
			t.Fatal(err)
		}
		next, whole, spans := q.From.Unix(), 0, fold.Cover(3600)
		for i, span := range spans {
			if span.From != next || span.To <= span.From || i > 0 && span.Whole == spans[i-1].Whole {
				t.Fatalf("%s by %s in %s: %v begins at %d", q.From, q.Bucket, zone, span, next)
			}
			next = span.To
			for at := span.From; span.Whole && at < span.To; at += 3600 {
				whole++
				if !fold.hasWhole(at) {
					t.Fatalf("%s by %s in %s: the hour at %d is of two buckets", q.From, q.Bucket, zone, at)
				}
			}
		}
		for at := floor(q.From.Unix()+3599, 3600); at+3600 <= q.To.Unix(); at += 3600 {
			if fold.hasWhole(at) {
				whole--
			}
		}
		if whole != 0 {
			t.Fatalf("%s by %s in %s: %d whole hours are missing", q.From, q.Bucket, zone, -whole)
		}
		if next != q.To.Unix() {
			t.Fatalf("the spans end at %d, want %d", next, q.To.Unix())
		}
	}
}

// hasWhole says whether an hour is of one bucket.
func (f *Fold) hasWhole(at int64) bool {
	first, _ := f.bucket(at)
	last, _ := f.bucket(at + 3599)
	return first == last && at%3600 == 0
}
