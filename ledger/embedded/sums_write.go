package embedded

import (
	"context"
	"database/sql"

	"platen.dev/ledger"
)

const addCell = `INSERT INTO sums_cell (account, dimension, span, at, window_start, value, units_high, units_low, bytes_high, bytes_low, entries)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET units_high = units_high + excluded.units_high, units_low = units_low + excluded.units_low,
bytes_high = bytes_high + excluded.bytes_high, bytes_low = bytes_low + excluded.bytes_low, entries = entries + excluded.entries`

// write adds cells to the sums, but those of wide dimensions.
func (f *folding) write(ctx context.Context, all cells) error {
	if err := f.widen(ctx, all); err != nil {
		return err
	}
	statement, err := f.tx.PrepareContext(ctx, addCell)
	if err != nil {
		return err
	}
	defer statement.Close()
	wide := map[accountDimension]bool{}
	for _, c := range all.spans() {
		of := accountDimension{c.account, c.dimension}
		skip, known := wide[of]
		if !known {
			if skip, err = isWide(ctx, f.tx, of); err != nil {
				return err
			}
			wide[of] = skip
		}
		if skip {
			continue
		}
		if _, err := statement.ExecContext(
			ctx, c.account, string(c.dimension), c.span, c.at, c.window, c.value, c.unitsHigh, c.unitsLow, c.bytesHigh, c.bytesLow, c.entries,
		); err != nil {
			return err
		}
	}
	return nil
}

// widen gives up the dimensions that have become too wide: their sums would be as many as the entries.
func (f *folding) widen(ctx context.Context, all cells) error {
	for _, of := range all.wide(f.limits.wide) {
		if _, err := f.tx.ExecContext(ctx, "INSERT OR IGNORE INTO sums_wide (account, dimension) VALUES (?1, ?2); DELETE FROM sums_cell WHERE account = ?1 AND dimension = ?2",
			of.account, string(of.dimension)); err != nil {
			return err
		}
	}
	return nil
}

func isWide(ctx context.Context, db from, of accountDimension) (is bool, err error) {
	if _, isTag := of.dimension.Tag(); !isTag {
		return false, nil
	}
	err = db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sums_wide WHERE account = ? AND dimension = ?)", of.account, string(of.dimension)).Scan(&is)
	return is, err
}

// late commits entries whose offsets were appended before, and outdates the sums of their accounts. If the program ends in
// between, the number of entries tells at the next start.
func (s *sums) late(ctx context.Context, entries []ledger.Hashed, commit func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := commit(); err != nil {
		return err
	}
	if s.checked {
		if err := s.change(ctx, func(tx *sql.Tx) error { return outdate(ctx, tx, entries) }); err != nil {
			s.checked = false
			s.fail(err)
		}
	}
	s.appended(int(s.limits.fold))
	return nil
}

// outdate counts entries that were added below the marks, and marks their accounts as stale.
func outdate(ctx context.Context, tx *sql.Tx, entries []ledger.Hashed) error {
	marks, err := readMarks(ctx, tx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		at := place{e.Source.Topic, e.Source.Partition}
		m := marks[at]
		if e.Source.Offset >= m.next {
			continue
		}
		m.entries, m.times = m.entries+1, m.times+e.Occurred.Unix()
		marks[at] = m
		if err := writeMark(ctx, tx, at, m); err != nil {
			return err
		}
		const outdated = "INSERT INTO sums_account (account, entries, state) VALUES (?, 1, 0) ON CONFLICT DO UPDATE SET entries = entries + 1, state = iif(state = 0, 0, 2)"
		if _, err := tx.ExecContext(ctx, outdated, e.Account); err != nil {
			return err
		}
	}
	return nil
}
