package clickhouse

import (
	"context"
	"fmt"
	"time"

	"platen.dev/ledger"
)

// Entries implements ledger.Ledger.
func (l *Ledger) Entries(ctx context.Context, q ledger.EntryQuery) (ledger.Page, error) {
	if err := q.Validate(); err != nil {
		return ledger.Page{}, err
	}
	var entries []ledger.Entry
	err := l.call(ctx, "entries", func(ctx context.Context) (err error) {
		entries, err = l.page(ctx, q)
		return err
	})
	if err != nil {
		return ledger.Page{}, err
	}
	return ledger.NewPage(q, entries), nil
}

// page reads the hours of a query's range in order, as many at a time as together have enough rows, until there is one entry more than the limit: the
// server sorts everything that it reads, which may be a million rows of a month.
func (l *Ledger) page(ctx context.Context, q ledger.EntryQuery) (entries []ledger.Entry, err error) {
	from, to := max(q.From.Unix(), q.Position().Second), q.To.Unix()
	conditions, args := conditionsOf(q, from, to)
	hours, err := l.hours(ctx, conditions, args...)
	for err == nil && len(hours) > 0 && len(entries) <= q.Limit {
		missing := q.Limit + 1 - len(entries)
		n := enough(hours, uint64(missing))
		entries, err = l.between(ctx, entries, q, max(from, hours[0].start), min(to, hours[n-1].end()), missing)
		hours = hours[n:]
	}
	return entries, err
}

// enough returns how many of the first hours together have the given number of rows, at most all.
func enough(hours []hour, rows uint64) int {
	for i, h := range hours {
		if h.digest.rows >= rows {
			return i + 1
		}
		rows -= h.digest.rows
	}
	return len(hours)
}

// between adds the entries after the query's position in a part of its range.
func (l *Ledger) between(ctx context.Context, to []ledger.Entry, q ledger.EntryQuery, from, until int64, limit int) ([]ledger.Entry, error) {
	after := q.Position()
	conditions, args := conditionsOf(q, from, until)
	args = append(args, after.Second, after.Second, after.ID, limit)
	err := l.each(ctx, func(row scanner) error {
		e, err := scanEntry(row)
		to = append(to, e)
		return err
	}, fmt.Sprintf("SELECT * FROM (%s FROM usage_ledger WHERE %s GROUP BY entry_id) WHERE at > ? OR at = ? AND id > ? ORDER BY at, id LIMIT ?",
		copies, conditions), args...)
	return to, err
}

// copies merges the copies of an entry into one row. Its source is the first of theirs.
const copies = `SELECT entry_id AS id, any(account) AS owner, any(job_id) AS job, toInt8(any(kind)) AS what, any(key_id) AS called_by, any(operation) AS called,
any(tag_k) AS names, any(tag_v) AS vals, toInt64(toUnixTimestamp(any(occurred_at))) AS at, toInt64(toUnixTimestamp(any(window_start))) AS since,
any(render_units) AS units, any(bytes) AS size, any(ref_entry) AS refers, any(reason) AS why, any(src_topic) AS topic, any(src_part) AS part, min(src_offset) AS place,
any(row_hash) AS hash, min(row_hash) != max(row_hash) AS torn`

// conditionsOf returns the conditions for a query's rows in a part of its range.
func conditionsOf(q ledger.EntryQuery, from, until int64) (conditions string, args []any) {
	conditions = inRange
	args = []any{q.Account, from, until}
	if !q.Window.IsZero() {
		conditions += " AND window_start = toDateTime(?)"
		args = append(args, q.Window.Unix())
	}
	for _, m := range q.Where {
		conditions += " AND " + column(m.Dimension) + " = ?"
		args = append(args, m.Value)
	}
	return conditions, args
}

// Sourced implements ledger.Ledger.
func (l *Ledger) Sourced(ctx context.Context, topic string, partition int32, lo, hi int64) (entries []ledger.Entry, err error) {
	err = l.call(ctx, "entries of a source", func(ctx context.Context) error {
		return l.each(ctx, func(row scanner) error {
			e, err := scanEntry(row)
			entries = append(entries, e)
			return err
		}, copies+" FROM usage_ledger WHERE src_topic = ? AND src_part = ? AND src_offset >= ? AND src_offset <= ? GROUP BY entry_id ORDER BY place, id LIMIT ?",
			topic, partition, lo, hi, ledger.MaxSourced)
	})
	return entries, err
}

func scanEntry(row scanner) (ledger.Entry, error) {
	var e ledger.Entry
	var names, values []string
	var occurred, window int64
	var hash uint64
	var torn uint8
	err := row.Scan(&e.ID, &e.Account, &e.Job, (*int8)(&e.Kind), &e.Key, &e.Operation, &names, &values, &occurred, &window,
		&e.Units, &e.Bytes, &e.Ref, &e.Reason, &e.Source.Topic, &e.Source.Partition, &e.Source.Offset, &hash, &torn)
	if err != nil {
		return e, err
	}
	if torn != 0 {
		return e, ledger.Conflict(e.ID)
	}
	e.Occurred, e.Window, e.Tags = time.Unix(occurred, 0).UTC(), time.Unix(window, 0).UTC(), joinTags(names, values)
	return e, e.Verify(hash)
}
