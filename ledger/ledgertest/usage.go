package ledgertest

import (
	"errors"
	"math"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

var usageCases = []testCase{
	{"the range is half open", halfOpen},
	{"groups by key, operation and tags", groups},
	{"adjustments are negative, also in a closed period", adjustments},
	{"windows", windows},
	{"sums are exact up to 64 bits", overflow},
}

func halfOpen(t *testing.T, s Storage) {
	l := s.Open(t)
	mustAppend(t, l, batchAt(0, debit(0, noon.Add(-time.Second)), debit(1, noon), debit(2, noon.Add(time.Second))))
	for _, c := range []struct {
		from, to int // seconds from noon
		want     int64
	}{{-1, 2, 3}, {0, 2, 2}, {0, 1, 1}, {-1, 0, 1}, {2, 3, 0}, {-2, -1, 0}} {
		q := always(account)
		q.From, q.To = noon.Add(time.Duration(c.from)*time.Second), noon.Add(time.Duration(c.to)*time.Second)
		var got int64
		for _, r := range usage(t, l, q) {
			got += r.Entries
		}
		if got != c.want {
			t.Errorf("[%d, %d): %d entries, want %d", c.from, c.to, got, c.want)
		}
	}
}

func groups(t *testing.T, s Storage) {
	l := s.Open(t)
	e := debits(0, 6)
	e[0].Tags = []ledger.Tag{{Name: "team", Value: "red"}, {Name: "project", Value: "1"}}
	e[1].Tags = []ledger.Tag{{Name: "project", Value: "1"}}
	e[2].Tags = []ledger.Tag{{Name: "project", Value: "1"}, {Name: "team", Value: "blue"}}
	e[3].Tags = []ledger.Tag{{Name: "team", Value: ""}}
	e[4].Key, e[4].Operation = "", "url-to-pdf"
	e[5].Account = "acc_b"
	mustAppend(t, l, batchAt(0, e...))
	check := func(want map[string]int64, by ...ledger.Dimension) {
		t.Helper()
		q := always(account)
		q.GroupBy = by
		got, last := map[string]int64{}, ""
		for _, r := range usage(t, l, q) {
			name := ""
			for _, g := range r.Groups {
				name += g + "/"
			}
			if name < last {
				t.Errorf("%q follows %q", name, last)
			}
			got[name], last = r.Entries, name
		}
		wantSame(t, got, want)
	}
	check(map[string]int64{"": 5})
	check(map[string]int64{"/": 1, "key_a/": 4}, ledger.ByKey)
	check(map[string]int64{"html-to-pdf/key_a/": 4, "url-to-pdf//": 1}, ledger.ByOperation, ledger.ByKey)
	check(map[string]int64{"/": 3, "blue/": 1, "red/": 1}, ledger.ByTag("team"))
	check(map[string]int64{"//": 2, "1//": 1, "1/blue/": 1, "1/red/": 1}, ledger.ByTag("project"), ledger.ByTag("team"))
	check(map[string]int64{"/": 5}, ledger.ByTag("none"))
	check(map[string]int64{"///key_a/": 1, "////": 1, "1///key_a/": 1, "1/blue//key_a/": 1, "1/red//key_a/": 1},
		ledger.ByTag("project"), ledger.ByTag("team"), ledger.ByTag("x.y_z-1"), ledger.ByKey)
}

func adjustments(t *testing.T, s Storage) {
	l := s.Open(t)
	mustAppend(t, l, batchAt(0, debit(0, noon), debit(1, noon)))
	undo := debit(0, noon)
	undo.ID, undo.Kind, undo.Units, undo.Bytes, undo.Ref, undo.Reason = "adj-1", ledger.Adjust, -3, -5000, undo.ID, "charged by mistake"
	mustAppend(t, l, batchAt(2, undo), batchAt(2, undo))
	wantTotal(t, l, -1, -3000, 3)
	wantSame(t, rowsOf(t, l, 2, 2), ledger.Figures{Entries: 1, Units: -3, Bytes: -5000, Xor: undo.Hash()})
	entries := entriesOf(t, l, account)
	wantSame(t, entries[0].Ref, "job-0000/debit")
	wantSame(t, entries[0].Reason, "charged by mistake")
}

func windows(t *testing.T, s Storage) {
	l := s.Open(t)
	e := debits(0, 5)
	for i := range e {
		e[i].Window = window.AddDate(0, -(i % 2), 0).Add(time.Duration(i%2) * 7 * time.Second)
	}
	mustAppend(t, l, batchAt(0, e...))
	q := always(account)
	q.Bucket, q.Location = ledger.Window, location(t, "Asia/Kolkata")
	wantSame(t, usage(t, l, q), []ledger.Row{
		{Start: e[1].Window.In(q.Location), Groups: []string{}, Units: 2, Bytes: 2000, Entries: 2},
		{Start: window.In(q.Location), Groups: []string{}, Units: 3, Bytes: 3000, Entries: 3},
	})
	q.To = noon.Add(2 * time.Minute)
	q.GroupBy = []ledger.Dimension{ledger.ByKey}
	wantSame(t, usage(t, l, q)[1], ledger.Row{Start: window.In(q.Location), Groups: []string{"key_a"}, Units: 1, Bytes: 1000, Entries: 1})
}

// overflow has sums at both ends of 64 bits, over whole ranges and within a second.
func overflow(t *testing.T, s Storage) {
	l := s.Open(t)
	with := func(number int, units, bytes int64) ledger.Entry {
		e := debit(number, noon)
		e.Units, e.Bytes = units, bytes
		return e
	}
	mustAppend(t, l, batchAt(0, with(0, math.MaxInt64-1, math.MinInt64+1)), batchAt(1, with(1, 1, -1)))
	wantTotal(t, l, math.MaxInt64, math.MinInt64, 2)
	mustAppend(t, l, batchAt(2, with(2, 1, 0)))
	for _, bucket := range []ledger.Bucket{ledger.Total, ledger.Day, ledger.Window} {
		q := always(account)
		q.From, q.To, q.Bucket = noon, noon.Add(time.Second), bucket
		if rows, err := l.Usage(testkit.Context(t), q); !errors.Is(err, ledger.ErrOverflow) {
			t.Errorf("%s: %v, %v, want ErrOverflow", bucket, rows, err)
		}
	}
	if f, err := l.RowsOf(testkit.Context(t), topic, partition, 0, 2); !errors.Is(err, ledger.ErrOverflow) {
		t.Errorf("rows: %+v, %v, want ErrOverflow", f, err)
	}
	wantRefusedOverflow(t, l, batchAt(3, with(3, 0, math.MaxInt64), with(4, 0, 1)))
	mustAppend(t, l, batchAt(3, with(3, -1, 0))) // the sum fits into 64 bits again
	wantTotal(t, l, math.MaxInt64, math.MinInt64, 4)
}

func wantRefusedOverflow(t *testing.T, l ledger.Ledger, b ledger.Batch) {
	t.Helper()
	if err := l.Append(testkit.Context(t), b); !errors.Is(err, ledger.ErrOverflow) {
		t.Fatalf("append: %v, want ErrOverflow", err)
	}
	wantNext(t, l, b.Lo)
}
