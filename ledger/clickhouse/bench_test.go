package clickhouse

import (
	"fmt"
	"os"
	"testing"

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

// BenchmarkWindow measures what a page of usage asks for, of an account with a million entries in 30 days.
func BenchmarkWindow(b *testing.B) {
	l := benchLedger(b)
	start := ledgertest.BenchStart.Unix()
	for part := range 10 {
		text := fmt.Sprintf(`INSERT INTO usage_ledger (account, entry_id, job_id, kind, key_id, operation, tag_k, tag_v, occurred_at, window_start, render_units, bytes, ref_entry, reason, schema_v, src_topic, src_part, src_offset, row_hash, ingested_at)
SELECT 'acc_a', concat(toString(cityHash64(number)), '-4d15-8000-0000-bench/debit'), concat(toString(cityHash64(number)), '-bench'), 'debit', concat('key_', toString(number %% 5)), concat('operation-', toString(number %% 6)), ['team'], [toString(number %% 7)],
toDateTime(%[1]d + intDiv(number * 2592, 1000)), toDateTime(%[1]d), 1, 1000, '', '', 1, 't', 0, number, number, toDateTime(%[1]d) FROM numbers(%[2]d, 100000)`, start, part*100_000)
		if err := l.conn.Exec(b.Context(), text); err != nil {
			b.Fatal(err)
		}
	}
	q := ledger.Query{Account: "acc_a", From: ledgertest.BenchStart, To: ledgertest.BenchStart.AddDate(0, 1, 0), Bucket: ledger.Day}
	ledgertest.BenchUsage(b, l, q)
}
