package ledgertest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
)

var appendCases = []testCase{
	{"entries come back unchanged", roundTrip},
	{"a batch that is repeated counts once", repeated},
	{"entries count once, however they are divided into batches", cuts},
	{"a hole is refused, its neighbours are not", holes},
	{"a batch without entries moves next", empty},
	{"partitions and topics are apart", partitions},
	{"an entry that was published twice counts once", publishedTwice},
	{"a batch that spans months", months},
	{"the largest batch", largest},
	{"what the contract does not allow is refused", invalid},
	{"a closed ledger returns ErrClosed", closed},
	{"a call ends with its context", ended},
}

// strange returns entries with texts that a back end might misinterpret.
func strange() []ledger.Entry {
	extremes := debit(1, ledger.MinTime)
	extremes.Units, extremes.Bytes, extremes.Window = math.MaxInt64, math.MinInt64, ledger.MaxTime.Add(-time.Second)
	bare := ledger.Entry{ID: "x", Account: account, Kind: ledger.Credit, Occurred: noon, Window: ledger.MinTime}
	quotes := debit(2, noon.Add(time.Second))
	quotes.ID, quotes.Job, quotes.Key, quotes.Operation = `'; DROP TABLE usage_ledger; --`, `\'"`, "\\", "\t\n\r\x01?"
	quotes.Reason, quotes.Ref = "Grüße, 世界 🙂 ? ?1 $1 {a:String} @b", "`\""
	quotes.Tags = []ledger.Tag{
		{Name: "z", Value: `"`},
		{Name: "a", Value: `\`},
		{Name: "A.b_c-9", Value: "'"},
		{Name: "tag", Value: ""},
		{Name: "null", Value: "null"},
		{Name: "1", Value: "1"},
		{Name: "u", Value: "ü\u2028<&>"},
		{Name: "n", Value: "\n"},
	}
	longest := debit(3, ledger.MaxTime.Add(-time.Second))
	longest.Kind, longest.Units = ledger.Adjust, -7
	longest.ID, longest.Job, longest.Key = strings.Repeat("i", ledger.MaxName), strings.Repeat("j", ledger.MaxName), strings.Repeat("k", ledger.MaxName)
	longest.Operation, longest.Ref, longest.Reason = strings.Repeat("o", ledger.MaxName), strings.Repeat("r", ledger.MaxName), strings.Repeat("ä", ledger.MaxReason/2)
	longest.Tags = []ledger.Tag{{Name: strings.Repeat("n", ledger.MaxTagName), Value: strings.Repeat("v", ledger.MaxTagValue)}}
	return []ledger.Entry{extremes, bare, quotes, longest}
}

func roundTrip(t *testing.T, s Storage) {
	l := s.Open(t)
	b := batchAt(0, strange()...)
	mustAppend(t, l, b)
	wantSame(t, entriesOf(t, l, account), b.Entries)
	odd := debit(9, noon)
	odd.Account = `acc'\"?`
	mustAppend(t, l, batchAt(4, odd))
	got := entriesOf(t, s.Open(t), odd.Account)
	wantSame(t, got, batchAt(4, odd).Entries)
}

func repeated(t *testing.T, s Storage) {
	l := s.Open(t)
	b := batchAt(0, debits(0, 5)...)
	mustAppend(t, l, b)
	want := contentOf(t, l)
	mustAppend(t, l, b, b)
	wantSame(t, contentOf(t, l), want)
	reopened := s.Open(t)
	mustAppend(t, reopened, b)
	wantSame(t, contentOf(t, reopened), want)
	wantTotal(t, reopened, 5, 5000, 5)
	wantSame(t, want.Markers, []ledger.Marker{{Lo: 0, Hi: 4, Figures: figuresOf(t, b.Entries...)}})
}

// cuts appends the same offsets in batches of every length, each overlapping the previous one.
func cuts(t *testing.T, s Storage) {
	const n = 12
	l := s.Open(t)
	all := debits(0, n)
	for length := 1; length <= n; length++ {
		for lo := 0; lo+length <= n; lo += max(1, length-1) {
			if next, err := l.Next(testkit.Context(t), topic, partition); err != nil || int64(lo) > next {
				t.Fatalf("next %d (%v), behind %d", next, err, lo)
			}
			mustAppend(t, l, batchAt(int64(lo), all[lo:lo+length]...))
		}
	}
	wantNext(t, l, n)
	wantTotal(t, l, n, n*1000, n)
	wantSame(t, entriesOf(t, l, account), batchAt(0, all...).Entries)
	next := int64(0)
	for _, m := range markers(t, l) {
		if m.Lo != next {
			t.Fatalf("a marker begins at %d, the one before ends at %d", m.Lo, next-1)
		}
		wantSame(t, m.Figures, figuresOf(t, all[m.Lo:m.Hi+1]...))
		next = m.Hi + 1
	}
	wantSame(t, next, n)
}

func holes(t *testing.T, s Storage) {
	l := s.Open(t)
	wantRefused(t, l, batchAt(1, debits(1, 1)...), ledger.ErrHole)
	mustAppend(t, l, batchAt(0, debits(0, 3)...))
	wantRefused(t, l, batchAt(4, debits(4, 2)...), ledger.ErrHole, "next is 3")
	mustAppend(t, l, batchAt(3, debits(3, 3)...))
	wantNext(t, l, 6)
	wantTotal(t, l, 6, 6000, 6)
}

func empty(t *testing.T, s Storage) {
	l := s.Open(t)
	wantNext(t, l, 0)
	trimmed := ledger.Batch{Topic: topic, Partition: partition, Lo: 0, Hi: 499}
	mustAppend(t, l, trimmed, trimmed)
	wantNext(t, l, 500)
	sparse := batchAt(500, debits(0, 2)...)
	sparse.Hi, sparse.Entries[1].Source.Offset = 600, 555
	mustAppend(t, l, sparse)
	wantNext(t, s.Open(t), 601)
	wantTotal(t, l, 2, 2000, 2)
	if rows := usage(t, l, always("acc_unknown")); len(rows) != 0 {
		t.Errorf("an account without entries has %v", rows)
	}
}

func partitions(t *testing.T, s Storage) {
	l := s.Open(t)
	mustAppend(t, l, batchAt(0, debits(0, 3)...))
	other := ledger.Batch{Topic: "other", Partition: partition, Lo: 0, Hi: 9}
	mustAppend(t, l, other)
	other.Topic, other.Partition = topic, partition+1
	mustAppend(t, l, other)
	wantNext(t, l, 3)
	for _, p := range []int32{0, partition + 2, math.MaxInt32} {
		if next, err := l.Next(testkit.Context(t), topic, p); err != nil || next != 0 {
			t.Errorf("next of partition %d: %d, %v", p, next, err)
		}
	}
	wantSame(t, rowsOf(t, l, 0, 2), figuresOf(t, debits(0, 3)...))
	if f, err := l.RowsOf(testkit.Context(t), "other", partition, 0, 2); err != nil || f != (ledger.Figures{}) {
		t.Errorf("rows of a topic without entries: %+v, %v", f, err)
	}
}

func publishedTwice(t *testing.T, s Storage) {
	l := s.Open(t)
	e := debits(0, 3)
	first, second := batchAt(0, e[0], e[1], e[0]), batchAt(3, e[1], e[2], e[1], e[0])
	mustAppend(t, l, first, second)
	wantTotal(t, l, 3, 3000, 3)
	want := batchAt(0, e[0], e[1]).Entries
	wantSame(t, entriesOf(t, l, account), append(want, batchAt(4, e[2]).Entries...))
	wantSame(t, markers(t, l), []ledger.Marker{
		{Lo: 0, Hi: 2, Figures: figuresOf(t, first.Entries...)}, {Lo: 3, Hi: 6, Figures: figuresOf(t, second.Entries...)},
	})
	wantSame(t, rowsOf(t, l, 3, 6), figuresOf(t, e[2]))
	before := contentOf(t, l)
	mustAppend(t, l, first, second)
	wantSame(t, contentOf(t, l), before)
	overlap := batchAt(5, e[1], e[0], e[1], debit(9, noon))
	mustAppend(t, l, overlap)
	wantSame(t, markers(t, l)[2], ledger.Marker{Lo: 7, Hi: 8, Figures: figuresOf(t, overlap.Entries[2:]...)})
}

func months(t *testing.T, s Storage) {
	l := s.Open(t)
	var entries []ledger.Entry
	for i, at := range []string{"2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z", "2024-02-29T12:00:00Z", "2026-01-15T00:00:00Z"} {
		entries = append(entries, debit(i, parse(t, at)))
	}
	mustAppend(t, l, batchAt(0, entries...), batchAt(0, entries[:4]...))
	q := always(account)
	q.Bucket = ledger.Month
	got := map[string]int64{}
	for _, r := range usage(t, l, q) {
		got[r.Start.Format("2006-01")] = r.Units
	}
	wantSame(t, got, map[string]int64{"2024-02": 1, "2025-12": 1, "2026-01": 3, "2026-02": 1})
}

func parse(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func largest(t *testing.T, s Storage) {
	if testing.Short() {
		t.Skip("100,000 entries take a while under the race detector")
	}
	l := s.Open(t)
	var entries []ledger.Entry
	for i := range ledger.MaxBatch + 1 {
		entries = append(entries, debit(i, noon))
	}
	wantRefused(t, l, batchAt(0, entries...), ledger.ErrInvalid)
	mustAppend(t, l, batchAt(0, entries[1:]...))
	wantTotal(t, l, ledger.MaxBatch, ledger.MaxBatch*1000, ledger.MaxBatch)
	mustAppend(t, l, batchAt(0, entries[1:]...))
	wantSame(t, rowsOf(t, l, 0, ledger.MaxBatch).Entries, ledger.MaxBatch)
}

func invalid(t *testing.T, s Storage) {
	l := s.Open(t)
	for name, spoil := range map[string]func(*ledger.Batch){
		"no topic":           func(b *ledger.Batch) { b.Topic = "" },
		"negative partition": func(b *ledger.Batch) { b.Partition = -1 },
		"negative offset":    func(b *ledger.Batch) { b.Lo = -1 },
		"hi below lo":        func(b *ledger.Batch) { b.Hi = -1 },
		"another source":     func(b *ledger.Batch) { b.Entries[1].Source.Partition++ },
		"out of order":       func(b *ledger.Batch) { b.Entries[0].Source.Offset = 2 },
		"behind hi":          func(b *ledger.Batch) { b.Entries[2].Source.Offset = 3 },
		"a bad entry":        func(b *ledger.Batch) { b.Entries[2].Account = "" },
	} {
		b := batchAt(0, debits(0, 3)...)
		spoil(&b)
		t.Run(name, func(t *testing.T) { wantRefused(t, l, b, ledger.ErrInvalid) })
	}
	if _, err := l.Usage(testkit.Context(t), ledger.Query{}); !errors.Is(err, ledger.ErrInvalid) {
		t.Errorf("usage: %v, want ErrInvalid", err)
	}
	if _, err := l.Entries(testkit.Context(t), ledger.EntryQuery{}); !errors.Is(err, ledger.ErrInvalid) {
		t.Errorf("entries: %v, want ErrInvalid", err)
	}
}

func calls(ctx context.Context, l ledger.Ledger) map[string]error {
	_, next := l.Next(ctx, topic, partition)
	_, usage := l.Usage(ctx, always(account))
	_, entries := l.Entries(ctx, ledger.EntryQuery{Account: account, From: ledger.MinTime, To: ledger.MaxTime, Limit: 1})
	_, markers := l.Markers(ctx, topic, partition, 0)
	_, rows := l.RowsOf(ctx, topic, partition, 0, 1)
	return map[string]error{
		"next": next, "append": l.Append(ctx, batchAt(0, debits(0, 1)...)), "usage": usage, "entries": entries, "markers": markers, "rows": rows,
	}
}

func closed(t *testing.T, s Storage) {
	l := s.Open(t)
	mustAppend(t, l, batchAt(0, debits(0, 1)...))
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	for call, err := range calls(testkit.Context(t), l) {
		if !errors.Is(err, ledger.ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", call, err)
		}
	}
}

func ended(t *testing.T, s Storage) {
	l := s.Open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for call, err := range calls(ctx, l) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", call, err)
		}
	}
	mustAppend(t, l, batchAt(0, debits(0, 1)...))
	wantTotal(t, l, 1, 1000, 1)
}
