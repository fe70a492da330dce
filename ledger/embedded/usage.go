package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"platen.dev/ledger"
)

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
		parts, ok := l.sums.parts(ctx, q, fold.Cover(sizes...))
		if !ok {
			return eachPart(ctx, l.reader, q, occurred(q.Account, q.From.Unix(), q.To.Unix()), fold.Add)
		}
		for _, p := range parts {
			if err := fold.Add(p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return fold.Rows()
}

// entriesThat says which entries are summed up: the index that finds them, and a condition.
type entriesThat struct {
	indexed, condition string
	args               []any
}

// occurred are the entries of an account in a time.
func occurred(account string, from, to int64) entriesThat {
	return entriesThat{"", "account = ? AND occurred_at >= ? AND occurred_at < ?", []any{account, from, to}}
}

// behind are those of them that were read from an offset of a place on.
func (e entriesThat) behind(at place, offset int64) entriesThat {
	return entriesThat{
		"INDEXED BY usage_ledger_source", e.condition + " AND src_topic = ? AND src_part = ? AND src_offset >= ?",
		append(slices.Clone(e.args), at.topic, at.partition, offset),
	}
}

// eachPart sums up entries for a query.
func eachPart(ctx context.Context, db from, q ledger.Query, which entriesThat, visit func(ledger.Part) error) error {
	return each(ctx, db, func(rows *sql.Rows) error {
		p, err := scanPart(rows, len(q.GroupBy))
		if err != nil {
			return err
		}
		return visit(p)
	}, usageText(q, which), which.args...)
}

func usageText(q ledger.Query, which entriesThat) string {
	grouped, numbers := []string{moment(q.Bucket)}, "1"
	for i, d := range q.GroupBy {
		grouped = append(grouped, column(d))
		numbers += fmt.Sprintf(", %d", i+2)
	}
	return fmt.Sprintf("SELECT %s, %s, %s, count(*) FROM usage_ledger %s WHERE %s GROUP BY %s",
		strings.Join(grouped, ", "), halves("render_units"), halves("bytes"), which.indexed, which.condition, numbers)
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
