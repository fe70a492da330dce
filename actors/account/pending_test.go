package account

import (
	"errors"
	"testing"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections/table"
)

// A hundred thousand webhooks that wait for their next attempt are only rows: no effect is pending,
// a new owner need not look at them, and each second takes only the few that are due.
func TestManyPendingWebhooks(t *testing.T) {
	const many, partition, due = 100_000, 0, 256
	store := table.Memory{}
	fold := func(at events.Instant, evs ...events.Event) {
		tx := table.NewTx(store)
		States{}.Apply(tx, partition, events.Envelope{Account: "acc", At: at, Events: evs})
		if err := tx.Flush(store); err != nil {
			t.Fatal(err)
		}
	}
	begun := events.At(time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC))
	for i := range many {
		id, at := events.JobID{1: byte(i >> 16), 2: byte(i >> 8), 3: byte(i)}, begun.Add(time.Duration(i)*time.Millisecond)
		fold(at, events.JobQueued{Job: id, Webhook: events.Sealed{1}}, events.JobFailed{Job: id},
			events.WebhookAttempted{Job: id, WebhookAttempt: events.WebhookAttempt{Number: 1, Status: 503}, Next: at.Add(time.Hour)})
	}
	if count, oldest, err := PendingWebhooks(store, partition); count != many || oldest != begun || err != nil {
		t.Errorf("%d are pending, the oldest since %d, %v", count, oldest, err)
	}
	if open, err := Unsettled(store, partition); len(open) > 0 || err != nil {
		t.Errorf("a new owner looks at %d, %v", len(open), err)
	}
	for at, want := range map[events.Instant]int{begun.Add(time.Hour - time.Millisecond): 0, begun.Add(time.Hour): 1, begun.Add(2 * time.Hour): due} {
		ready, err := Due(store, partition, at, due)
		if err != nil || len(ready) != want {
			t.Errorf("%d are due at %d, want %d: %v", len(ready), at, want, err)
		}
	}
	first := events.JobID{}
	fold(begun.Add(time.Hour), events.WebhookReleased{Job: first})
	s, err := ReplicaStore{Reader: store, Partition: partition}.Job("acc", first)
	if err != nil || len(job.Pending(first, s)) != 1 {
		t.Errorf("pending %v, %v", job.Pending(first, s), err)
	}
	fold(begun.Add(time.Hour), events.WebhookAttempted{Job: first, WebhookAttempt: events.WebhookAttempt{Number: 2, Status: 200}, Outcome: events.WebhookDelivered})
	if count, oldest, err := PendingWebhooks(store, partition); count != many-1 || oldest != begun.Add(time.Millisecond) || err != nil {
		t.Errorf("after a delivery %d are pending, the oldest since %d, %v", count, oldest, err)
	}
}

// A damaged row is an error, by which the rows are rebuilt; its job is not woken without its account.
func TestDueOfADamagedRow(t *testing.T) {
	store, id := table.Memory{}, events.JobID{1}
	at := events.At(time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC))
	store[string(timedKey(due, 0, at, id))] = []byte{0xff}
	if ready, err := Due(store, 0, at, 9); !errors.Is(err, table.ErrUndecodable) || len(ready) != 0 {
		t.Errorf("got %v, %v", ready, err)
	}
}
