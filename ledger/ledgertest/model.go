package ledgertest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

var modelCases = []testCase{{"a dumb model agrees", agrees}}

// records are the records of a topic: for each offset its entries.
type records [][]ledger.Entry

var zones = []string{"UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"}

// anyTime returns a time that is likely to be near a clock change, on a full quarter of an hour.
func anyTime(r *rand.Rand) time.Time {
	near := []time.Time{
		time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC),
		time.Date(2026, 3, 8, 5, 30, 0, 0, time.UTC), time.Date(2026, 11, 1, 4, 30, 0, 0, time.UTC), time.Date(2026, 4, 4, 15, 0, 0, 0, time.UTC),
	}
	at := near[r.IntN(len(near))].Add(time.Duration(r.IntN(400)-200) * 15 * time.Minute)
	return at.Add(time.Duration(r.IntN(3)-1) * time.Second)
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func anyEntry(r *rand.Rand, number int) ledger.Entry {
	e := debit(number, anyTime(r))
	e.Key, e.Operation = pick(r, "", "key_a", "key_b"), pick(r, "html-to-pdf", "url-to-pdf")
	e.Units, e.Bytes = int64(r.IntN(21)-10), r.Int64N(1<<40)-1<<39
	for _, name := range []string{"team", "project"} {
		if r.IntN(2) == 0 {
			e.Tags = append(e.Tags, ledger.Tag{Name: name, Value: pick(r, "", "a", "b")})
		}
	}
	return e
}

// anyRecords returns records including offsets without entries, and entries that were published
// twice.
func anyRecords(r *rand.Rand, n int) records {
	all := make(records, n)
	var published []ledger.Entry
	for offset := range all {
		for range pick(r, 0, 1, 1, 1, 2) {
			e := anyEntry(r, len(published))
			if len(published) > 0 && r.IntN(8) == 0 {
				e = published[r.IntN(len(published))]
			}
			published = append(published, e)
			e.Source = ledger.Source{Topic: topic, Partition: partition, Offset: int64(offset)}
			all[offset] = append(all[offset], e)
		}
	}
	return all
}

func (all records) batch(lo, hi int) ledger.Batch {
	b := ledger.Batch{Topic: topic, Partition: partition, Lo: int64(lo), Hi: int64(hi)}
	for _, entries := range all[lo : hi+1] {
		b.Entries = append(b.Entries, entries...)
	}
	return b
}

// once returns the entries, each as first read.
func (all records) once() (entries []ledger.Entry) {
	seen := map[string]bool{}
	for _, e := range all.batch(0, len(all)-1).Entries {
		if !seen[e.ID] {
			seen[e.ID] = true
			entries = append(entries, e)
		}
	}
	return entries
}

// agrees appends records in random batches, and compares the answers to random queries with naive
// sums.
func agrees(t *testing.T, s Storage) {
	r := testkit.Rand(t)
	l := s.Open(t)
	all := anyRecords(r, 150)
	for next := 0; next < len(all); {
		lo := max(0, next-r.IntN(4))
		hi := min(len(all)-1, lo+r.IntN(25))
		mustAppend(t, l, all.batch(lo, hi))
		next = max(next, hi+1)
	}
	wantNext(t, l, int64(len(all)))
	entries := all.once()
	wantSame(t, rowsOf(t, l, 0, int64(len(all))), figuresOf(t, entries...))
	for _, m := range markers(t, l) {
		wantSame(t, m.Figures, figuresOf(t, all.batch(int(m.Lo), int(m.Hi)).Entries...))
	}
	for range 60 {
		q := anyQuery(t, r)
		t.Logf("from %s to %s in %s by %s, %v", q.From, q.To, q.Location, q.Bucket, q.GroupBy)
		wantSame(t, named(usage(t, l, q), q), naive(entries, q))
	}
}

func anyQuery(t *testing.T, r *rand.Rand) ledger.Query {
	q := ledger.Query{Account: account, From: anyTime(r), To: anyTime(r), Location: location(t, pick(r, zones...)), Bucket: ledger.Bucket(r.IntN(5))}
	if !q.From.Before(q.To) {
		q.From, q.To = q.To, q.From.Add(time.Second)
	}
	for _, d := range []ledger.Dimension{ledger.ByTag("team"), ledger.ByKey, ledger.ByTag("project"), ledger.ByOperation} {
		if r.IntN(3) == 0 {
			q.GroupBy = append(q.GroupBy, d)
		}
	}
	return q
}

// label names the bucket that contains a time, as a wall clock shows it.
func label(at time.Time, q ledger.Query) string {
	switch q.Bucket {
	case ledger.Hour:
		return at.In(q.Location).Format("2006-01-02T15") + at.In(q.Location).Format(" -07")
	case ledger.Day:
		return at.In(q.Location).Format(time.DateOnly)
	case ledger.Month:
		return at.In(q.Location).Format("2006-01")
	}
	return ""
}

func named(rows []ledger.Row, q ledger.Query) map[string][3]int64 {
	sums := map[string][3]int64{}
	for _, r := range rows {
		name := label(r.Start, q) + "|" + strings.Join(r.Groups, "|")
		sum := sums[name]
		sums[name] = [3]int64{sum[0] + r.Units, sum[1] + r.Bytes, sum[2] + r.Entries}
	}
	return sums
}

func naive(entries []ledger.Entry, q ledger.Query) map[string][3]int64 {
	sums := map[string][3]int64{}
	for _, e := range entries {
		if e.Occurred.Before(q.From) || !e.Occurred.Before(q.To) {
			continue
		}
		name := label(e.Occurred, q) + "|" + strings.Join(valuesOf(e, q.GroupBy), "|")
		sum := sums[name]
		sums[name] = [3]int64{sum[0] + e.Units, sum[1] + e.Bytes, sum[2] + 1}
	}
	return sums
}

func valuesOf(e ledger.Entry, by []ledger.Dimension) (values []string) {
	for _, d := range by {
		switch d {
		case ledger.ByKey:
			values = append(values, e.Key)
		case ledger.ByOperation:
			values = append(values, e.Operation)
		default:
			values = append(values, tagOf(e, d))
		}
	}
	return values
}

func tagOf(e ledger.Entry, d ledger.Dimension) string {
	for _, tag := range e.Tags {
		if fmt.Sprint("tag:", tag.Name) == string(d) {
			return tag.Value
		}
	}
	return ""
}
