package ledgertest

import (
	"slices"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

var entryCases = []testCase{
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
