package clickhouse

import (
	"context"
	"math"

	"platen.dev/ledger"
)

// Held implements ledger.Ledger.
func (l *Ledger) Held(ctx context.Context, entries []ledger.Entry) (held []ledger.Entry, err error) {
	byID, hashed := map[string]ledger.Entry{}, make([]ledger.Hashed, 0, len(entries))
	first, last := int64(math.MaxInt64), int64(0)
	for i := range entries {
		e := &entries[i]
		byID[e.ID] = *e
		hashed = append(hashed, ledger.Hashed{Entry: e, Hash: e.Hash()})
		first, last = min(first, e.Occurred.Unix()), max(last, e.Occurred.Unix())
	}
	err = l.call(ctx, "held entries", func(ctx context.Context) error {
		return l.among(ctx, hashed, func(row scanner) error {
			var id string
			var hash uint64
			var at ledger.Source
			if err := row.Scan(&id, &hash, &at.Topic, &at.Partition, &at.Offset); err != nil {
				return err
			}
			if e := byID[id]; e.Hash() == hash {
				e.Source = at
				held = append(held, e)
			}
			return nil
		}, "SELECT entry_id, any(row_hash), any(src_topic), any(src_part), any(src_offset) FROM usage_ledger WHERE account IN (SELECT account FROM wanted) "+
			"AND occurred_at >= toDateTime(?) AND occurred_at <= toDateTime(?) AND entry_id IN (SELECT id FROM wanted) GROUP BY entry_id", first, last)
	})
	return held, err
}

// Topics implements ledger.Ledger.
func (l *Ledger) Topics(ctx context.Context) (topics []string, err error) {
	err = l.call(ctx, "topics", func(ctx context.Context) error {
		return l.each(ctx, func(row scanner) error {
			var topic string
			err := row.Scan(&topic)
			topics = append(topics, topic)
			return err
		}, "SELECT DISTINCT src_topic FROM ledger_batch ORDER BY src_topic")
	})
	return topics, err
}
