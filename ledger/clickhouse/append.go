package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"platen.dev/ledger"
)

// Append implements ledger.Ledger.
func (l *Ledger) Append(ctx context.Context, b ledger.Batch) error {
	entries, err := b.Distinct()
	if err != nil {
		return err
	}
	return l.call(ctx, "append", func(ctx context.Context) error {
		return patiently(ctx, func() error {
			clean := l.begin(b)
			err := l.append(ctx, b, entries, clean)
			if err == nil {
				l.end(b)
			}
			return err
		})
	})
}

func partitionOf(b ledger.Batch) string { return fmt.Sprintf("%s/%d", b.Topic, b.Partition) }

// begin reports whether a batch follows one that this process has appended. Then no interrupted
// attempt can have left any of its rows. Until the batch ends, no other follows it.
func (l *Ledger) begin(b ledger.Batch) (clean bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, known := l.clean[partitionOf(b)]
	delete(l.clean, partitionOf(b))
	return known && next == b.Lo
}

func (l *Ledger) end(b ledger.Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clean[partitionOf(b)] = b.Hi + 1
}

func (l *Ledger) append(ctx context.Context, b ledger.Batch, entries []ledger.Hashed, clean bool) error {
	m, repeated, err := l.plan(ctx, b, entries)
	if err != nil {
		return err
	}
	rows, ids, err := l.missing(ctx, entries, clean)
	if err != nil {
		return err
	}
	id := fmt.Sprintf("platen %s %s [%d, %d]", l.config.Database, partitionOf(b), b.Lo, b.Hi)
	for _, month := range months(rows) {
		if err := l.insert(ctx, fmt.Sprintf("%s rows %s", id, month.name), "usage_ledger", entryColumns, entryValues(month.entries)); err != nil {
			return err
		}
	}
	if err := l.insert(ctx, id+" ids", "ledger_entry", idColumns, idValues(ids)); err != nil || repeated {
		return err
	}
	return l.insert(ctx, id+" marker", "ledger_batch", markerColumns, [][]any{{
		b.Topic, b.Partition, m.Lo, m.Hi, uint64(m.Entries), m.Units, m.Bytes, m.Xor, time.Now(),
	}})
}

// plan returns the marker to write, or the existing one after a comparison.
func (l *Ledger) plan(ctx context.Context, b ledger.Batch, entries []ledger.Hashed) (m ledger.Marker, repeated bool, err error) {
	next, err := l.next(ctx, b.Topic, b.Partition)
	if err != nil {
		return m, false, err
	}
	if m, repeated, err = b.Plan(next, entries); err != nil || !repeated {
		return m, repeated, err
	}
	have, err := l.markers(ctx, " AND lo = ? AND hi = ?", b.Topic, b.Partition, b.Lo, b.Hi)
	if err != nil || len(have) == 0 {
		return m, repeated, err // without a marker, the offsets were appended in batches with other bounds
	}
	return m, repeated, ledger.CheckRepeated(b, have[0], m)
}

// missing returns the entries without a row, and those without an id. An entry without its id may
// still have a row, unless its batch is clean; and one with its id may have lost its row.
func (l *Ledger) missing(ctx context.Context, entries []ledger.Hashed, clean bool) (rows, ids []ledger.Hashed, err error) {
	known, err := l.known(ctx, entries)
	if err != nil {
		return nil, nil, err
	}
	doubtful := entries
	if clean {
		doubtful = only(entries, known, true)
	}
	present, err := l.present(ctx, doubtful)
	return only(entries, present, false), only(entries, known, false), err
}

// only returns the entries that are in a set or, if in is false, those that are not.
func only(entries []ledger.Hashed, set map[string]bool, in bool) (some []ledger.Hashed) {
	for _, e := range entries {
		if set[e.ID] == in {
			some = append(some, e)
		}
	}
	return some
}

// month holds the entries of one month, because ClickHouse makes a part of each month: an insert
// into several would not be atomic.
type month struct {
	name    string
	entries []ledger.Hashed
}

func months(entries []ledger.Hashed) (all []month) {
	nameOf := func(e ledger.Hashed) string { return e.Occurred.UTC().Format("200601") }
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b ledger.Hashed) int { return strings.Compare(nameOf(a), nameOf(b)) })
	for i, e := range entries {
		if name := nameOf(e); i == 0 || all[len(all)-1].name != name {
			all = append(all, month{name: name})
		}
		last := &all[len(all)-1]
		last.entries = append(last.entries, e)
	}
	return all
}

// insert inserts rows as one block, and returns when most replicas of the table have it. Unless the id is empty,
// the server refuses a second insert with it while the first is under way, even if its client is gone.
func (l *Ledger) insert(ctx context.Context, id, table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	text := fmt.Sprintf("INSERT INTO %s (%s)", table, strings.Join(columns, ", "))
	settings, err := l.quorumSettings(ctx, table)
	if err != nil {
		return err
	}
	ctx = driver.Context(ctx, driver.WithQueryID(id), driver.WithSettings(settings))
	batch, err := l.conn.PrepareBatch(ctx, text)
	if err != nil {
		return err
	}
	defer batch.Close() // it does nothing after Send
	for _, r := range rows {
		if err := batch.Append(r...); err != nil {
			return err
		}
	}
	return batch.Send()
}
