package account

import (
	"fmt"
	"maps"
	"testing"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// foldAll folds envelopes of one partition.
func foldAll(t *testing.T, rows table.Memory, all ...events.Envelope) {
	t.Helper()
	for _, e := range all {
		tx := table.NewTx(rows)
		States{}.Apply(tx, 3, e)
		if err := tx.Flush(rows); err != nil {
			t.Fatal(err)
		}
	}
}

func setAside(cause int64) events.Envelope {
	return events.Envelope{Cause: cause, Command: events.CommandID{byte(cause)}, Account: "acc", At: 1_700_000_000_000, SetAside: "WakeJob: panic", Reply: &events.Reply{Code: events.Internal}}
}

func dropped(cause, of int64) events.Envelope {
	return events.Envelope{Cause: cause, Account: events.PartitionID(3), Events: []events.Event{events.SetAsideDropped{Cause: of}}}
}

// kept returns the causes in quarantine, and the partition's count of them.
func kept(t *testing.T, rows table.Memory) string {
	t.Helper()
	causes := []int64{}
	if err := EachQuarantined(rows, 3, func(cause int64, _ Quarantined) bool { causes = append(causes, cause); return true }); err != nil {
		t.Fatal(err)
	}
	size, err := QuarantineSize(rows, 3)
	if err != nil {
		t.Fatal(err)
	}
	oldest, found, err := OldestQuarantined(rows, 3)
	if err != nil || found != (len(causes) > 0) || found && oldest != causes[0] {
		t.Errorf("the oldest of %v is %d, %t (%v)", causes, oldest, found, err)
	}
	return fmt.Sprintf("%v of %d", causes, size)
}

// A command that is set aside is kept until it is dropped.
func TestQuarantine(t *testing.T) {
	rows := table.Memory{}
	foldAll(t, rows, setAside(300), setAside(7), events.Envelope{Cause: 301, Account: "acc", Reply: &events.Reply{Code: events.Internal}})
	if got := kept(t, rows); got != "[7 300] of 2" {
		t.Errorf("two are set aside: %s", got)
	}
	if q, found, err := InQuarantine(rows, 3, 7); err != nil || !found || q != (Quarantined{"acc", events.CommandID{7}, 1_700_000_000_000, "WakeJob: panic"}) {
		t.Errorf("the row is %+v, %t, %v", q, found, err)
	}
	for _, at := range []struct {
		partition int32
		cause     int64
	}{{3, 8}, {2, 7}} {
		if _, found, err := InQuarantine(rows, at.partition, at.cause); err != nil || found {
			t.Errorf("%+v is in quarantine: %t, %v", at, found, err)
		}
	}
	foldAll(t, rows, dropped(302, 7), dropped(303, 7), dropped(304, 8))
	if got := kept(t, rows); got != "[300] of 1" {
		t.Errorf("one is dropped, twice: %s", got)
	}
	foldAll(t, rows, dropped(305, 300))
	if got := kept(t, rows); got != "[] of 0" {
		t.Errorf("all are dropped: %s", got)
	}
}

// A re-created topic reuses offsets: the later command replaces the earlier one, and counts once.
func TestQuarantineAtAnOffsetOfBefore(t *testing.T) {
	rows, later := table.Memory{}, setAside(7)
	later.Command = events.CommandID{99}
	foldAll(t, rows, setAside(7), later)
	if got := kept(t, rows); got != "[7] of 1" {
		t.Errorf("both are kept: %s", got)
	}
	if q, _, err := InQuarantine(rows, 3, 7); err != nil || q.Command != later.Command {
		t.Errorf("the row is %+v (%v)", q, err)
	}
}

// A partition keeps MaxQuarantined commands, and one more once one of them is dropped.
func TestQuarantineIsBounded(t *testing.T) {
	rows := table.Memory{}
	for cause := range int64(MaxQuarantined) {
		foldAll(t, rows, setAside(cause))
	}
	full := maps.Clone(rows)
	foldAll(t, rows, setAside(MaxQuarantined))
	if !maps.EqualFunc(full, rows, func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Error("one more is kept")
	}
	foldAll(t, rows, dropped(MaxQuarantined+1, 5), setAside(MaxQuarantined+2))
	if _, found, err := InQuarantine(rows, 3, MaxQuarantined+2); err != nil || !found {
		t.Errorf("after one was dropped, the next is kept: %t, %v", found, err)
	}
}

// A command in quarantine is dropped once, even while the first drop is under way; any other is refused.
func TestDropSetAside(t *testing.T) {
	rows := table.Memory{}
	foldAll(t, rows, setAside(7))
	a := NewAggregate(events.PartitionID(3), ReplicaStore{Reader: rows, Partition: 3}, LimitsOf)
	decide := func(at, of int64) string {
		t.Helper()
		d, err := a.Decide(at, events.Command{ID: events.CommandID{byte(at)}, Account: events.PartitionID(3), Body: events.DropSetAside{Cause: of}})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(d.Reply.Code, d.Events)
	}
	for _, tc := range []struct {
		at, of int64
		want   string
	}{
		{20, 8, "no-such-command[]"},
		{21, 7, "accepted[SetAsideDropped{cause=7}]"},
		{22, 7, "no-such-command[]"},
	} {
		if got := decide(tc.at, tc.of); got != tc.want {
			t.Errorf("%d is dropped: %s, want %s", tc.of, got, tc.want)
		}
	}
	foldAll(t, rows, dropped(21, 7))
	for at := range int64(3) {
		a.Committed(20 + at)
	}
	if got := decide(23, 7); got != "no-such-command[]" {
		t.Errorf("7 is dropped again: %s", got)
	}
	a.Committed(23)
	if len(a.inFlight)+len(a.replies)+len(a.dropped) > 0 {
		t.Errorf("left over: %v %v %v", a.inFlight, a.replies, a.dropped)
	}
	for key := range rows {
		if key[0] == 'A' {
			t.Errorf("the partition has the state of an account: %q", key)
		}
	}
}
