package account

import (
	"testing"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// A file is owned by the job that has it, and counts as owned while a job may still get it.
func TestOwnsFile(t *testing.T) {
	const partition = 5
	job, name := events.NewJobID(), "file"
	rows := table.Memory{}
	apply := func(ev events.Event) {
		tx := table.NewTx(rows)
		States{}.Apply(tx, partition, events.Envelope{Account: "acc", At: 1, Events: []events.Event{ev}})
		if err := tx.Flush(rows); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, in int32, of events.JobID, file string, owned bool) {
		t.Helper()
		if got, err := OwnsFile(rows, in, of, file); err != nil || got != owned {
			t.Errorf("%s: owned: %t, %v", what, got, err)
		}
	}
	expect("no job", partition, job, name, false)
	apply(events.JobQueued{Job: job, Stored: "content"})
	expect("content", partition, job, "content", true)
	apply(events.RenderStarted{Job: job, Attempt: 1, Node: "n", Deadline: 9})
	expect("under way", partition, job, name, true)
	apply(events.JobDone{Job: job, File: events.File{Name: name}, Expires: 9})
	expect("done", partition, job, name, true)
	expect("content of what is done", partition, job, "content", false)
	expect("in another partition", partition+1, job, name, false)
	expect("another attempt's", partition, job, "another", false)
	expect("another job's", partition, events.NewJobID(), name, false)
}
