package embedded

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"platen.dev/ledger"
)

// The states of an account in the sums.
const (
	counted = 0
	summed  = 1
	stale   = 2
)

// account is what the sums know of one.
type account struct {
	entries int64
	state   int
}

// folding is one fold: the sums in the transaction tx, and the entries as they were when it began.
type folding struct {
	limits   limits
	tx, read *sql.Tx
	marks    map[place]mark
	accounts map[string]account
	fresh    map[string][]line // entries behind the marks, by account
}

// fold takes a number of entries into the sums. It says whether there are more.
func (s *sums) fold(ctx context.Context) (more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == nil {
		return false, ledger.ErrClosed
	}
	s.pending.Store(0)
	err = s.change(ctx, func(tx *sql.Tx) error {
		return within(ctx, s.entries, &sql.TxOptions{ReadOnly: true}, func(read *sql.Tx) (err error) {
			f := &folding{limits: s.limits, tx: tx, read: read, accounts: map[string]account{}, fresh: map[string][]line{}}
			more, err = f.run(ctx)
			return err
		})
	})
	return more, err
}

func (f *folding) run(ctx context.Context) (more bool, err error) {
	if f.marks, err = readMarks(ctx, f.tx); err != nil {
		return false, err
	}
	if more, err = f.take(ctx); err != nil {
		return false, err
	}
	all := cells{}
	for _, name := range slices.Sorted(maps.Keys(f.fresh)) {
		if err := f.count(ctx, name, all); err != nil {
			return false, err
		}
	}
	if err := f.renew(ctx, all); err != nil {
		return false, err
	}
	return more, f.write(ctx, all)
}

// take reads entries behind the marks, and moves the marks behind them.
func (f *folding) take(ctx context.Context) (more bool, err error) {
	all, err := places(ctx, f.read)
	if err != nil {
		return false, err
	}
	room := f.limits.chunk
	for _, at := range all {
		m := f.marks[at.place]
		if m.next >= at.next {
			continue
		}
		if room <= 0 {
			return true, nil
		}
		if m, err = f.advance(ctx, at, m, &room); err != nil {
			return false, err
		}
		f.marks[at.place] = m
		if err := writeMark(ctx, f.tx, at.place, m); err != nil {
			return false, err
		}
		more = more || m.next < at.next
	}
	return more, nil
}

// advance reads the entries of a place from its mark on, all of the last offset or none.
func (f *folding) advance(ctx context.Context, at reached, m mark, room *int) (mark, error) {
	end := at.next
	err := f.read.QueryRowContext(ctx, "SELECT src_offset FROM usage_ledger WHERE src_topic = ? AND src_part = ? AND src_offset >= ? ORDER BY src_offset LIMIT 1 OFFSET ?",
		at.topic, at.partition, m.next, *room).Scan(&end)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return m, err
	}
	end = max(end, m.next+1)
	err = each(ctx, f.read, func(rows *sql.Rows) error {
		e, err := scanLine(rows)
		f.fresh[e.account] = append(f.fresh[e.account], e)
		m.entries, m.times = m.entries+1, m.times+e.occurred
		*room--
		return err
	}, selectLines+" WHERE src_topic = ? AND src_part = ? AND src_offset >= ? AND src_offset < ?", at.topic, at.partition, m.next, end)
	m.next = end
	return m, err
}

// count counts the new entries of an account, and adds them to its sums. An account that has just become worth
// sums gets them of all its entries.
func (f *folding) count(ctx context.Context, name string, all cells) error {
	a, err := readAccount(ctx, f.tx, name)
	if err != nil {
		return err
	}
	a.entries += int64(len(f.fresh[name]))
	switch {
	case a.state == summed:
		for _, e := range f.fresh[name] {
			all.add(e)
		}
	case a.state == counted && a.entries >= f.limits.least:
		a.state = summed
		if err := f.whole(ctx, name, all); err != nil {
			return err
		}
	}
	_, err = f.tx.ExecContext(ctx, "INSERT OR REPLACE INTO sums_account (account, entries, state) VALUES (?, ?, ?)", name, a.entries, a.state)
	return err
}

func readAccount(ctx context.Context, db from, name string) (a account, err error) {
	err = db.QueryRowContext(ctx, "SELECT entries, state FROM sums_account WHERE account = ?", name).Scan(&a.entries, &a.state)
	if errors.Is(err, sql.ErrNoRows) {
		return account{}, nil
	}
	return a, err
}

// whole adds all entries of an account that are below the marks.
func (f *folding) whole(ctx context.Context, name string, all cells) error {
	return each(ctx, f.read, func(rows *sql.Rows) error {
		var at place
		var offset int64
		e, err := scanLine(rows, &at.topic, &at.partition, &offset)
		if offset < f.marks[at].next {
			all.add(e)
		}
		return err
	}, "SELECT "+lineColumns+", src_topic, src_part, src_offset FROM usage_ledger WHERE account = ?", name)
}

// renew makes the sums of stale accounts anew.
func (f *folding) renew(ctx context.Context, all cells) error {
	var names []string
	err := each(ctx, f.tx, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, "SELECT account FROM sums_account WHERE state = 2")
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := f.tx.ExecContext(ctx, "DELETE FROM sums_cell WHERE account = ?1; DELETE FROM sums_wide WHERE account = ?1; UPDATE sums_account SET state = 1 WHERE account = ?1", name); err != nil {
			return err
		}
		if err := f.whole(ctx, name, all); err != nil {
			return err
		}
	}
	return nil
}

// lineColumns are those of a line, in the order of scanLine.
const lineColumns = "account, occurred_at, window_start, key_id, operation, tags, render_units, bytes"

const selectLines = "SELECT " + lineColumns + " FROM usage_ledger"

func scanLine(rows *sql.Rows, more ...any) (e line, err error) {
	var tags string
	into := []any{&e.account, &e.occurred, &e.window, &e.key, &e.operation, &tags, &e.units, &e.bytes}
	if err := rows.Scan(append(into, more...)...); err != nil {
		return e, err
	}
	if tags != "{}" {
		e.tags, err = readTags(tags)
	}
	return e, err
}
