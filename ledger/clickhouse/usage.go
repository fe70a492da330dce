package clickhouse

import (
	"context"
	"fmt"
	"strings"

	"platen.dev/ledger"
)

// amounts are what the inner query of a sum takes of the copies of one entry: any of them, as long
// as all are the same.
const amounts = "any(render_units) AS units, any(bytes) AS size, min(row_hash) != max(row_hash) AS torn, any(entry_id) AS id"

// sums are the columns of the outer query, in the order of partRow. The halves are those of
// ledger.Halves: the database's own sum would overflow without a word.
var sums = "sum(torn), max(if(torn, id, '')), " + halves("units") + ", " + halves("size") + ", count()"

func halves(column string) string {
	return fmt.Sprintf("sum(intDiv(%[1]s, toInt64(4294967296))), sum(%[1]s %% toInt64(4294967296))", column)
}

// partRow is what sums returns.
type partRow struct {
	torn                                     uint64
	tornID                                   string
	unitsHigh, unitsLow, bytesHigh, bytesLow int64
	entries                                  uint64
}

func (p *partRow) into() []any {
	return []any{&p.torn, &p.tornID, &p.unitsHigh, &p.unitsLow, &p.bytesHigh, &p.bytesLow, &p.entries}
}

// part returns ErrConflict if an entry has copies of different content.
func (p *partRow) part() (ledger.Part, error) {
	if p.torn > 0 {
		return ledger.Part{}, ledger.Conflict(p.tornID)
	}
	part := ledger.Part{Units: ledger.Halves(p.unitsHigh, p.unitsLow), Bytes: ledger.Halves(p.bytesHigh, p.bytesLow)}
	part.Entries.Add(int64(p.entries))
	return part, nil
}

// Usage implements ledger.Ledger.
func (l *Ledger) Usage(ctx context.Context, q ledger.Query) (rows []ledger.Row, err error) {
	fold, err := ledger.NewFold(q)
	if err != nil {
		return nil, err
	}
	err = l.call(ctx, "usage", func(ctx context.Context) error {
		return l.each(ctx, func(row scanner) error {
			part, err := scanPart(row, len(q.GroupBy))
			if err != nil {
				return err
			}
			return fold.Add(part)
		}, usageText(q), q.Account, q.From.Unix(), q.To.Unix())
	})
	if err != nil {
		return nil, err
	}
	return fold.Rows()
}

// usageText is the query of an answer: the inner one makes one row of the copies of an entry, the
// outer one sums up.
func usageText(q ledger.Query) string {
	inner := []string{moment(q.Bucket) + " AS at", amounts}
	outer := []string{"at"}
	for i, d := range q.GroupBy {
		inner = append(inner, fmt.Sprintf("any(%s) AS g%d", column(d), i))
		outer = append(outer, fmt.Sprint("g", i))
	}
	by := strings.Join(outer, ", ")
	return fmt.Sprintf("SELECT %s, %s FROM (SELECT %s FROM usage_ledger WHERE account = ? AND occurred_at >= toDateTime(?) AND occurred_at < toDateTime(?) GROUP BY entry_id) GROUP BY %s",
		by, sums, strings.Join(inner, ", "), by)
}

// moment is the expression of ledger.Part.At.
func moment(b ledger.Bucket) string {
	switch b {
	case ledger.Total:
		return "toInt64(0)"
	case ledger.Window:
		return "toInt64(toUnixTimestamp(any(window_start)))"
	}
	return fmt.Sprintf("toInt64(intDiv(toUnixTimestamp(any(occurred_at)), %[1]d)) * %[1]d", ledger.Quarter)
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
	return fmt.Sprintf("tag_v[indexOf(tag_k, '%s')]", name)
}

func scanPart(row scanner, dimensions int) (ledger.Part, error) {
	var p partRow
	var at int64
	groups := make([]string, dimensions)
	into := []any{&at}
	for i := range groups {
		into = append(into, &groups[i])
	}
	if err := row.Scan(append(into, p.into()...)...); err != nil {
		return ledger.Part{}, err
	}
	part, err := p.part()
	part.At, part.Groups = at, groups
	return part, err
}
