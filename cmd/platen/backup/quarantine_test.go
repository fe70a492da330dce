package backup_test

import (
	"fmt"
	"testing"

	"platen.dev/actors/account"
	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

// setAside appends a command and the envelope that sets it aside.
func (w *world) setAside(id events.AccountID, record string) (cause int64) {
	w.t.Helper()
	p := events.Partition(id, partitions)
	cause = w.append(events.TopicCommands, p, []byte(record))
	w.causes[p]++
	w.append(events.TopicJournal, p, entry(w.t, events.Envelope{
		Epoch: w.epochs[p], Cause: cause, Command: events.NewCommandID(), Account: id, At: events.At(w.now), Reply: &events.Reply{Code: events.Internal}, SetAside: "a panic",
	}))
	return cause
}

// A backup has the records of commands in quarantine, at their offsets, except lost ones.
func TestQuarantineIsBackedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 31)
	p := events.Partition("acc_0", partitions)
	gone := w.setAside("acc_0", "gone")
	must(t, w.log.Trim(t.Context(), events.TopicCommands, p, gone+1))
	w.decide("acc_0", "")
	kept := w.setAside("acc_0", "kept")
	w.decide("acc_0", "")
	w.catchUp()
	place := newFiles()
	taken := w.take(place, 0)
	must(t, verify(t, place, taken.Manifest))
	restored := newCluster(t)
	must(t, backup.Restore(t.Context(), place, taken.Manifest, restored.target()))
	r, err := eventlog.ReadOne(testkit.Context(t), restored.log, events.TopicCommands, p, kept)
	if err != nil || string(r.Value) != "kept" {
		t.Errorf("the record is %q (%v)", r.Value, err)
	}
	restored.run()
	restored.catchUp()
	var causes []int64
	must(t, account.EachQuarantined(restored.replica, p, func(cause int64, _ account.Quarantined) bool {
		causes = append(causes, cause)
		return true
	}))
	if fmt.Sprint(causes) != fmt.Sprint([]int64{gone, kept}) {
		t.Errorf("in quarantine are %v, want %d and %d", causes, gone, kept)
	}
}
