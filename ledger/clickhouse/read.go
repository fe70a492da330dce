package clickhouse

import (
	"context"
	"math"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"

	"platen.dev/ledger"
)

// scanner is a row of an answer.
type scanner interface{ Scan(into ...any) error }

// each calls visit with every row of an answer.
func (l *Ledger) each(ctx context.Context, visit func(scanner) error, query string, args ...any) error {
	rows, err := l.conn.Query(ctx, query, args...)
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
		next, err = l.next(ctx, topic, partition)
		return err
	})
	return next, err
}

func (l *Ledger) next(ctx context.Context, topic string, partition int32) (int64, error) {
	var markers uint64
	var last int64
	err := l.conn.QueryRow(ctx, "SELECT count(), max(hi) FROM ledger_batch WHERE src_topic = ? AND src_part = ?", topic, partition).Scan(&markers, &last)
	if err != nil || markers == 0 {
		return 0, err
	}
	return last + 1, nil
}

// Markers implements ledger.Ledger.
func (l *Ledger) Markers(ctx context.Context, topic string, partition int32, from int64) (markers []ledger.Marker, err error) {
	err = l.call(ctx, "markers", func(ctx context.Context) (err error) {
		markers, err = l.markers(ctx, " AND hi >= ?", topic, partition, from)
		return err
	})
	return markers, err
}

// markers returns markers of a partition that meet a condition.
func (l *Ledger) markers(ctx context.Context, condition string, args ...any) (markers []ledger.Marker, err error) {
	err = l.each(ctx, func(row scanner) error {
		var m ledger.Marker
		var entries uint64
		err := row.Scan(&m.Lo, &m.Hi, &entries, &m.Units, &m.Bytes, &m.Xor)
		m.Entries = int64(min(entries, math.MaxInt64))
		markers = append(markers, m)
		return err
	}, "SELECT lo, hi, any(entries), any(render_units), any(bytes), any(xor_hash) FROM ledger_batch WHERE src_topic = ? AND src_part = ?"+condition+
		" GROUP BY lo, hi ORDER BY lo, hi LIMIT ?", append(args, ledger.MaxMarkers)...)
	return markers, err
}

// RowsOf implements ledger.Ledger.
func (l *Ledger) RowsOf(ctx context.Context, topic string, partition int32, lo, hi int64) (f ledger.Figures, err error) {
	var p partRow
	err = l.call(ctx, "rows", func(ctx context.Context) error {
		return l.conn.QueryRow(ctx, "SELECT groupBitXor(hash), "+sums+" FROM (SELECT any(row_hash) AS hash, "+amounts+
			" FROM usage_ledger WHERE src_topic = ? AND src_part = ? AND src_offset >= ? AND src_offset <= ? GROUP BY entry_id)", topic, partition, lo, hi).
			Scan(append([]any{&f.Xor}, p.into()...)...)
	})
	if err != nil {
		return ledger.Figures{}, err
	}
	part, err := p.part()
	if err != nil {
		return ledger.Figures{}, err
	}
	f.Entries = int64(p.entries)
	return f.With(part.Units, part.Bytes)
}

// known returns the ids of the entries that are in the ledger, or ErrConflict if one of them is
// there with another hash.
func (l *Ledger) known(ctx context.Context, entries []ledger.Hashed) (map[string]bool, error) {
	hashes := make(map[string]uint64, len(entries))
	for _, e := range entries {
		hashes[e.ID] = e.Hash
	}
	known := map[string]bool{}
	err := l.among(ctx, entries, func(row scanner) error {
		var id string
		var hash uint64
		if err := row.Scan(&id, &hash); err != nil {
			return err
		}
		if hash != hashes[id] {
			return ledger.Conflict(id)
		}
		known[id] = true
		return nil
	}, "SELECT entry_id, row_hash FROM ledger_entry WHERE entry_id IN (SELECT id FROM wanted)")
	return known, err
}

// present returns the ids of the entries that have a row. It looks only at the accounts and times
// of the entries, by which the rows are sorted.
func (l *Ledger) present(ctx context.Context, entries []ledger.Hashed) (map[string]bool, error) {
	present := map[string]bool{}
	if len(entries) == 0 {
		return present, nil
	}
	first, last := int64(math.MaxInt64), int64(0)
	for _, e := range entries {
		first, last = min(first, e.Occurred.Unix()), max(last, e.Occurred.Unix())
	}
	err := l.among(ctx, entries, func(row scanner) error {
		var id string
		err := row.Scan(&id)
		present[id] = true
		return err
	}, "SELECT DISTINCT entry_id FROM usage_ledger WHERE account IN (SELECT account FROM wanted) AND occurred_at >= toDateTime(?) AND occurred_at <= toDateTime(?) AND entry_id IN (SELECT id FROM wanted)",
		first, last)
	return present, err
}

// among makes a query about entries, which it finds in the table wanted.
func (l *Ledger) among(ctx context.Context, entries []ledger.Hashed, visit func(scanner) error, query string, args ...any) error {
	if len(entries) == 0 {
		return nil
	}
	wanted, err := ext.NewTable("wanted", ext.Column("account", "String"), ext.Column("id", "String"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := wanted.Append(e.Account, e.ID); err != nil {
			return err
		}
	}
	return l.each(driver.Context(ctx, driver.WithExternalTable(wanted)), visit, query, args...)
}
