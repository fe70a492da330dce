package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
		return each(ctx, l.reader, func(rows *sql.Rows) error {
			e, err := scanEntry(rows)
			entries = append(entries, e)
			return err
		}, text, args...)
	})
	if err != nil {
		return ledger.Page{}, err
	}
	return ledger.NewPage(q, entries), nil
}

// Sourced implements ledger.Ledger.
func (l *Ledger) Sourced(ctx context.Context, topic string, partition int32, lo, hi int64) (entries []ledger.Entry, err error) {
	err = l.call(ctx, "entries of a source", func(ctx context.Context) error {
		return each(ctx, l.reader, func(rows *sql.Rows) error {
			e, err := scanEntry(rows)
			entries = append(entries, e)
			return err
		}, fmt.Sprintf("SELECT %s FROM usage_ledger WHERE src_topic = ? AND src_part = ? AND src_offset BETWEEN ? AND ? ORDER BY src_offset, entry_id LIMIT ?", strings.Join(columns, ", ")),
			topic, partition, lo, hi, ledger.MaxSourced)
	})
	return entries, err
}

func entriesText(q ledger.EntryQuery) (string, []any) {
	at := q.Position()
	conditions := "account = ? AND occurred_at >= ? AND occurred_at < ? AND (occurred_at, entry_id) > (?, ?)"
	args := []any{q.Account, max(q.From.Unix(), at.Second), q.To.Unix(), at.Second, at.ID}
	if !q.Window.IsZero() {
		conditions += " AND window_start = ?"
		args = append(args, q.Window.Unix())
	}
	for _, m := range q.Where {
		conditions += " AND " + column(m.Dimension) + " = ?"
		args = append(args, m.Value)
	}
	return fmt.Sprintf("SELECT %s FROM usage_ledger WHERE %s ORDER BY occurred_at, entry_id LIMIT ?", strings.Join(columns, ", "), conditions),
		append(args, q.Limit+1)
}

func scanEntry(rows *sql.Rows) (ledger.Entry, error) {
	var e ledger.Entry
	var occurred, window, version, hash, ingested int64
	var tags string
	err := rows.Scan(&e.Account, &occurred, &e.ID, &e.Job, &e.Kind, &e.Key, &e.Operation, &tags, &window,
		&e.Units, &e.Bytes, &e.Ref, &e.Reason, &version, &e.Source.Topic, &e.Source.Partition, &e.Source.Offset, &hash, &ingested)
	if err != nil {
		return e, err
	}
	e.Occurred, e.Window = time.Unix(occurred, 0).UTC(), time.Unix(window, 0).UTC()
	if e.Tags, err = readTags(tags); err != nil {
		return e, fmt.Errorf("entry %q: tags: %w", e.ID, err)
	}
	return e, e.Verify(uint64(hash))
}

// writeTags returns a JSON object with the tags in order.
func writeTags(tags []ledger.Tag) string {
	if len(tags) == 0 {
		return "{}"
	}
	var b strings.Builder
	for i, tag := range tags {
		name, _ := json.Marshal(tag.Name)
		value, _ := json.Marshal(tag.Value) // texts always become JSON
		b.WriteByte("{,"[min(i, 1)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	return b.String() + "}"
}

func readTags(text string) (tags []ledger.Tag, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		tag := ledger.Tag{Name: fmt.Sprint(name)}
		if err := d.Decode(&tag.Value); err != nil {
			return nil, err
		}
		tags = append(tags, tag)
	}
	return tags, nil
}
