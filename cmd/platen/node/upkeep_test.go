package node

import (
	"context"
	"errors"
	"testing"
	"time"

	"platen.dev/actors/status"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/ingest"
)

// emptyLedger answers that nothing was charged.
type emptyLedger struct{ ledger.Ledger }

func (emptyLedger) Usage(context.Context, ledger.Query) ([]ledger.Row, error) { return nil, nil }

func (emptyLedger) Entries(context.Context, ledger.EntryQuery) (ledger.Page, error) {
	return ledger.Page{}, nil
}

// While the ledger takes nothing from the partition of an account, it does not answer about it, as the runbook says; those of other partitions are
// not concerned.
func TestStalledLedgerDoesNotAnswer(t *testing.T) {
	now := time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	stalls := ingest.NewStalls(func() time.Time { return now }, testkit.Silent())
	l := timelyLedger{emptyLedger{}, stalls, 64}
	hole := errors.New("record 66 is missing")
	stalls.Reading(events.Partition("acc_a", 64), hole)
	ask := func(account string) (sums, entries error) {
		_, sums = l.Usage(t.Context(), ledger.Query{Account: account})
		_, entries = l.Entries(t.Context(), ledger.EntryQuery{Account: account})
		return sums, entries
	}
	now = now.Add(status.MaxLedgerStall * time.Second)
	if sums, entries := ask("acc_a"); sums != nil || entries != nil {
		t.Errorf("after a minute: %v, %v", sums, entries)
	}
	now = now.Add(1)
	if sums, entries := ask("acc_a"); !errors.Is(sums, hole) || !errors.Is(entries, hole) {
		t.Errorf("after more than a minute: %v, %v", sums, entries)
	}
	if sums, entries := ask("acc_b"); sums != nil || entries != nil || events.Partition("acc_b", 64) == events.Partition("acc_a", 64) {
		t.Errorf("in another partition: %v, %v", sums, entries)
	}
}
