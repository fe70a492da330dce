package embedded

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"platen.dev/ledger"
	"platen.dev/ledger/ledgertest"
)

// BenchmarkAppend measures b.N pairs on two files that grow alike: a batch through the ledger, and
// a bare insert of the same rows in one transaction.
func BenchmarkAppend(b *testing.B) {
	l := mustOpen(b, filepath.Join(b.TempDir(), "ledger.db"))
	other := mustOpen(b, filepath.Join(b.TempDir(), "bare.db"))
	ledgertest.BenchAppend(b, l, 20_000, func(batch ledger.Batch) error { return bare(b, other, batch) })
}

// bare inserts the rows of a batch, and nothing else.
func bare(b *testing.B, l *Ledger, batch ledger.Batch) error {
	tx, err := l.writer.BeginTx(b.Context(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	statement, err := tx.Prepare(insertEntry)
	if err != nil {
		return err
	}
	defer statement.Close()
	for i := range batch.Entries {
		if _, err := statement.Exec(values(ledger.Hashed{Entry: &batch.Entries[i], Hash: 1}, 1)...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// BenchmarkMonth measures the usage of one account in one month, by day, among 10 million rows of
// 100 accounts and 12 months.
func BenchmarkMonth(b *testing.B) {
	l := mustOpen(b, filepath.Join(b.TempDir(), "ledger.db"))
	if err := fill(b, l, 10_000_000); err != nil {
		b.Fatal(err)
	}
	ledgertest.BenchMonth(b, l)
}

// fill makes rows in the database itself, in the order of the table, so that it takes a minute
// rather than ten.
func fill(b *testing.B, l *Ledger, rows int) error {
	start := time.Now()
	text := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d - 1)
INSERT INTO usage_ledger SELECT printf('acc_%%03d', i / %d), %d + i %% %d * %d, printf('%%08x-bench/debit', i), printf('%%08x-bench', i), 1, 'key_' || i %% 3, 'html-to-pdf', '{}', %d, 1, 1000, '', '', 1, 't', 0, i, i, 0 FROM n`,
		rows, rows/100, ledgertest.BenchStart.Unix(), rows/100, 366*24*3600/(rows/100), ledgertest.BenchStart.Unix())
	_, err := l.writer.ExecContext(b.Context(), text)
	b.Logf("%d rows were made in %s", rows, time.Since(start).Round(time.Second))
	return err
}
