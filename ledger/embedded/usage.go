package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"platen.dev/ledger"
)

// Usage implements ledger.Ledger. Whole hours are read from the rollup, the rest from the entries, all as of one moment.
func (l *Ledger) Usage(ctx context.Context, q ledger.Query) ([]ledger.Row, error) {
	fold, err := ledger.NewFold(q)
	if err != nil {
		return nil, err
	}
	spans := []ledger.Span{{From: q.From.Unix(), To: q.To.Unix()}}
	if inRollup(q) {
		spans = fold.Cover(hour)
	}
	err = l.call(ctx, "usage", func(ctx context.Context) error {
		return within(ctx, l.reader, func(tx *sql.Tx) error { return eachPart(ctx, tx, q, spans, fold.Add) })
	})
	if err != nil {
		return nil, err
	}
	return fold.Rows()
}

// inRollup reports whether the rollup divides entries as a query does: it does so by only one tag at a time.
func inRollup(q ledger.Query) bool {
	return len(q.GroupBy) < 2 || !slices.ContainsFunc(q.GroupBy, isTag)
}

func isTag(d ledger.Dimension) bool {
	_, is := d.Tag()
	return is
}

// eachPart sums up what a query asks for, span by span.
func eachPart(ctx context.Context, tx *sql.Tx, q ledger.Query, spans []ledger.Span, visit func(ledger.Part) error) error {
	for _, span := range spans {
		text, args := usageText(q, span)
		err := each(ctx, tx, func(rows *sql.Rows) error {
			p, err := scanPart(rows, len(q.GroupBy))
			if err != nil {
				return err
			}
			return visit(p)
		}, text, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

func usageText(q ledger.Query, span ledger.Span) (string, []any) {
	grouped, numbers := []string{moment(q.Bucket)}, "1"
	for i, d := range q.GroupBy {
		if span.Whole && isTag(d) {
			grouped = append(grouped, "value")
		} else {
			grouped = append(grouped, column(d))
		}
		numbers += fmt.Sprintf(", %d", i+2)
	}
	lines, args := linesOf(q, span)
	return fmt.Sprintf(`SELECT %s, sum(units_high), sum(units_low), sum(bytes_high), sum(bytes_low), sum(entries)
FROM (%s) GROUP BY %s HAVING sum(entries) <> 0`, strings.Join(grouped, ", "), lines, numbers), args
}

// moment returns the expression for ledger.Part.At.
func moment(b ledger.Bucket) string {
	switch b {
	case ledger.Total:
		return "0"
	case ledger.Window:
		return "window_start"
	}
	return "at"
}

// column returns the expression for a dimension of an entry, empty if that has no such tag. Tag names have no quotes.
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

// entryLines selects the entries of an account in a time range. Halves are summed up as ledger.Halves defines: the database's own sum fails on an
// intermediate overflow, even if the total fits.
var entryLines = fmt.Sprintf(`SELECT occurred_at - occurred_at %% %d AS at, window_start, key_id, operation, tags,
render_units / 4294967296 AS units_high, render_units %% 4294967296 AS units_low, bytes / 4294967296 AS bytes_high, bytes %% 4294967296 AS bytes_low, 1 AS entries
FROM usage_ledger WHERE account = ? AND occurred_at >= ? AND occurred_at < ?`, ledger.Quarter)

// rollupLines selects the rollup rows with a tag, or with none.
const rollupLines = `SELECT at, window_start, key_id, operation, units_high, units_low, bytes_high, bytes_low, entries
FROM usage_rollup WHERE account = ? AND tag = '' AND at >= ? AND at < ?`

// tagLines selects the rows of a tag. The entries without the tag are all entries minus those that have it.
const tagLines = `SELECT at, window_start, '' AS value,
sum(units_high) AS units_high, sum(units_low) AS units_low, sum(bytes_high) AS bytes_high, sum(bytes_low) AS bytes_low, sum(entries) AS entries
FROM usage_rollup WHERE account = ?1 AND tag = '' AND at >= ?2 AND at < ?3 GROUP BY at, window_start
UNION ALL SELECT at, window_start, iif(named, value, ''), sign * units_high, sign * units_low, sign * bytes_high, sign * bytes_low, sign * entries
FROM usage_rollup, (SELECT 1 AS named, 1 AS sign UNION ALL SELECT 0, -1) WHERE account = ?1 AND tag = ?4 AND at >= ?2 AND at < ?3`

func linesOf(q ledger.Query, span ledger.Span) (string, []any) {
	args := []any{q.Account, span.From, span.To}
	if !span.Whole {
		return entryLines, args
	}
	for _, d := range q.GroupBy {
		if tag, is := d.Tag(); is {
			return tagLines, append(args, tag)
		}
	}
	return rollupLines, args
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
