package ledgertest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

const (
	topic     = "platen.usage"
	partition = 3
	account   = "acc_a"
)

// noon is when the entries of the cases occur, unless the time matters.
var noon = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

var window = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

// debit is an entry of one unit and a thousand bytes.
func debit(number int, at time.Time) ledger.Entry {
	job := fmt.Sprintf("job-%04d", number)
	return ledger.Entry{
		ID: job + "/debit", Account: account, Job: job, Kind: ledger.Debit, Key: "key_a", Operation: "html-to-pdf",
		Occurred: at, Window: window, Units: 1, Bytes: 1000,
	}
}

// debits returns n debits with the numbers from first on, a minute after the other.
func debits(first, n int) (entries []ledger.Entry) {
	for i := range n {
		entries = append(entries, debit(first+i, noon.Add(time.Duration(first+i)*time.Minute)))
	}
	return entries
}

// batchAt has one entry at each offset from lo on.
func batchAt(lo int64, entries ...ledger.Entry) ledger.Batch {
	b := ledger.Batch{Topic: topic, Partition: partition, Lo: lo, Hi: lo + int64(len(entries)) - 1}
	for i, e := range entries {
		e.Source = ledger.Source{Topic: topic, Partition: partition, Offset: lo + int64(i)}
		b.Entries = append(b.Entries, e)
	}
	return b
}

func mustAppend(t testing.TB, l ledger.Ledger, batches ...ledger.Batch) {
	t.Helper()
	for _, b := range batches {
		if err := l.Append(testkit.Context(t), b); err != nil {
			t.Fatalf("append %s: %v", b, err)
		}
	}
}

// wantRefused checks that an append fails with an error that contains words, and changes nothing.
func wantRefused(t testing.TB, l ledger.Ledger, b ledger.Batch, want error, words ...string) {
	t.Helper()
	before := contentOf(t, l)
	err := l.Append(testkit.Context(t), b)
	if !errors.Is(err, want) {
		t.Fatalf("append %s: %v, want %v", b, err, want)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("append %s: no %q in %v", b, word, err)
		}
	}
	wantSame(t, contentOf(t, l), before)
}

func wantNext(t testing.TB, l ledger.Ledger, want int64) {
	t.Helper()
	if next, err := l.Next(testkit.Context(t), topic, partition); err != nil || next != want {
		t.Fatalf("next %d (%v), want %d", next, err, want)
	}
}

// always returns a query for all charges of an account.
func always(account string) ledger.Query {
	return ledger.Query{Account: account, From: ledger.MinTime, To: ledger.MaxTime}
}

func usage(t testing.TB, l ledger.Ledger, q ledger.Query) []ledger.Row {
	t.Helper()
	rows, err := l.Usage(testkit.Context(t), q)
	if err != nil {
		t.Fatalf("usage: %v", err)
	}
	return rows
}

// wantTotal checks the total charged to the account.
func wantTotal(t testing.TB, l ledger.Ledger, units, bytes, entries int64) {
	t.Helper()
	rows := usage(t, l, always(account))
	want := []ledger.Row{{Start: ledger.MinTime, End: ledger.MaxTime, Groups: []string{}, Units: units, Bytes: bytes, Entries: entries}}
	wantSame(t, rows, want)
}

// entriesOf returns all entries of an account, read in small pages.
func entriesOf(t testing.TB, l ledger.Ledger, account string) (all []ledger.Entry) {
	t.Helper()
	q := ledger.EntryQuery{Account: account, From: ledger.MinTime, To: ledger.MaxTime, Limit: 7}
	for {
		page, err := l.Entries(testkit.Context(t), q)
		if err != nil {
			t.Fatalf("entries: %v", err)
		}
		all = append(all, page.Entries...)
		if q.After = page.Next; q.After == "" {
			return all
		}
	}
}

func markers(t testing.TB, l ledger.Ledger) []ledger.Marker {
	t.Helper()
	all, err := l.Markers(testkit.Context(t), topic, partition, 0)
	if err != nil {
		t.Fatalf("markers: %v", err)
	}
	return all
}

func rowsOf(t testing.TB, l ledger.Ledger, lo, hi int64) ledger.Figures {
	t.Helper()
	f, err := l.RowsOf(testkit.Context(t), topic, partition, lo, hi)
	if err != nil {
		t.Fatalf("rows of [%d, %d]: %v", lo, hi, err)
	}
	return f
}

// content is everything that can be read from a ledger.
type content struct {
	Next    int64
	Markers []ledger.Marker
	Entries []ledger.Entry
	Rows    ledger.Figures
}

func contentOf(t testing.TB, l ledger.Ledger) content {
	t.Helper()
	next, err := l.Next(testkit.Context(t), topic, partition)
	if err != nil {
		t.Fatalf("next: %v", err)
	}
	return content{next, markers(t, l), entriesOf(t, l, account), rowsOf(t, l, 0, 1<<40)}
}

func wantSame[T any](t testing.TB, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
}

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// figuresOf sums up entries, each once.
func figuresOf(t testing.TB, entries ...ledger.Entry) ledger.Figures {
	t.Helper()
	var f ledger.Figures
	var ids []string
	for _, e := range entries {
		if slices.Contains(ids, e.ID) {
			continue
		}
		ids = append(ids, e.ID)
		f.Entries, f.Units, f.Bytes, f.Xor = f.Entries+1, f.Units+e.Units, f.Bytes+e.Bytes, f.Xor^e.Hash()
	}
	return f
}
