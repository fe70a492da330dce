package clickhouse

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"platen.dev/ledger"
	"platen.dev/ledger/clickhouse/clickhousetest"
	"platen.dev/ledger/ledgertest"
)

// benchLedger is on the server CLICKHOUSE_ADDRESS, or on one that is started for the benchmark.
func benchLedger(b *testing.B) *Ledger {
	b.Helper()
	address := os.Getenv("CLICKHOUSE_ADDRESS")
	if address == "" && clickhousetest.Installed() == nil {
		b.Skip("skipped: CLICKHOUSE_ADDRESS is not set and clickhouse-server is not installed")
	}
	if address == "" {
		address = clickhousetest.Start(b).Address
	}
	return mustOpen(b, fresh(b, address))
}

// BenchmarkAppend measures b.N pairs on two databases that grow alike: a batch through the ledger,
// and a bare insert of the same rows.
func BenchmarkAppend(b *testing.B) {
	l := benchLedger(b)
	other := mustOpen(b, fresh(b, l.config.Addresses[0]))
	ledgertest.BenchAppend(b, l, 50_000, func(batch ledger.Batch) error {
		entries := make([]ledger.Hashed, 0, len(batch.Entries))
		for i := range batch.Entries {
			entries = append(entries, ledger.Hashed{Entry: &batch.Entries[i], Hash: 1})
		}
		return other.insert(b.Context(), fmt.Sprint("bare ", batch.Lo), "usage_ledger", entryColumns, entryValues(entries))
	})
}

// BenchmarkMonth measures the usage of one account in one month, by day, among 10 million rows of
// 100 accounts and 12 months.
func BenchmarkMonth(b *testing.B) {
	const rows, each = 10_000_000, 100_000
	l := benchLedger(b)
	start := ledgertest.BenchStart.Unix()
	for month := range 10 { // in ten inserts, so that the server needs little memory
		text := fmt.Sprintf(`INSERT INTO usage_ledger (account, entry_id, job_id, kind, key_id, operation, tag_k, tag_v, occurred_at, window_start, render_units, bytes, ref_entry, reason, schema_v, src_topic, src_part, src_offset, row_hash, ingested_at)
SELECT concat('acc_', substring(toString(1000 + intDiv(number, %[1]d)), 2)), concat(toString(number), '-bench/debit'), concat(toString(number), '-bench'), 'debit', concat('key_', toString(number %% 3)), 'html-to-pdf', emptyArrayString(), emptyArrayString(),
toDateTime(%[2]d + number %% %[1]d * %[3]d), toDateTime(%[2]d), 1, 1000, '', '', 1, 't', 0, number, number, toDateTime(%[2]d) FROM numbers(%[4]d, %[5]d)`,
			each, start, 366*24*3600/each, month*rows/10, rows/10)
		if err := l.conn.Exec(b.Context(), text); err != nil {
			b.Fatal(err)
		}
	}
	ledgertest.BenchMonth(b, l)
}

// BenchmarkWindow measures what a usage page asks for, of an account with a million entries in 30 days: with nothing remembered, with hours
// remembered, and a page of the entries.
func BenchmarkWindow(b *testing.B) {
	l := benchLedger(b)
	for part := range 10 {
		if err := l.Append(b.Context(), windowBatch(part*100_000, 100_000)); err != nil {
			b.Fatal(err)
		}
	}
	q := ledger.Query{Account: "acc_a", From: ledgertest.BenchStart, To: ledgertest.BenchStart.AddDate(0, 1, 0), Bucket: ledger.Day, GroupBy: []ledger.Dimension{ledger.ByOperation}}
	ledgertest.BenchQuery(b, "nothing remembered", func(ctx context.Context) error {
		l.memory = newMemory()
		_, err := l.Usage(ctx, q)
		return err
	})
	ledgertest.BenchQuery(b, "entries", func(ctx context.Context) error {
		_, err := l.Entries(ctx, ledger.EntryQuery{Account: q.Account, From: q.From, To: q.To, Limit: 100})
		return err
	})
	ledgertest.BenchUsage(b, l, q)
}

// windowBatch has n entries of one account, 386 in a thousand seconds.
func windowBatch(lo, n int) ledger.Batch {
	b := ledger.Batch{Topic: "t", Lo: int64(lo), Hi: int64(lo + n - 1)}
	for i := lo; i < lo+n; i++ {
		job := fmt.Sprintf("%08x-%04x-4d15-8000-%012x", uint32(i*0x9e3779b9), i%65521, i)
		b.Entries = append(b.Entries, ledger.Entry{
			ID: job + "/debit", Account: "acc_a", Job: job, Kind: ledger.Debit, Key: fmt.Sprint("key_", i%5), Operation: fmt.Sprint("operation-", i%6),
			Tags: []ledger.Tag{{Name: "team", Value: fmt.Sprint(i % 7)}}, Occurred: ledgertest.BenchStart.Add(time.Duration(i) * 2592 * time.Millisecond).Truncate(time.Second),
			Window: ledgertest.BenchStart, Units: 1, Bytes: 1000, Source: ledger.Source{Topic: "t", Offset: int64(i)},
		})
	}
	return b
}
