package embedded

import (
	"context"
	"database/sql"
	"errors"

	"platen.dev/ledger"
)

// Held implements ledger.Ledger.
func (l *Ledger) Held(ctx context.Context, entries []ledger.Entry) (held []ledger.Entry, err error) {
	err = l.call(ctx, "held entries", func(ctx context.Context) error {
		for _, e := range entries {
			var hash int64
			row := l.reader.QueryRowContext(ctx, "SELECT row_hash, src_topic, src_part, src_offset FROM usage_ledger WHERE entry_id = ?", e.ID)
			hasHash := int64(e.Hash())
			err := row.Scan(&hash, &e.Source.Topic, &e.Source.Partition, &e.Source.Offset)
			if err == nil && hash == hasHash {
				held = append(held, e)
			} else if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		return nil
	})
	return held, err
}

// Topics implements ledger.Ledger.
func (l *Ledger) Topics(ctx context.Context) (topics []string, err error) {
	err = l.call(ctx, "topics", func(ctx context.Context) error {
		return each(ctx, l.reader, func(rows *sql.Rows) error {
			var topic string
			err := rows.Scan(&topic)
			topics = append(topics, topic)
			return err
		}, "SELECT DISTINCT src_topic FROM ledger_batch ORDER BY src_topic")
	})
	return topics, err
}
