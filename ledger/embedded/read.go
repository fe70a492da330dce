package embedded

import (
	"context"
	"database/sql"

	"platen.dev/ledger"
)

// from is a database or a transaction.
type from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// within runs do in a transaction.
func within(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // it does nothing after a commit
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// each calls visit with every row of an answer.
func each(ctx context.Context, db from, visit func(*sql.Rows) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Next implements ledger.Ledger.
func (l *Ledger) Next(ctx context.Context, topic string, partition int32) (next int64, err error) {
	err = l.call(ctx, "next", func(ctx context.Context) (err error) {
		next, err = nextOf(ctx, l.reader, topic, partition)
		return err
	})
	return next, err
}

func nextOf(ctx context.Context, db from, topic string, partition int32) (next int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT ifnull(max(hi) + 1, 0) FROM ledger_batch WHERE src_topic = ? AND src_part = ?", topic, partition).Scan(&next)
	return next, err
}

const selectMarkers = "SELECT lo, hi, entries, render_units, bytes, xor_hash FROM ledger_batch WHERE src_topic = ? AND src_part = ?"

// Markers implements ledger.Ledger.
func (l *Ledger) Markers(ctx context.Context, topic string, partition int32, first int64) (markers []ledger.Marker, err error) {
	err = l.call(ctx, "markers", func(ctx context.Context) error {
		return each(ctx, l.reader, func(rows *sql.Rows) error {
			m, err := scanMarker(rows)
			markers = append(markers, m)
			return err
		}, selectMarkers+" AND hi >= ? ORDER BY hi LIMIT ?", topic, partition, first, ledger.MaxMarkers)
	})
	return markers, err
}

func scanMarker(row interface{ Scan(...any) error }) (m ledger.Marker, err error) {
	var xor int64
	err = row.Scan(&m.Lo, &m.Hi, &m.Entries, &m.Units, &m.Bytes, &xor)
	m.Xor = uint64(xor)
	return m, err
}

// RowsOf implements ledger.Ledger.
func (l *Ledger) RowsOf(ctx context.Context, topic string, partition int32, lo, hi int64) (f ledger.Figures, err error) {
	var units, bytes ledger.Sum
	err = l.call(ctx, "rows", func(ctx context.Context) error {
		return each(ctx, l.reader, func(rows *sql.Rows) error {
			var u, b, hash int64
			err := rows.Scan(&u, &b, &hash)
			units.Add(u)
			bytes.Add(b)
			f.Entries++
			f.Xor ^= uint64(hash)
			return err
		}, "SELECT render_units, bytes, row_hash FROM usage_ledger WHERE src_topic = ? AND src_part = ? AND src_offset BETWEEN ? AND ?", topic, partition, lo, hi)
	})
	if err != nil {
		return ledger.Figures{}, err
	}
	return f.With(units, bytes)
}
