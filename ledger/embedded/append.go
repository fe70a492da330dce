package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"platen.dev/ledger"
)

// columns are those of usage_ledger, in the order of values.
var columns = []string{
	"account", "occurred_at", "entry_id", "job_id", "kind", "key_id", "operation", "tags", "window_start",
	"render_units", "bytes", "ref_entry", "reason", "schema_v", "src_topic", "src_part", "src_offset", "row_hash", "ingested_at",
}

var insertEntry = "INSERT INTO usage_ledger (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ") ON CONFLICT DO NOTHING"

func values(e ledger.Hashed, ingested int64) []any {
	return []any{
		e.Account, e.Occurred.Unix(), e.ID, e.Job, int64(e.Kind), e.Key, e.Operation, writeTags(e.Tags), e.Window.Unix(),
		e.Units, e.Bytes, e.Ref, e.Reason, int64(ledger.SchemaVersion), e.Source.Topic, int64(e.Source.Partition), e.Source.Offset, int64(e.Hash), ingested,
	}
}

// Append implements ledger.Ledger.
func (l *Ledger) Append(ctx context.Context, b ledger.Batch) error {
	entries, err := b.Distinct()
	if err != nil {
		return err
	}
	return l.call(ctx, "append", func(ctx context.Context) error {
		return within(ctx, l.writer, func(tx *sql.Tx) error { return l.append(ctx, tx, b, entries) })
	})
}

func (l *Ledger) append(ctx context.Context, tx *sql.Tx, b ledger.Batch, entries []ledger.Hashed) error {
	next, err := nextOf(ctx, tx, b.Topic, b.Partition)
	if err != nil {
		return err
	}
	if err := writeMarker(ctx, tx, b, next, entries); err != nil {
		return err
	}
	added, err := insert(ctx, tx, entries)
	if err != nil {
		return err
	}
	return rollUp(ctx, tx, added)
}

// writeMarker writes the marker for the new part of a batch, or checks that of a repeated batch.
func writeMarker(ctx context.Context, tx *sql.Tx, b ledger.Batch, next int64, entries []ledger.Hashed) error {
	m, repeated, err := b.Plan(next, entries)
	if err != nil {
		return err
	}
	if repeated {
		return checkRepeated(ctx, tx, b, m)
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO ledger_batch (src_topic, src_part, lo, hi, entries, render_units, bytes, xor_hash, inserted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		b.Topic, b.Partition, m.Lo, m.Hi, m.Entries, m.Units, m.Bytes, int64(m.Xor), time.Now().Unix())
	return err
}

func checkRepeated(ctx context.Context, tx *sql.Tx, b ledger.Batch, want ledger.Marker) error {
	have, err := scanMarker(tx.QueryRowContext(ctx, selectMarkers+" AND hi = ? AND lo = ?", b.Topic, b.Partition, b.Hi, b.Lo))
	if errors.Is(err, sql.ErrNoRows) {
		return nil // the offsets were appended in batches with other bounds
	}
	if err != nil {
		return err
	}
	return ledger.CheckRepeated(b, have, want)
}

// insert adds the missing entries, and returns them. It inserts in the table's order, so that those of
// an account are adjacent.
func insert(ctx context.Context, tx *sql.Tx, entries []ledger.Hashed) (added []ledger.Hashed, err error) {
	slices.SortFunc(entries, func(a, b ledger.Hashed) int {
		return cmp.Or(strings.Compare(a.Account, b.Account), a.Occurred.Compare(b.Occurred), strings.Compare(a.ID, b.ID))
	})
	statement, err := tx.PrepareContext(ctx, insertEntry)
	if err != nil {
		return nil, err
	}
	defer statement.Close()
	ingested := time.Now().Unix()
	for _, e := range entries {
		result, err := statement.ExecContext(ctx, values(e, ingested)...)
		if err != nil {
			return nil, err
		}
		if n, err := result.RowsAffected(); err != nil || n == 1 {
			added = append(added, e)
			continue // the driver's RowsAffected never fails
		}
		if err := checkSame(ctx, tx, e); err != nil {
			return nil, err
		}
	}
	return added, nil
}

// checkSame returns ErrConflict if the existing entry has other content.
func checkSame(ctx context.Context, tx *sql.Tx, e ledger.Hashed) error {
	var have int64
	if err := tx.QueryRowContext(ctx, "SELECT row_hash FROM usage_ledger WHERE entry_id = ?", e.ID).Scan(&have); err != nil {
		return err
	}
	if uint64(have) != e.Hash {
		return ledger.Conflict(e.ID)
	}
	return nil
}
