package ledger

import (
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// A range is covered without gaps by the largest sums whose buckets it does not cross.
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
	got := fold.Cover(86400, 3600, 900)
	want := []Span{
		{0, at("2026-05-01 22:59:59"), at("2026-05-01 23:00:00")},
		{3600, at("2026-05-01 23:00:00"), at("2026-05-02 00:00:00")},
		{86400, at("2026-05-02 00:00:00"), at("2026-05-04 00:00:00")},
		{3600, at("2026-05-04 00:00:00"), at("2026-05-04 01:00:00")},
		{900, at("2026-05-04 01:00:00"), at("2026-05-04 01:15:00")},
		{0, at("2026-05-04 01:15:00"), at("2026-05-04 01:15:01")},
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

// Whatever the range and the time zone: the spans follow one another, and no sum is of two buckets.
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
		next := q.From.Unix()
		for _, span := range fold.Cover(86400, 3600, 900) {
			if span.From != next || span.To <= span.From {
				t.Fatalf("%s by %s in %s: %v begins at %d", q.From, q.Bucket, zone, span, next)
			}
			next = span.To
			for at := span.From; span.Size > 0 && at < span.To; at += span.Size {
				start, _ := fold.bucket(at)
				if last, _ := fold.bucket(at + span.Size - 1); last != start || at%span.Size != 0 {
					t.Fatalf("%s by %s in %s: the sum of %d s at %d is of two buckets", q.From, q.Bucket, zone, span.Size, at)
				}
			}
		}
		if next != q.To.Unix() {
			t.Fatalf("the spans end at %d, want %d", next, q.To.Unix())
		}
	}
}
