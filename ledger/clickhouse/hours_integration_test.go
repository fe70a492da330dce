//go:build integration

package clickhouse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/clickhouse/clickhousetest"
	"platen.dev/ledger/ledgertest"
)

// everything remembers every hour.
func everything(l *Ledger) *Ledger {
	l.memory.rows, l.memory.share = 0, 0
	return l
}

// The contract holds when hours are remembered.
func TestServerSuiteWithMemory(t *testing.T) {
	s := clickhousetest.Start(t)
	ledgertest.Run(t, func(t testing.TB) ledgertest.Storage {
		c := fresh(t, s.Address)
		return ledgertest.Storage{Open: func(t testing.TB) ledger.Ledger { return everything(mustOpen(t, c)) }}
	})
}

// Three ledgers are open on one database: the first remembers every hour, the second nothing, and the third writes: batches in any
// order of time, and copies, which the server merges or not. The first two always give the same answer.
func TestServerRemembersHours(t *testing.T) {
	r := testkit.Rand(t)
	c := fresh(t, clickhousetest.Start(t).Address)
	remembering, forgetting, writer := everything(mustOpen(t, c)), mustOpen(t, c), mustOpen(t, c)
	forgetting.memory.rows = math.MaxUint64
	remembering.runRows = 1 + r.Uint64N(40)
	for turn, next := 0, int64(0); turn < 60; turn++ {
		b := anyBatch(r, next)
		if err := writer.Append(testkit.Context(t), b); err != nil {
			t.Fatal(err)
		}
		next = b.Hi + 1
		if r.IntN(3) == 0 {
			copied, _ := b.Distinct()
			for _, m := range months(copied) {
				if err := writer.insert(testkit.Context(t), "", "usage_ledger", entryColumns, entryValues(m.entries)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if r.IntN(5) == 0 {
			if err := writer.conn.Exec(testkit.Context(t), "OPTIMIZE TABLE usage_ledger"); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			q := anyQuery(r)
			got, want := mustUsage(t, remembering, q), mustUsage(t, forgetting, q)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v:\ngot  %v\nwant %v", q, got, want)
			}
		}
	}
	if len(forgetting.memory.hours) > 0 {
		t.Errorf("the ledger that should forget remembers %d hours", len(forgetting.memory.hours))
	}

	q := ledger.Query{Account: "acc_1", From: ledger.MinTime, To: ledger.MaxTime}
	before := mustUsage(t, remembering, q)[0].Units
	for k, h := range remembering.memory.hours { // that the answer is wrong now shows that it was remembered
		for i := range h.parts {
			if k.account == q.Account && k.query == usageText(q) {
				h.parts[i].Units.Add(1000)
			}
		}
	}
	if after := mustUsage(t, remembering, q)[0].Units; after < before+1000 {
		t.Errorf("%d units, and %d after what is remembered was changed: it is not used", before, after)
	}
}

func anyBatch(r *rand.Rand, lo int64) ledger.Batch {
	b := ledger.Batch{Topic: "t", Lo: lo, Hi: lo + int64(r.IntN(30))}
	for offset := lo; offset <= b.Hi; offset++ {
		b.Entries = append(b.Entries, ledger.Entry{
			ID: fmt.Sprintf("%d/debit", offset), Account: fmt.Sprint("acc_", r.IntN(2)), Kind: ledger.Debit, Operation: fmt.Sprint("op-", r.IntN(3)),
			Occurred: time.Date(2026, 3, 25+r.IntN(10), 0, 15*r.IntN(96), r.IntN(900), 0, time.UTC), Window: time.Date(2026, 3, 1+r.IntN(2), 7, 0, 0, 0, time.UTC),
			Units: 1, Bytes: r.Int64N(1000), Source: ledger.Source{Topic: "t", Offset: offset},
		})
	}
	return b
}

// anyQuery often asks for whole hours.
func anyQuery(r *rand.Rand) ledger.Query {
	day := func() time.Time {
		return time.Date(2026, 3, 24+r.IntN(12), 0, 0, r.IntN(2)*r.IntN(86400), 0, time.UTC)
	}
	q := ledger.Query{Account: fmt.Sprint("acc_", r.IntN(2)), From: day(), To: day(), Bucket: ledger.Bucket(r.IntN(5))}
	if !q.From.Before(q.To) {
		q.From, q.To = q.To, q.From.Add(time.Second)
	}
	if r.IntN(2) == 0 {
		q.GroupBy = []ledger.Dimension{ledger.ByOperation}
	}
	return q
}

func mustUsage(t *testing.T, l *Ledger, q ledger.Query) []ledger.Row {
	t.Helper()
	rows, err := l.Usage(testkit.Context(t), q)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
