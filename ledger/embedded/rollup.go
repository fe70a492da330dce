package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"platen.dev/ledger"
)

// hour is the number of seconds summed up in a row of the rollup.
const hour = 3600

// rollupRow names a row of the rollup.
type rollupRow struct {
	account, tag          string
	at, window            int64
	key, operation, value string
}

func (r rollupRow) compare(other rollupRow) int {
	return cmp.Or(
		strings.Compare(r.account, other.account), strings.Compare(r.tag, other.tag), cmp.Compare(r.at, other.at), cmp.Compare(r.window, other.window),
		strings.Compare(r.key, other.key), strings.Compare(r.operation, other.operation), strings.Compare(r.value, other.value),
	)
}

// amounts are units and bytes, in halves as ledger.Halves defines them, and a number of entries.
type amounts [5]int64

func (a *amounts) add(e ledger.Hashed) {
	const half = 1 << 32
	for i, n := range []int64{e.Units / half, e.Units % half, e.Bytes / half, e.Bytes % half, 1} {
		a[i] += n
	}
}

// rolledUp sums up entries by their rollup rows. The view usage_line does the same, for few entries or for all: for a batch it takes longer.
func rolledUp(entries []ledger.Hashed) map[rollupRow]*amounts {
	sums := make(map[rollupRow]*amounts, len(entries))
	add := func(r rollupRow, e ledger.Hashed) {
		if sums[r] == nil {
			sums[r] = new(amounts)
		}
		sums[r].add(e)
	}
	for _, e := range entries {
		at := e.Occurred.Unix()
		of := rollupRow{account: e.Account, at: at - at%hour, window: e.Window.Unix()}
		all := of
		all.key, all.operation = e.Key, e.Operation
		add(all, e)
		for _, tag := range e.Tags {
			of.tag, of.value = tag.Name, tag.Value
			add(of, e)
		}
	}
	return sums
}

// together is how many rows one statement writes.
const together = 100

// addRows returns a statement that adds n rows to the rollup.
func addRows(n int) string {
	const row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	return "INSERT INTO usage_rollup VALUES " + row + strings.Repeat(", "+row, n-1) +
		" ON CONFLICT DO UPDATE SET units_high = units_high + excluded.units_high, units_low = units_low + excluded.units_low," +
		" bytes_high = bytes_high + excluded.bytes_high, bytes_low = bytes_low + excluded.bytes_low, entries = entries + excluded.entries"
}

// rollUp adds entries to the rollup. It touches each row once, in the order of the table.
func rollUp(ctx context.Context, tx *sql.Tx, entries []ledger.Hashed) error {
	if len(entries) == 0 {
		return nil
	}
	sums := rolledUp(entries)
	rows := slices.SortedFunc(maps.Keys(sums), rollupRow.compare)
	size := min(together, len(rows))
	statement, err := tx.PrepareContext(ctx, addRows(size))
	if err != nil {
		return err
	}
	defer statement.Close()
	for ; len(rows) >= size; rows = rows[size:] {
		if _, err := statement.ExecContext(ctx, rollupArgs(rows[:size], sums)...); err != nil {
			return err
		}
	}
	if len(rows) > 0 {
		_, err = tx.ExecContext(ctx, addRows(len(rows)), rollupArgs(rows, sums)...)
	}
	return err
}

func rollupArgs(rows []rollupRow, sums map[rollupRow]*amounts) (args []any) {
	for _, r := range rows {
		a := sums[r]
		args = append(args, r.account, r.tag, r.at, r.window, r.key, r.operation, r.value, a[0], a[1], a[2], a[3], a[4])
	}
	return args
}
