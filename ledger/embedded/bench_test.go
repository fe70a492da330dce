package embedded

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
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

// BenchmarkWindow measures what a page of usage asks for, of an account with a million entries in 30 days, of which 1000 are
// behind the sums, on 64 partitions.
func BenchmarkWindow(b *testing.B) {
	l := openSlow(b, filepath.Join(b.TempDir(), "ledger.db"), defaultLimits)
	start := ledgertest.BenchStart.Unix()
	text := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1000999)
INSERT INTO usage_ledger SELECT 'acc_a', %d + i * 2.592, printf('%%08x-bench/debit', i), printf('%%08x-bench', i), 1, printf('key_%%d', i %% 5), printf('operation-%%d', i %% 6), printf('{"team":"%%d"}', i %% 7), %d, 1, 1000, '', '', 1, 't', 5, i, i, 0 FROM n`, start, start)
	text = strings.Replace(text, "+ i * 2.592", "+ i * 2592 / 1000", 1)
	for _, statement := range []string{text, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 63) INSERT INTO ledger_batch SELECT 't', i, 999999, 0, 0, 0, 0, 0, 0 FROM n"} {
		if _, err := l.writer.ExecContext(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	began := time.Now()
	catchUp(b, l)
	b.Logf("sums were made in %s", time.Since(began).Round(time.Millisecond))
	if _, err := l.writer.ExecContext(b.Context(), "UPDATE ledger_batch SET hi = 1000999 WHERE src_part = 5"); err != nil {
		b.Fatal(err)
	}
	q := ledger.Query{Account: "acc_a", From: ledgertest.BenchStart.Add(7 * time.Second), To: ledgertest.BenchStart.AddDate(0, 1, 0).Add(7 * time.Second), Bucket: ledger.Day}
	ledgertest.BenchUsage(b, l, q)
	for name, where := range map[string][]ledger.Match{"none of a day": {{Dimension: ledger.ByOperation}}, "no tag of a day": {{Dimension: ledger.ByTag("team")}}} {
		from := ledgertest.BenchStart.AddDate(0, 0, 7)
		asked := ledger.EntryQuery{Account: "acc_a", From: from, To: from.AddDate(0, 0, 1), Where: where, Limit: 100}
		ledgertest.BenchQuery(b, name, func(ctx context.Context) error { _, err := l.Entries(ctx, asked); return err })
	}
}

// BenchmarkAppendBusy is BenchmarkAppend of accounts that are busy enough to have sums: 20 of them, each a hundred times a
// second.
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
	began := time.Now()
	catchUp(b, l)
	b.Logf("the sums were there %s later", time.Since(began).Round(time.Millisecond))
}

// changed is a ledger that gets other batches.
type changed struct {
	*Ledger
	change func(ledger.Batch) ledger.Batch
}

func (l changed) Append(ctx context.Context, b ledger.Batch) error {
	return l.Ledger.Append(ctx, l.change(b))
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
