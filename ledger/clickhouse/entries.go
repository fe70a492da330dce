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
	text, args := entriesText(q)
	err := l.call(ctx, "entries", func(ctx context.Context) error {
		return l.each(ctx, func(row scanner) error {
			e, err := scanEntry(row)
			entries = append(entries, e)
			return err
		}, text, args...)
	})
	if err != nil {
		return ledger.Page{}, err
	}
	return ledger.NewPage(q, entries), nil
}

// copies makes one row of the copies of an entry. Its source is the first of them.
const copies = `SELECT entry_id AS id, any(account) AS owner, any(job_id) AS job, toInt8(any(kind)) AS what, any(key_id) AS called_by, any(operation) AS called,
any(tag_k) AS names, any(tag_v) AS vals, toInt64(toUnixTimestamp(any(occurred_at))) AS at, toInt64(toUnixTimestamp(any(window_start))) AS since,
any(render_units) AS units, any(bytes) AS size, any(ref_entry) AS refers, any(reason) AS why, any(src_topic) AS topic, any(src_part) AS part, min(src_offset) AS place,
any(row_hash) AS hash, min(row_hash) != max(row_hash) AS torn`

func entriesText(q ledger.EntryQuery) (string, []any) {
	after := q.Position()
	inner, outer := "", ""
	args := []any{q.Account, max(q.From.Unix(), after.Second), q.To.Unix()}
	if !q.Window.IsZero() {
		inner += " AND window_start = toDateTime(?)"
		args = append(args, q.Window.Unix())
	}
	for _, m := range q.Where {
		inner += " AND " + column(m.Dimension) + " = ?"
		args = append(args, m.Value)
	}
	outer = "at > ? OR at = ? AND id > ?"
	args = append(args, after.Second, after.Second, after.ID, q.Limit+1)
	return fmt.Sprintf("SELECT * FROM (%s FROM usage_ledger WHERE account = ? AND occurred_at >= toDateTime(?) AND occurred_at < toDateTime(?)%s GROUP BY entry_id) WHERE %s ORDER BY at, id LIMIT ?",
		copies, inner, outer), args
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
