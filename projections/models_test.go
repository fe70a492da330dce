package projections_test

import (
	"testing"

	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// The read models show what the events of the journal say, to the right account only.
func TestReadModels(t *testing.T) {
	f := newFixture(t)
	r := f.open("r")
	defer closed(t, r)
	hash, job := [32]byte{7}, events.NewJobID()
	f.write("acc_a", events.AccountCreated{Plan: events.PlanPro, Anchor: 5})
	f.write("acc_a", events.KeyIssued{Key: events.Key{ID: "key", Hash: hash}})
	submitted := f.write("acc_a", events.JobQueued{Job: job, Operation: events.HTMLToPDF})
	f.catchUp(r)
	if ref, ok, err := r.Caller(hash); err != nil || !ok || ref.Account != "acc_a" || ref.Key != "key" {
		t.Errorf("key leads to %+v, %t, %v", ref, ok, err)
	}
	if j, ok, err := r.Job("acc_a", job); err != nil || !ok || j.Status != events.StatusQueued {
		t.Errorf("job is %+v, %t, %v", j, ok, err)
	}
	if _, ok, err := r.Job("acc_b", job); err != nil || ok {
		t.Errorf("another account finds the job (%v)", err)
	}
	if reply, ok, err := r.Reply("acc_a", submitted.Command); err != nil || !ok || reply.Code != events.Accepted {
		t.Errorf("reply is %+v, %t, %v", reply, ok, err)
	}
	f.write("acc_a", events.KeyRevoked{Key: "key", Hash: hash})
	f.write("acc_a", events.JobFailed{Job: job, Code: events.PageTimeout})
	f.catchUp(r)
	if _, ok, err := r.Caller(hash); err != nil || ok {
		t.Errorf("a revoked key still leads somewhere (%v)", err)
	}
	if j, _, _ := r.Job("acc_a", job); j.Status != events.StatusFailed || j.Error != events.PageTimeout || j.Finished == 0 {
		t.Errorf("failed job is %+v", j)
	}
}

// A reply is kept for exactly ReplyWindow commands of its partition.
func TestRepliesLeaveTheirWindow(t *testing.T) {
	store := table.Memory{}
	apply := func(e events.Envelope) {
		tx := table.NewTx(store)
		projections.ReadModels{}.Apply(tx, 0, e)
		if err := tx.Flush(store); err != nil {
			t.Fatal(err)
		}
	}
	first := events.Envelope{Cause: 3, Command: events.NewCommandID(), Reply: &events.Reply{Code: events.Accepted}}
	apply(first)
	apply(events.Envelope{Cause: 3 + table.ReplyWindow - 1})
	if _, ok, err := table.ReplyTo(store, 0, first.Command); !ok || err != nil {
		t.Errorf("reply gone within its window (%v)", err)
	}
	apply(events.Envelope{Cause: 3 + table.ReplyWindow})
	if _, ok, err := table.ReplyTo(store, 0, first.Command); ok || err != nil {
		t.Errorf("reply kept beyond its window (%v)", err)
	}
	if len(store) != 0 {
		t.Errorf("%d keys are left", len(store))
	}
}
