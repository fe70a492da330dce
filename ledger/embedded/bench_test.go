package embedded

import (
	"context"
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
	const rows, each = 10_000_000, 100_000
	ledgertest.BenchMonth(b, filled(b, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d - 1)
INSERT INTO usage_ledger SELECT printf('acc_%%03d', i / %d), %d + i %% %d * %d, printf('%%08x-bench/debit', i), printf('%%08x-bench', i), 1, 'key_' || i %% 3, 'html-to-pdf', '{}', %d, 1, 1000, '', '', 1, 't', 0, i, i, 0 FROM n`,
		rows, each, ledgertest.BenchStart.Unix(), each, 366*24*3600/each, ledgertest.BenchStart.Unix())))
}

// BenchmarkWindow measures what a page of usage asks for, of an account with a million entries in 30 days.
func BenchmarkWindow(b *testing.B) {
	start := ledgertest.BenchStart.Unix()
	l := filled(b, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999999)
INSERT INTO usage_ledger SELECT 'acc_a', %d + i * 2592 / 1000, printf('%%08x-bench/debit', i), printf('%%08x-bench', i), 1, printf('key_%%d', i %% 5), printf('operation-%%d', i %% 6), printf('{"team":"%%d"}', i %% 7), %d, 1, 1000, '', '', 1, 't', 5, i, i, 0 FROM n`, start, start))
	q := ledger.Query{Account: "acc_a", From: ledgertest.BenchStart.Add(7 * time.Second), To: ledgertest.BenchStart.AddDate(0, 1, 0).Add(7 * time.Second), Bucket: ledger.Day}
	ledgertest.BenchUsage(b, l, q)
	for name, where := range map[string][]ledger.Match{"none of a day": {{Dimension: ledger.ByOperation}}, "no tag of a day": {{Dimension: ledger.ByTag("team")}}} {
		from := ledgertest.BenchStart.AddDate(0, 0, 7)
		asked := ledger.EntryQuery{Account: "acc_a", From: from, To: from.AddDate(0, 0, 1), Where: where, Limit: 100}
		ledgertest.BenchQuery(b, name, func(ctx context.Context) error { _, err := l.Entries(ctx, asked); return err })
	}
}

// BenchmarkAppendBusy is BenchmarkAppend of busy accounts: 20 of them, each a hundred times a second.
func BenchmarkAppendBusy(b *testing.B) {
	l := mustOpen(b, filepath.Join(b.TempDir(), "ledger.db"))
	other := mustOpen(b, filepath.Join(b.TempDir(), "bare.db"))
	busy := func(batch ledger.Batch) ledger.Batch {
		for i := range batch.Entries {
			e := &batch.Entries[i]
			e.Account = fmt.Sprint("acc_", e.Source.Offset%20)
			e.Occurred = ledgertest.BenchStart.Add(time.Duration(e.Source.Offset/2000) * time.Second)
		}
		return batch
	}
	ledgertest.BenchAppend(b, changed{l, busy}, 20_000, func(batch ledger.Batch) error { return bare(b, other, busy(batch)) })
}

// changed is a ledger that gets other batches.
type changed struct {
	*Ledger
	change func(ledger.Batch) ledger.Batch
}

func (l changed) Append(ctx context.Context, b ledger.Batch) error {
	return l.Ledger.Append(ctx, l.change(b))
}

// filled makes entries in the database itself, in the order of the table, so that it takes a minute rather than ten, and
// in a file of version 1, which gets its rollup when it is opened.
func filled(b *testing.B, insert string) *Ledger {
	path, start := filepath.Join(b.TempDir(), "ledger.db"), time.Now()
	db, err := connect(path, 1, writerCache, "_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := migrate(b.Context(), db, []string{first}); err != nil {
		b.Fatal(err)
	}
	if _, err := db.ExecContext(b.Context(), insert); err != nil {
		b.Fatal(err)
	}
	entries := time.Since(start)
	l := mustOpen(b, path)
	b.Logf("entries were made in %s, their rollup in %s", entries.Round(time.Second), (time.Since(start) - entries).Round(time.Millisecond))
	return l
}
