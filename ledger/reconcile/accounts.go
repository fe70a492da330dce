package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"platen.dev/ledger"
	"platen.dev/ledger/ingest"
)

// tries is how often the sums of an account are compared while the ledger grows.
const tries = 10

// accounts compares the sums of the accounts with the ledger's answers.
func (r *run) accounts(ctx context.Context) error {
	for _, account := range slices.Sorted(maps.Keys(r.fold.sums)) {
		if r.Account != "" && account != r.Account {
			continue
		}
		if err := r.account(ctx, account); err != nil {
			return err
		}
	}
	return nil
}

// account compares what the ledger answers with the log up to where the ledger is. The ledger may grow meanwhile. One without transactions has the
// rows of a batch before its marker, and if the writer was killed in between, until another appends the batch again: these rows are expected too.
// What differs twice alike, or while nothing can be appended, is a difference.
func (r *run) account(ctx context.Context, account string) error {
	last := Difference{}
	for range tries {
		have, err := r.ask(ctx, account)
		if err != nil {
			return err
		}
		want, err := r.fold.sums[account].figures()
		if err != nil || want == have {
			return err
		}
		moved, err := r.follow(ctx)
		if err != nil {
			return err
		}
		if moved {
			continue
		}
		unmarked, appending, err := r.unmarked(ctx, account)
		if err != nil {
			return err
		}
		if want, err = want.Plus(unmarked); err != nil || want == have {
			return err
		}
		d := Difference{Account: account, What: "sum", Log: want, Ledger: have}
		if d == last || !appending {
			r.differ(d)
			return nil
		}
		last = d
		select {
		case <-time.After(cmp.Or(r.Pause, time.Second)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("account %s: entries are being appended, and its sum could not be compared: try again", account)
}

// unmarked returns the figures of an account's entries that the ledger has already of the batch after its last marker, and whether that batch has
// any entries.
func (r *run) unmarked(ctx context.Context, account string) (f ledger.Figures, appending bool, err error) {
	_, end, err := r.Log.Bounds(ctx, r.Topic, r.report.Partition)
	if err != nil {
		return f, false, err
	}
	ahead := newFold(r.Config, r.report.Partition)
	defer ahead.close()
	ahead.begin(r.fold.next)
	ahead.sequence = r.fold.sequence
	batch, err := ahead.read(ctx, min(end, r.fold.next+ingest.BatchOffsets))
	if err != nil || len(batch.first) == 0 {
		return f, false, err
	}
	others := func(e ledger.Entry) bool { return e.Account != account }
	mine := slices.DeleteFunc(batch.first[:min(len(batch.first), ingest.BatchRecords)], others)
	if len(mine) == 0 {
		return f, true, nil
	}
	held, err := r.Ledger.Held(ctx, mine)
	if err != nil {
		return f, true, err
	}
	counted := newFold(r.Config, r.report.Partition)
	for _, e := range held {
		counted.charge(e)
	}
	if s := counted.sums[account]; s != nil {
		f, err = s.figures()
	}
	return f, true, err
}

// follow reads on to where the ledger is now, and reports whether it has moved.
func (r *run) follow(ctx context.Context) (moved bool, err error) {
	next, err := r.Ledger.Next(ctx, r.Topic, r.report.Partition)
	if err == nil && next > r.fold.next {
		_, err = r.fold.read(ctx, next)
		moved = true
	}
	return moved, err
}

// ask returns the sums of an account by a query like its holder's.
func (r *run) ask(ctx context.Context, account string) (ledger.Figures, error) {
	from, to := r.times()
	rows, err := r.Ledger.Usage(ctx, ledger.Query{Account: account, From: from, To: to})
	if err != nil || len(rows) == 0 {
		return ledger.Figures{}, err
	}
	return ledger.Figures{Entries: rows[0].Entries, Units: rows[0].Units, Bytes: rows[0].Bytes}, nil
}

// summarize returns the figures of entries. Each counts once.
func summarize(entries []ledger.Entry) (ledger.Figures, error) {
	hashed := make([]ledger.Hashed, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for i := range entries {
		if e := &entries[i]; !seen[e.ID] {
			seen[e.ID] = true
			hashed = append(hashed, ledger.Hashed{Entry: e, Hash: e.Hash()})
		}
	}
	return ledger.Summarize(hashed)
}

// sum is the total charged to an account.
type sum struct {
	entries      int64
	units, bytes ledger.Sum
}

func (s *sum) figures() (ledger.Figures, error) {
	return ledger.Figures{Entries: s.entries}.With(s.units, s.bytes)
}
