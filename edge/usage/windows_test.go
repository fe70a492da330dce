package usage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/ledger"
)

// threeMonths returns two entries in January, one in February and one in March.
func threeMonths() []ledger.Entry {
	return []ledger.Entry{
		debit(account, 1, january, january), debit(account, 2, january.Add(time.Hour), january),
		debit(account, 3, february, february), debit(account, 4, march, march),
		debit("acc_b", 5, february, february),
	}
}

// complete returns the state of an account whose entries are all in the ledger.
func complete() Live {
	live := monthly()
	live.Charged, live.All = Charged{1, 1004}, Charged{4, 4010}
	return live
}

// A window is closed when nothing more can be charged in it and the ledger has every charge.
func TestStatus(t *testing.T) {
	l := filled(t, threeMonths()...)
	for name, c := range map[string]struct {
		change func(*Live)
		now    time.Time
		want   []Status
	}{
		"the last window is open":               {func(*Live) {}, now, []Status{Closed, Closed, Open}},
		"until an hour after its end":           {func(*Live) {}, march.AddDate(0, 1, 0).Add(time.Hour - 1), []Status{Closed, Closed, Open}},
		"and closed then":                       {func(*Live) {}, march.AddDate(0, 1, 0).Add(time.Hour), []Status{Closed, Closed, Closed}},
		"unless one of its jobs has not ended":  {func(l *Live) { l.Unfinished = []time.Time{march} }, march.AddDate(0, 2, 0), []Status{Closed, Closed, Open}},
		"or the ledger lacks an entry of it":    {func(l *Live) { l.Charged.Units, l.All.Units = 2, 5 }, march.AddDate(0, 2, 0), []Status{Closed, Closed, Open}},
		"a job of a former window goes on":      {func(l *Live) { l.Unfinished = []time.Time{january} }, now, []Status{Open, Closed, Open}},
		"the ledger lacks a unit of a former":   {func(l *Live) { l.All.Units++ }, now, []Status{Open, Open, Open}},
		"the ledger lacks bytes of a former":    {func(l *Live) { l.All.Bytes++ }, now, []Status{Open, Open, Open}},
		"the next window has no entries yet":    {func(l *Live) { l.Window, l.Charged = march.AddDate(0, 1, 0), Charged{} }, now, []Status{Closed, Closed, Closed}},
		"a clock was ahead, and is right again": {func(l *Live) { l.Window, l.Charged = february, Charged{1, 1003} }, february.AddDate(0, 0, 1), []Status{Closed, Open, Open}},
		"after a reset, the counts began anew":  {func(l *Live) { l.Charged = Charged{} }, now, []Status{Closed, Closed, Open}},
	} {
		live := complete()
		c.change(&live)
		s := New(l, func(events.AccountID) (Live, error) { return live, nil }, func() time.Time { return c.now })
		w, err := s.Windows(t.Context(), account)
		var got []Status
		for _, row := range w.Windows {
			got = append(got, row.Status)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v (%v), want %v", name, got, err, c.want)
		}
	}
}

// A window ends at the anchor, or where the next one begins.
func TestEnds(t *testing.T) {
	s := serve(filled(t, threeMonths()...), complete())
	w, err := s.Windows(t.Context(), account)
	want := "[{2026-01-15T08:00:00Z 2026-02-15T08:00:00Z closed {2 2003 2}} {2026-02-15T08:00:00Z 2026-03-15T08:00:00Z closed {1 1003 1}} {2026-03-15T08:00:00Z 2026-04-15T08:00:00Z open {1 1004 1}}]"
	if err != nil || fmt.Sprint(w.Windows) != want || w.Source != "ledger" {
		t.Errorf("got  %v (%v)\nwant %s", w, err, want)
	}
	moved := Live{Window: january.AddDate(0, 0, 20), End: func(start time.Time) time.Time { return start.AddDate(0, 3, 0) }}
	rows := []ledger.Row{{Start: january.AddDate(0, 0, -10)}, {Start: january.AddDate(0, 0, -10)}, {Start: january}, {Start: january.AddDate(0, 0, 20)}}
	moved.setEnds(rows)
	for i, want := range []time.Time{january, january, january.AddDate(0, 0, 20), january.AddDate(0, 0, 20).AddDate(0, 3, 0)} {
		if !rows[i].End.Equal(want) {
			t.Errorf("row %d ends %s, want %s", i, rows[i].End, want)
		}
	}
}

// A window shows its entries, and their fingerprint.
func TestWindow(t *testing.T) {
	entries := threeMonths()
	entries[1].Operation = "html-to-image"
	l := filled(t, entries...)
	s := serve(l, complete())
	w, err := s.Window(t.Context(), account, january)
	if err != nil {
		t.Fatal(err)
	}
	f := ledger.NewFingerprint(string(account), january)
	for _, e := range entries[:2] {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	want := Window{
		Source: "ledger", WindowRow: WindowRow{"2026-01-15T08:00:00Z", "2026-02-15T08:00:00Z", Closed, Figures{2, 2003, 2}},
		ByOperation: []OperationRow{{"html-to-image", Figures{1, 1002, 1}}, {"html-to-pdf", Figures{1, 1001, 1}}},
		ByKey:       []KeyRow{{"key_0", Figures{1, 1002, 1}}, {"key_1", Figures{1, 1001, 1}}},
		Fingerprint: Fingerprint{"platen-window-v1", fmt.Sprintf("%x", f.Sum()), false},
	}
	if fmt.Sprint(w) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", w, want)
	}
	if w, err := s.Window(t.Context(), account, march); err != nil || w.Status != Open || !w.Fingerprint.Preliminary {
		t.Errorf("the open window: %v, %v", w, err)
	}
	for _, start := range []time.Time{january.Add(time.Second), march.AddDate(0, 1, 0)} {
		if _, err := s.Window(t.Context(), account, start); !errors.Is(err, ErrNoWindow) {
			t.Errorf("%s: %v", start, err)
		}
	}
	if _, err := s.Window(t.Context(), "acc_c", january); !errors.Is(err, ErrNoWindow) {
		t.Errorf("another account: %v", err)
	}
}

// A window that is too large is refused before it is read.
func TestLargeWindow(t *testing.T) {
	for entries, want := range map[int64]error{ledger.MaxFingerprint: nil, ledger.MaxFingerprint + 1: ErrTooLarge} {
		s := serve(counted{[]ledger.Row{{Start: january, Entries: entries}}}, complete())
		if w, err := s.Window(t.Context(), account, january); !errors.Is(err, want) || err == nil && w.Status != Open {
			t.Errorf("%d entries: %v, %v", entries, w.Status, err)
		}
	}
}

// counted is a ledger that reports more entries than it has.
type counted struct{ rows []ledger.Row }

func (l counted) Usage(context.Context, ledger.Query) ([]ledger.Row, error) { return l.rows, nil }

func (l counted) Entries(context.Context, ledger.EntryQuery) (ledger.Page, error) {
	return ledger.Page{}, nil
}
