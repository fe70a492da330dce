package embedded

import (
	"context"
	"database/sql"
)

// place is a partition of a topic.
type place struct {
	topic     string
	partition int32
}

// mark says which entries of a place are in the sums: those with offsets below next.
type mark struct{ next, entries, times int64 }

func readMarks(ctx context.Context, db from) (map[place]mark, error) {
	marks := map[place]mark{}
	err := each(ctx, db, func(rows *sql.Rows) error {
		var at place
		var m mark
		err := rows.Scan(&at.topic, &at.partition, &m.next, &m.entries, &m.times)
		marks[at] = m
		return err
	}, "SELECT src_topic, src_part, next, entries, times FROM sums_mark")
	return marks, err
}

func writeMark(ctx context.Context, tx *sql.Tx, at place, m mark) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO sums_mark (src_topic, src_part, next, entries, times) VALUES (?, ?, ?, ?, ?)",
		at.topic, at.partition, m.next, m.entries, m.times)
	return err
}

// reached is a place with the offset behind everything that was appended of it.
type reached struct {
	place
	next int64
}

// leap finds the places in ledger_batch, from one to the next: each has a marker for every batch.
const leap = `WITH RECURSIVE at(topic, part) AS (
  SELECT * FROM (SELECT src_topic, src_part FROM ledger_batch ORDER BY src_topic, src_part LIMIT 1)
  UNION ALL
  SELECT (SELECT src_topic FROM ledger_batch WHERE (src_topic, src_part) > (topic, part) ORDER BY src_topic, src_part LIMIT 1),
    (SELECT src_part FROM ledger_batch WHERE (src_topic, src_part) > (topic, part) ORDER BY src_topic, src_part LIMIT 1)
  FROM at WHERE topic IS NOT NULL
) SELECT topic, part, (SELECT max(hi) + 1 FROM ledger_batch WHERE src_topic = topic AND src_part = part) FROM at WHERE topic IS NOT NULL`

// places returns those of which anything was appended.
func places(ctx context.Context, db from) (all []reached, err error) {
	err = each(ctx, db, func(rows *sql.Rows) error {
		var at reached
		err := rows.Scan(&at.topic, &at.partition, &at.next)
		all = append(all, at)
		return err
	}, leap)
	return all, err
}

// matches says whether the sums hold all entries below the marks, and no others: entries are never changed, and their number and
// times tell whether some were lost, or added by a program that does not know the sums. It reads an index.
func (s *sums) matches(ctx context.Context) (same bool, err error) {
	marks, err := readMarks(ctx, s.writer)
	if err != nil {
		return false, err
	}
	for at, m := range marks {
		have := mark{next: m.next}
		err := s.entries.QueryRowContext(ctx, "SELECT count(*), ifnull(sum(occurred_at), 0) FROM usage_ledger WHERE src_topic = ? AND src_part = ? AND src_offset < ?", at.topic, at.partition, m.next).
			Scan(&have.entries, &have.times)
		if err != nil || have != m {
			return false, err
		}
	}
	return true, nil
}
