package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"platen.dev/ledger"
)

// from is a database or a transaction.
type from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
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

// column is the expression of a dimension, empty if the entry has no such tag. The names of tags
// have no quotes.
func column(d ledger.Dimension) string {
	switch d {
	case ledger.ByKey:
		return "key_id"
	case ledger.ByOperation:
		return "operation"
	}
	name, _ := d.Tag()
	return fmt.Sprintf(`ifnull(tags ->> '$."%s"', '')`, name)
}

// moment is the expression of ledger.Part.At.
func moment(b ledger.Bucket) string {
	switch b {
	case ledger.Total:
		return "0"
	case ledger.Window:
		return "window_start"
	}
	return fmt.Sprintf("occurred_at - occurred_at %% %d", ledger.Quarter)
}

// halves sums a column as ledger.Halves wants it: the database's own sum fails if it overflows
// on its way, even to a total that fits.
func halves(column string) string {
	return fmt.Sprintf("sum(%[1]s / 4294967296), sum(%[1]s %% 4294967296)", column)
}

// Usage implements ledger.Ledger.
func (l *Ledger) Usage(ctx context.Context, q ledger.Query) (rows []ledger.Row, err error) {
	fold, err := ledger.NewFold(q)
	if err != nil {
		return nil, err
	}
	err = l.call(ctx, "usage", func(ctx context.Context) error {
		return each(ctx, l.reader, func(rows *sql.Rows) error {
			p, err := scanPart(rows, len(q.GroupBy))
			if err != nil {
				return err
			}
			return fold.Add(p)
		}, usageText(q), q.Account, q.From.Unix(), q.To.Unix())
	})
	if err != nil {
		return nil, err
	}
	return fold.Rows()
}

func usageText(q ledger.Query) string {
	grouped, numbers := []string{moment(q.Bucket)}, "1"
	for i, d := range q.GroupBy {
		grouped = append(grouped, column(d))
		numbers += fmt.Sprintf(", %d", i+2)
	}
	return fmt.Sprintf("SELECT %s, %s, %s, count(*) FROM usage_ledger WHERE account = ? AND occurred_at >= ? AND occurred_at < ? GROUP BY %s",
		strings.Join(grouped, ", "), halves("render_units"), halves("bytes"), numbers)
}

func scanPart(rows *sql.Rows, dimensions int) (ledger.Part, error) {
	p := ledger.Part{Groups: make([]string, dimensions)}
	var unitsHigh, unitsLow, bytesHigh, bytesLow, entries int64
	into := []any{&p.At}
	for i := range p.Groups {
		into = append(into, &p.Groups[i])
	}
	if err := rows.Scan(append(into, &unitsHigh, &unitsLow, &bytesHigh, &bytesLow, &entries)...); err != nil {
		return p, err
	}
	p.Units, p.Bytes = ledger.Halves(unitsHigh, unitsLow), ledger.Halves(bytesHigh, bytesLow)
	p.Entries.Add(entries)
	return p, nil
}
