package account

import (
	"testing"

	"platen.dev/events"
	"platen.dev/projections"
)

// counting counts the rows that are asked for.
type counting struct {
	projections.Memory
	asked *int
}

func (c counting) Get(key []byte) ([]byte, error) {
	*c.asked++
	return c.Memory.Get(key)
}

// A file is owned by the job that has it, and by none while that may still get it. One partition is asked if it is known.
func TestOwnsFile(t *testing.T) {
	const partitions, partition = 8, 5
	job, name := events.NewJobID(), "file"
	rows := projections.Memory{}
	apply := func(ev events.Event) {
		tx := projections.NewTx(rows)
		States{}.Apply(tx, partition, events.Envelope{Account: "acc", At: 1, Events: []events.Event{ev}})
		if err := tx.Flush(rows); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, in int32, of events.JobID, file string, owned bool, asks int) {
		t.Helper()
		asked := 0
		if got, err := OwnsFile(counting{rows, &asked}, in, partitions, of, file); err != nil || got != owned || asked != asks {
			t.Errorf("%s: owned: %t after %d questions, %v", what, got, asked, err)
		}
	}
	expect("no job", partition, job, name, false, 1)
	expect("no job anywhere", -1, job, name, false, partitions)
	apply(events.JobQueued{Job: job})
	apply(events.RenderStarted{Job: job, Attempt: 1, Node: "n", Deadline: 9})
	expect("under way", partition, job, name, true, 1)
	apply(events.JobDone{Job: job, File: events.File{Name: name}, Expires: 9})
	expect("done", partition, job, name, true, 1)
	expect("done, in an unknown partition", -1, job, name, true, partition+1)
	expect("done, beyond the partitions", partitions, job, name, true, partition+1)
	expect("another attempt's", partition, job, "another", false, 1)
	expect("another job's", partition, events.NewJobID(), name, false, 1)
}
