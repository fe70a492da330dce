package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"platen.dev/ledger"
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

// account compares until both sides are as of the same offset: the ledger may grow meanwhile, and
// one without transactions has the rows of a batch before it reports the batch as appended.
func (r *run) account(ctx context.Context, account string) error {
	for range tries {
		have, err := r.ask(ctx, account)
		if err != nil {
			return err
		}
		want, err := r.fold.sums[account].figures()
		if err != nil || want == have {
			return err
		}
		before := r.fold.next
		if err := r.follow(ctx); err != nil {
			return err
		}
		if r.fold.next > before {
			continue
		}
		appending, err := r.appending(ctx)
		if err != nil {
			return err
		}
		if !appending {
			r.differ(Difference{Account: account, What: "sum", Log: want, Ledger: have})
			return nil
		}
		select {
		case <-time.After(cmp.Or(r.Pause, time.Second)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("account %s: entries are being appended, and its sum could not be compared: try again", account)
}

// appending reports whether the log has entries that the ledger may be about to append.
func (r *run) appending(ctx context.Context) (bool, error) {
	_, end, err := r.Log.Bounds(ctx, r.Topic, r.report.Partition)
	if err != nil {
		return false, err
	}
	ahead := newFold(r.Config, r.report.Partition)
	defer ahead.close()
	ahead.begin(r.fold.next)
	ahead.sequence = r.fold.sequence
	n, err := ahead.remaining(ctx, end)
	return n > 0, err
}

// follow reads on to where the ledger is now.
func (r *run) follow(ctx context.Context) error {
	next, err := r.Ledger.Next(ctx, r.Topic, r.report.Partition)
	if err == nil && next > r.fold.next {
		_, err = r.fold.read(ctx, next)
	}
	return err
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
