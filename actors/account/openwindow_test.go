package account

import (
	"maps"
	"slices"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// A window is unfinished while one of its charged jobs is, however many windows have begun since.
func TestUnfinished(t *testing.T) {
	const partition = 0
	store := table.Memory{}
	anchor := events.At(time.Date(2026, 1, 31, 9, 0, 0, 789e6, time.UTC))
	next := windowEnd(anchor, anchor)
	fold := func(account events.AccountID, evs ...events.Event) {
		t.Helper()
		tx := table.NewTx(store)
		States{}.Apply(tx, partition, events.Envelope{Account: account, At: anchor, Events: evs})
		if err := tx.Flush(store); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, want ...events.Instant) {
		t.Helper()
		s, err := ReplicaStore{Reader: store, Partition: partition}.Account("acc")
		if err != nil {
			t.Fatal(err)
		}
		unfinished, err := Unfinished(store, partition, "acc", s)
		if got := slices.Sorted(maps.Keys(unfinished)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v (%v), want %v", when, got, err, want)
		}
		for window, n := range unfinished {
			if n != 1 {
				t.Errorf("%s: %d jobs of %v, want 1", when, n, window)
			}
		}
	}
	queue := func(number byte, window events.Instant) []events.Event {
		job := events.JobID{number}
		return []events.Event{events.QuotaReserved{Job: job, Window: window}, events.JobQueued{Job: job, Window: window}}
	}
	fold("acc", events.AccountCreated{Plan: events.PlanFree, Anchor: anchor})
	want("without jobs")
	fold("acc", queue(1, anchor)...)
	want("with a job of the last window", anchor)
	fold("acc", events.TestCounted{Job: events.JobID{9}}, events.JobQueued{Job: events.JobID{9}, Test: true})
	fold("other", queue(8, 1)...)
	fold("acc", append([]events.Event{events.WindowOpened{Window: next}}, queue(2, next)...)...)
	want("with jobs of two windows", anchor, next)
	fold("acc", events.JobFailed{Job: events.JobID{2}}, events.QuotaReleased{Job: events.JobID{2}, Window: next})
	want("with a job of the former window", anchor)
	fold("acc", events.JobDone{Job: events.JobID{1}}, events.QuotaDebited{Job: events.JobID{1}, Window: anchor})
	want("when all have ended")
}

// The ledger truncates the starts of windows to seconds. The end is found all the same.
func TestWindowEnd(t *testing.T) {
	anchor := time.Date(2026, 1, 31, 23, 59, 59, 789e6, time.UTC)
	s := State{Anchor: events.At(anchor)}
	end := s.WindowEnd(events.At(anchor.Truncate(time.Second).Add(999 * time.Millisecond)))
	if want := time.Date(2026, 2, 28, 23, 59, 59, 789e6, time.UTC); !end.Time().Equal(want) {
		t.Errorf("got %s, want %s", end, want)
	}
}
