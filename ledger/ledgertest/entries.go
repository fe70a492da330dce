package ledgertest

import (
	"slices"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

var entryCases = []testCase{
	{"entries of a range of offsets", entriesOfSource},
	{"the most entries of a range", manySourced},
	{"pages of any length have every entry once, in order", pages},
	{"the entries behind a row are what it counts", behind},
}

func pages(t *testing.T, s Storage) {
	l := s.Open(t)
	var want []ledger.Entry
	for i := range 20 {
		want = append(want, debit(i, noon.Add(time.Duration(i/6)*time.Second))) // six at a time: the id decides
	}
	shuffled := slices.Clone(want)
	slices.Reverse(shuffled)
	mustAppend(t, l, batchAt(0, shuffled...))
	for _, limit := range []int{1, 5, 6, 19, 20, 21, ledger.MaxPage} {
		q := ledger.EntryQuery{Account: account, From: noon, To: noon.Add(time.Hour), Limit: limit}
		var got []string
		for n := 0; n == 0 || q.After != ""; n++ {
			page, err := l.Entries(testkit.Context(t), q)
			if err != nil || len(page.Entries) > limit {
				t.Fatalf("limit %d: %d entries, %v", limit, len(page.Entries), err)
			}
			for _, e := range page.Entries {
				got = append(got, e.ID)
			}
			if q.After = page.Next; q.After != "" && len(page.Entries) != limit {
				t.Fatalf("limit %d: a page of %d has a next", limit, len(page.Entries))
			}
		}
		wantSame(t, got, idsOf(want))
	}
}

func idsOf(entries []ledger.Entry) (ids []string) {
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

func behind(t *testing.T, s Storage) {
	l := s.Open(t)
	e := debits(0, 12)
	for i := range e {
		e[i].Key, e[i].Units = []string{"", "key_a", "key_b"}[i%3], int64(i)
		e[i].Window = window.AddDate(0, i%2, 0)
		if i%4 > 0 {
			e[i].Tags = []ledger.Tag{{Name: "team", Value: []string{"", "", "red", `b"l'u\e`}[i%4]}}
		}
	}
	mustAppend(t, l, batchAt(0, e...))
	q := always(account)
	q.From, q.To = noon.Add(time.Minute), noon.Add(11*time.Minute)
	q.Bucket, q.GroupBy = ledger.Window, []ledger.Dimension{ledger.ByTag("team"), ledger.ByKey}
	rows := usage(t, l, q)
	for _, r := range rows {
		found, err := l.Entries(testkit.Context(t), ledger.EntryQuery{
			Account: account, From: q.From, To: q.To, Window: r.Start, Limit: 100,
			Where: []ledger.Match{{Dimension: q.GroupBy[0], Value: r.Groups[0]}, {Dimension: q.GroupBy[1], Value: r.Groups[1]}},
		})
		if err != nil {
			t.Fatal(err)
		}
		f := figuresOf(t, found.Entries...)
		wantSame(t, [3]int64{f.Entries, f.Units, f.Bytes}, [3]int64{r.Entries, r.Units, r.Bytes})
	}
	wantMoreThan(t, len(rows), 6)
}

func entriesOfSource(t *testing.T, s Storage) {
	l := s.Open(t)
	first := batchAt(0, debits(0, 3)...)
	first.Entries[1].Source.Offset = 0 // two entries of one record
	first.Entries[1].Tags = []ledger.Tag{{Name: "b", Value: "\"1\""}, {Name: "a", Value: ""}}
	second := batchAt(3, debits(3, 2)...)
	other := batchAt(0, debits(7, 2)...)
	other.Partition++
	for i := range other.Entries {
		other.Entries[i].Source.Partition++
	}
	mustAppend(t, l, first, second, other)
	all := slices.Concat(first.Entries, second.Entries)
	for _, c := range []struct {
		lo, hi int64
		want   []ledger.Entry
	}{{0, 4, all}, {0, 0, all[:2]}, {1, 3, all[2:4]}, {2, 2, all[2:3]}, {5, 9, nil}, {3, 2, nil}} {
		wantSame(t, sourced(t, l, partition, c.lo, c.hi), c.want)
	}
	wantSame(t, sourced(t, l, partition+1, 0, 9), other.Entries)
}

func manySourced(t *testing.T, s Storage) {
	l := s.Open(t)
	all := batchAt(0, debits(0, ledger.MaxSourced+1)...)
	mustAppend(t, l, all)
	for lo, want := range map[int64]int{0: ledger.MaxSourced, 1: ledger.MaxSourced, 2: ledger.MaxSourced - 1} {
		if got := sourced(t, l, partition, lo, all.Hi); len(got) != want || got[0].Source.Offset != lo {
			t.Fatalf("from %d on: %d entries, want %d", lo, len(got), want)
		}
	}
}

func sourced(t testing.TB, l ledger.Ledger, partition int32, lo, hi int64) []ledger.Entry {
	t.Helper()
	entries, err := l.Sourced(testkit.Context(t), topic, partition, lo, hi)
	if err != nil {
		t.Fatalf("entries of [%d, %d]: %v", lo, hi, err)
	}
	return entries
}
