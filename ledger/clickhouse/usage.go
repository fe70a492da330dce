package clickhouse

import (
	"context"
	"fmt"
	"strings"

	"platen.dev/ledger"
)

// amounts are the columns of a sum's inner query. They come from any copy of an entry, as long as all copies are equal.
const amounts = "any(render_units) AS units, any(bytes) AS size, min(row_hash) != max(row_hash) AS torn, entry_id AS id"

// sums are the columns of the outer query, in the order of partRow. The halves are those of ledger.Halves: the database's own sum would overflow
// silently.
var sums = "sum(torn), max(if(torn, id, '')), " + halves("units") + ", " + halves("size") + ", count()"

func halves(column string) string {
	return fmt.Sprintf("sum(intDiv(%[1]s, toInt64(4294967296))), sum(%[1]s %% toInt64(4294967296))", column)
}

// partRow is a row that sums returns.
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

// runRows bounds the rows of one query of sums, unless a single hour has more: the server keeps a row for each entry.
const runRows = 100_000

// Usage implements ledger.Ledger.
func (l *Ledger) Usage(ctx context.Context, q ledger.Query) (rows []ledger.Row, err error) {
	fold, err := ledger.NewFold(q)
	if err != nil {
		return nil, err
	}
	s := summing{Ledger: l, query: q, text: usageText(q), from: q.From.Unix(), to: q.To.Unix(), fold: fold}
	if err := l.call(ctx, "usage", s.add); err != nil {
		return nil, err
	}
	return fold.Rows()
}

// summing is the work on one query.
type summing struct {
	*Ledger
	query    ledger.Query
	text     string // of the query of parts
	from, to int64  // in seconds since 1970
	fold     *ledger.Fold
}

// add adds the parts of the hours of the range: remembered ones, and the others from their rows.
func (s summing) add(ctx context.Context) error {
	hours, err := s.hours(ctx, inRange, s.query.Account, s.from, s.to)
	if err != nil {
		return err
	}
	var run []hour // consecutive hours that are not remembered
	rows := uint64(0)
	for _, h := range hours {
		parts, known := s.recall(h)
		if known || rows+h.digest.rows > s.runRows {
			if err := s.addRun(ctx, run); err != nil {
				return err
			}
			run, rows = nil, 0
		}
		if !known {
			run, rows = append(run, h), rows+h.digest.rows
		}
		for _, p := range parts {
			if err := s.fold.Add(p); err != nil {
				return err
			}
		}
	}
	return s.addRun(ctx, run)
}

func (s summing) recall(h hour) (parts []ledger.Part, known bool) {
	if !s.whole(h) {
		return nil, false
	}
	return s.memory.recall(s.key(h), h.digest)
}

// whole reports whether the range covers all of an hour.
func (s summing) whole(h hour) bool { return s.from <= h.start && h.end() <= s.to }

func (s summing) key(h hour) memoryKey { return memoryKey{s.query.Account, s.text, h.start} }

// addRun adds the parts of hours from their rows, and remembers them.
func (s summing) addRun(ctx context.Context, run []hour) error {
	if len(run) == 0 {
		return nil
	}
	parts := map[int64][]ledger.Part{}
	err := s.each(ctx, func(row scanner) error {
		start, part, err := scanPart(row, len(s.query.GroupBy))
		if err != nil {
			return err
		}
		parts[start] = append(parts[start], part)
		return s.fold.Add(part)
	}, s.text, s.query.Account, max(s.from, run[0].start), min(s.to, run[len(run)-1].end()))
	if err != nil {
		return err
	}
	for _, h := range run {
		if s.whole(h) {
			s.memory.remember(s.key(h), remembered{h.digest, parts[h.start]})
		}
	}
	return nil
}

// usageText returns the query for the parts of hours: the inner one merges the copies of an entry into one row, the outer one sums up.
func usageText(q ledger.Query) string {
	inner := []string{startOf("any(occurred_at)", hourSeconds) + " AS hour", moment(q.Bucket) + " AS at", amounts}
	outer := []string{"hour", "at"}
	for i, d := range q.GroupBy {
		inner = append(inner, fmt.Sprintf("any(%s) AS g%d", column(d), i))
		outer = append(outer, fmt.Sprint("g", i))
	}
	by := strings.Join(outer, ", ")
	return fmt.Sprintf("SELECT %s, %s FROM (SELECT %s FROM usage_ledger WHERE %s GROUP BY entry_id) GROUP BY %s",
		by, sums, strings.Join(inner, ", "), inRange, by)
}

// moment returns the expression for ledger.Part.At.
func moment(b ledger.Bucket) string {
	switch b {
	case ledger.Total:
		return "toInt64(0)"
	case ledger.Window:
		return "toInt64(toUnixTimestamp(any(window_start)))"
	}
	return startOf("any(occurred_at)", ledger.Quarter)
}

// startOf returns the expression for the start of the span of seconds that contains a moment.
func startOf(moment string, seconds int) string {
	return fmt.Sprintf("toInt64(intDiv(toUnixTimestamp(%[1]s), %[2]d)) * %[2]d", moment, seconds)
}

// column returns the expression for a dimension, empty if the entry has no such tag. Tag names have no quotes.
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

// scanPart returns a part, and the start of its hour.
func scanPart(row scanner, dimensions int) (hour int64, part ledger.Part, err error) {
	var p partRow
	var at int64
	groups := make([]string, dimensions)
	into := []any{&hour, &at}
	for i := range groups {
		into = append(into, &groups[i])
	}
	if err := row.Scan(append(into, p.into()...)...); err != nil {
		return 0, ledger.Part{}, err
	}
	part, err = p.part()
	part.At, part.Groups = at, groups
	return hour, part, err
}
