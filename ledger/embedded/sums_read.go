package embedded

import (
	"context"
	"database/sql"
	"fmt"

	"platen.dev/ledger"
)

// parts answers a query by the sums, and by the entries where there are none. It is false if the entries
// alone are to answer: the sums lack the account or what it is divided by, or cannot be used now.
func (s *sums) parts(ctx context.Context, q ledger.Query, spans []ledger.Span) (parts []ledger.Part, ok bool) {
	if !s.usable.Load() || len(q.GroupBy) > 1 {
		return nil, false
	}
	r := reading{query: q, dimension: undivided, spans: spans}
	if len(q.GroupBy) == 1 {
		r.dimension = q.GroupBy[0]
	}
	if r.from, r.to = covered(spans); r.from == r.to {
		return nil, false
	}
	s.using.RLock()
	defer s.using.RUnlock()
	if s.reader == nil {
		return nil, false
	}
	err := within(ctx, s.reader, nil, func(tx *sql.Tx) error { return r.sums(ctx, tx) })
	if err == nil && r.has {
		err = within(ctx, s.entries, nil, func(tx *sql.Tx) error { return r.rest(ctx, tx) })
	}
	if err != nil && ctx.Err() == nil {
		s.fail(err)
	}
	return r.parts, err == nil && r.has
}

// covered is the range in which sums are used.
func covered(spans []ledger.Span) (from, to int64) {
	for _, span := range spans {
		if span.Size == 0 {
			continue
		}
		if to == 0 {
			from = span.From
		}
		to = span.To
	}
	return from, to
}

// reading is the answer to a query while it is put together.
type reading struct {
	query     ledger.Query
	dimension ledger.Dimension
	spans     []ledger.Span
	from, to  int64 // the range in which sums are used
	has       bool  // whether there are sums
	marks     map[place]mark
	parts     []ledger.Part
}

func (r *reading) add(p ledger.Part) error {
	r.parts = append(r.parts, p)
	return nil
}

// sums reads the sums, and how far they go.
func (r *reading) sums(ctx context.Context, tx *sql.Tx) error {
	a, err := readAccount(ctx, tx, r.query.Account)
	if err != nil || a.state != summed {
		return err
	}
	wide, err := isWide(ctx, tx, accountDimension{r.query.Account, r.dimension})
	if err != nil || wide {
		return err
	}
	r.has = true
	if r.marks, err = readMarks(ctx, tx); err != nil {
		return err
	}
	for _, span := range r.spans {
		if span.Size > 0 {
			if err := r.span(ctx, tx, span); err != nil {
				return err
			}
		}
	}
	return nil
}

// span reads the cells of a span. Entries without a tag are what the cells of the tag lack of all.
func (r *reading) span(ctx context.Context, tx *sql.Tx, span ledger.Span) error {
	if _, isTag := r.dimension.Tag(); !isTag {
		return r.cells(ctx, tx, r.dimension, span, func(at int64, value string, sum amounts) {
			_ = r.add(sum.part(at, r.groups(value)))
		})
	}
	without := map[int64]amounts{}
	count := func(at int64, sum amounts) {
		rest := without[at]
		rest.add(sum)
		without[at] = rest
	}
	err := r.cells(ctx, tx, undivided, span, func(at int64, _ string, sum amounts) { count(at, sum) })
	if err == nil {
		err = r.cells(ctx, tx, r.dimension, span, func(at int64, value string, sum amounts) {
			_ = r.add(sum.part(at, r.groups(value)))
			count(at, sum.negative())
		})
	}
	for at, sum := range without {
		if sum.entries > 0 {
			_ = r.add(sum.part(at, r.groups("")))
		}
	}
	return err
}

func (r *reading) groups(value string) []string {
	if r.dimension == undivided {
		return []string{}
	}
	return []string{value}
}

func (r *reading) cells(ctx context.Context, tx *sql.Tx, of ledger.Dimension, span ledger.Span, visit func(at int64, value string, sum amounts)) error {
	at := map[ledger.Bucket]string{ledger.Total: "0", ledger.Window: "window_start"}[r.query.Bucket]
	if at == "" {
		at = "at"
	}
	text := fmt.Sprintf(`SELECT %s, value, sum(units_high), sum(units_low), sum(bytes_high), sum(bytes_low), sum(entries) FROM sums_cell
WHERE account = ? AND dimension = ? AND span = ? AND at >= ? AND at < ? GROUP BY 1, 2`, at)
	return each(ctx, tx, func(rows *sql.Rows) error {
		var at int64
		var value string
		var sum amounts
		err := rows.Scan(&at, &value, &sum.unitsHigh, &sum.unitsLow, &sum.bytesHigh, &sum.bytesLow, &sum.entries)
		visit(at, value, sum)
		return err
	}, text, r.query.Account, string(of), span.Size, span.From, span.To)
}

// rest sums up the entries that the sums lack: those at the edges of the range, and those behind the marks.
func (r *reading) rest(ctx context.Context, tx *sql.Tx) error {
	for _, span := range r.spans {
		if span.Size == 0 {
			if err := eachPart(ctx, tx, r.query, occurred(r.query.Account, span.From, span.To), r.add); err != nil {
				return err
			}
		}
	}
	all, err := places(ctx, tx)
	if err != nil {
		return err
	}
	for _, at := range all {
		lo := r.marks[at.place].next
		if lo >= at.next {
			continue
		}
		if err := eachPart(ctx, tx, r.query, occurred(r.query.Account, r.from, r.to).behind(at.place, lo), r.add); err != nil {
			return err
		}
	}
	return nil
}
