package main

import (
	"path/filepath"
	"testing"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/public"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// audit is what the journal says about every job, folded from its first record by nothing
// but the acceptance rule.
type audit map[events.JobID]*tally

// tally counts the accepted events about one job.
type tally struct {
	account                                           events.AccountID
	reserved, queued, done, failed, debited, released int
}

// auditJournal reads the whole journal.
func auditJournal(t *testing.T, l eventlog.Log) audit {
	t.Helper()
	b := audit{}
	eachAccepted(t, l, b.add)
	return b
}

// eachAccepted visits the accepted envelopes of every partition of the journal.
func eachAccepted(t *testing.T, l eventlog.Log, visit func(events.Envelope)) {
	t.Helper()
	newJournal(l).goOn(t, visit)
}

// journal is read from its beginning, and then repeatedly from where reading stopped.
type journal struct {
	log     eventlog.Log
	cursors map[int32]projections.Cursor
}

func newJournal(l eventlog.Log) journal { return journal{l, map[int32]projections.Cursor{}} }

// goOn visits the accepted envelopes of every partition that have not been visited yet.
func (j journal) goOn(t *testing.T, visit func(events.Envelope)) {
	t.Helper()
	for p := range j.log.Partitions() {
		cursor, begun := j.cursors[p]
		if !begun {
			cursor = projections.Origin()
		}
		logtest.EachFrom(t, j.log, events.TopicJournal, p, cursor.Next, func(r eventlog.Record) {
			entry, err := events.DecodeEntry(r.Value)
			if err != nil {
				t.Fatalf("journal %d at %d: %v", p, r.Offset, err)
			}
			if cursor.Step(r.Offset, entry) {
				if e, ok := entry.(events.Envelope); ok {
					visit(e)
				}
			}
		})
		j.cursors[p] = cursor
	}
}

func (b audit) add(e events.Envelope) {
	of := func(id events.JobID) *tally {
		if b[id] == nil {
			b[id] = &tally{account: e.Account}
		}
		return b[id]
	}
	for _, ev := range e.Events {
		switch ev := ev.(type) {
		case events.QuotaReserved:
			of(ev.Job).reserved++
		case events.JobQueued:
			of(ev.Job).queued++
		case events.JobDone:
			of(ev.Job).done++
		case events.JobFailed:
			of(ev.Job).failed++
		case events.QuotaDebited:
			of(ev.Job).debited++
		case events.QuotaReleased:
			of(ev.Job).released++
		}
	}
}

// check checks that every accepted job is in the audit, and that every job in the audit
// was accepted once, done once and debited once.
func (b audit) check(t *testing.T, accepted []events.JobID) {
	t.Helper()
	for _, id := range accepted {
		if b[id] == nil {
			t.Errorf("job %s got a 202 and is not in the journal", id)
		}
	}
	for id, got := range b {
		want := tally{account: got.account, reserved: 1, queued: 1, done: 1, debited: 1}
		if *got != want {
			t.Errorf("job %s: got %+v, want %+v", id, *got, want)
		}
	}
}

// units counts the debited jobs of each account.
func (b audit) units() map[events.AccountID]int64 {
	units := map[events.AccountID]int64{}
	for _, e := range b {
		units[e.account] += int64(e.debited)
	}
	return units
}

// checkStates folds the journal into a new replica, as a new node would. It checks that
// no account has anything reserved or running, that the units used are those of the audit, and
// that the public events charge the same units and bytes, and returns what they charge.
func (b audit) checkStates(t *testing.T, l eventlog.Log) books {
	t.Helper()
	replica := openReplica(t, l, t.TempDir())
	all, err := replica.Accounts()
	if err != nil {
		t.Fatal(err)
	}
	units, charged := b.units(), auditEvents(t, l)
	for _, a := range all {
		state, err := account.ReplicaStore{Reader: replica, Partition: events.Partition(a.ID, l.Partitions())}.Account(a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := charged[windowOf{a.ID, public.Time(state.Window.String())}], (charges{state.Used, state.Bytes}); got != want {
			t.Errorf("account %s: the public events charge %+v in the present window, want %+v", a.ID, got, want)
		}
		if state.Reserved != 0 || state.Running != 0 || state.Used != units[a.ID] || a.Used != units[a.ID] {
			t.Errorf("account %s: got %d reserved, %d running, %d used, %d shown; want 0, 0, %d, %[6]d",
				a.ID, state.Reserved, state.Running, state.Used, a.Used, units[a.ID])
		}
	}
	return charged
}

func replicaConfig(l eventlog.Log, dir string) projections.Config {
	return projections.Config{
		Dir: dir, Log: l, Logger: testkit.Silent(),
		Projections: []table.Projection{account.States{}, projections.ReadModels{}},
	}
}

// openReplica opens a replica in dir and waits until it has read the journal to its end.
func openReplica(t *testing.T, l eventlog.Log, dir string) *projections.Replica {
	t.Helper()
	replica, err := projections.Open(testkit.Context(t), replicaConfig(l, dir))
	if err != nil {
		t.Fatal(err)
	}
	replica.Start()
	t.Cleanup(func() { _ = replica.Close() })
	for p := range l.Partitions() {
		catchUp(t, replica, p)
	}
	return replica
}

// catchUp waits until a replica has all of a partition, as long as it makes progress.
func catchUp(t *testing.T, replica *projections.Replica, p int32) {
	t.Helper()
	for last := int64(-1); ; {
		err := replica.CatchUp(testkit.Context(t), p)
		if err == nil {
			return
		}
		next := replica.Cursor(p).Next
		if next == last {
			t.Fatalf("the replica stays at %d of partition %d: %v", next, p, err)
		}
		last = next
	}
}

// replica is the directory of the node's replica.
func (m *machine) replica() string { return filepath.Join(m.data, "replica") }

// checkReplica checks that the replica left by a node is the one that a new node would make.
func (m *machine) checkReplica(t *testing.T, l eventlog.Log) {
	t.Helper()
	checkSameReplica(t, openReplica(t, l, m.replica()), openReplica(t, l, t.TempDir()))
}

// checkSameReplica checks that two replicas of one journal hold the same bytes.
func checkSameReplica(t *testing.T, got, want *projections.Replica) {
	t.Helper()
	rows := func(r *projections.Replica) map[string]string {
		rows := map[string]string{}
		if err := r.Scan(nil, func(k, v []byte) bool {
			if k[0] != 0 { // what describes the store is no row
				rows[string(k)] = string(v)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	g, w := rows(got), rows(want)
	if len(g) != len(w) {
		t.Errorf("the replica has %d rows, a new one has %d", len(g), len(w))
	}
	for k, v := range w {
		if g[k] != v {
			t.Errorf("row %x: got %x, want %x", k, g[k], v)
		}
	}
}
