package account

import (
	"encoding/binary"
	"errors"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
)

// The tables of entity state. An index row of a job stands exactly while the job
// has something due, or something to be done at a change of owner.
var (
	states    = projections.Table[State]{Name: 'A'}
	jobs      = projections.Table[job.State]{Name: 'J'}
	due       = projections.Table[events.AccountID]{Name: 'D'} // partition, instant, job
	unsettled = projections.Table[events.AccountID]{Name: 'U'} // partition, job
	requests  = projections.Table[Remembered]{Name: 'I'}       // partition, account, 0, idempotency key
)

// States is the projection of entity state: the same Evolve that the deciders
// use, over the same events.
type States struct{}

var _ projections.Projection = States{}

// Apply folds one envelope.
func (States) Apply(tx *projections.Tx, partition int32, e events.Envelope) {
	key := states.Key(partition, []byte(e.Account)...)
	for _, ev := range e.Events {
		if id, ok := events.JobOf(ev); ok {
			applyJob(tx, partition, id, e, ev)
			continue
		}
		s, _ := states.Load(tx, key)
		states.Put(tx, key, Evolve(s, ev, e.At))
	}
}

func applyJob(tx *projections.Tx, partition int32, id events.JobID, e events.Envelope, ev events.Event) {
	key := jobs.Key(partition, id[:]...)
	var before job.State
	if _, begins := ev.(events.JobQueued); !begins { // what begins has no state before; looking for it is half of a replay's time
		before, _ = jobs.Load(tx, key)
	}
	after := job.Evolve(before, e.Account, ev, e.At)
	applyRequest(tx, partition, id, before.IdempotencyKey, e, ev)
	if after.Phase == job.Absent {
		jobs.Delete(tx, key)
	} else {
		jobs.Put(tx, key, after)
	}
	if before.Due != after.Due {
		reindex(tx, due, e.Account, before.Due != 0, dueKey(partition, before.Due, id), after.Due != 0, dueKey(partition, after.Due, id))
	}
	if open(before) != open(after) {
		row := unsettled.Key(partition, id[:]...)
		reindex(tx, unsettled, e.Account, open(before), row, open(after), row)
	}
}

// applyRequest remembers a request by its idempotency key for as long as its job
// is known. Whether that is still of any consequence is the decision's to say.
func applyRequest(tx *projections.Tx, partition int32, id events.JobID, name string, e events.Envelope, ev events.Event) {
	switch ev := ev.(type) {
	case events.JobQueued:
		if ev.Idempotency != nil {
			requests.Put(tx, requestKey(partition, e.Account, ev.Idempotency.Key), remember(ev, e.At))
		}
	case events.JobForgotten:
		if name == "" {
			return
		}
		key := requestKey(partition, e.Account, name)
		if r, ok := requests.Load(tx, key); ok && r.Job == id { // the name may stand for a later job by now
			requests.Delete(tx, key)
		}
	}
}

func requestKey(partition int32, account events.AccountID, name string) []byte {
	return requests.Key(partition, append(append([]byte(account), 0), name...)...)
}

// open tells whether a new owner has to look at the job.
func open(s job.State) bool { return s.Active() || s.Phase == job.Expired }

func reindex(tx *projections.Tx, t projections.Table[events.AccountID], account events.AccountID, had bool, old []byte, has bool, row []byte) {
	if had {
		t.Delete(tx, old)
	}
	if has {
		t.Put(tx, row, account)
	}
}

func dueKey(partition int32, at events.Instant, id events.JobID) []byte {
	rest := binary.BigEndian.AppendUint64(nil, uint64(at))
	return due.Key(partition, append(rest, id[:]...)...)
}

// Scanner is a Reader that also lists, as projections.Replica does.
type Scanner interface {
	projections.Reader
	Scan(prefix []byte, visit func(key, value []byte) bool) error
}

// ReplicaStore is the committed state of one partition, read from a replica.
type ReplicaStore struct {
	Reader    projections.Reader
	Partition int32
}

var _ Store = ReplicaStore{}

// Account reads an account's state, the zero State when there is none.
func (c ReplicaStore) Account(id events.AccountID) (State, error) {
	s, _, err := states.Get(c.Reader, states.Key(c.Partition, []byte(id)...))
	return s, err
}

// Job reads a job's state, the zero State when the account has no such job.
func (c ReplicaStore) Job(account events.AccountID, id events.JobID) (job.State, error) {
	s, _, err := jobs.Get(c.Reader, jobs.Key(c.Partition, id[:]...))
	if s.Account != account {
		return job.State{}, err
	}
	return s, err
}

// Reply finds the reply that a command got.
func (c ReplicaStore) Reply(_ events.AccountID, id events.CommandID) (events.Reply, bool, error) {
	return projections.ReplyTo(c.Reader, c.Partition, id)
}

// Remembered reads what an idempotency key stands for.
func (c ReplicaStore) Remembered(id events.AccountID, key string) (Remembered, error) {
	r, _, err := requests.Get(c.Reader, requestKey(c.Partition, id, key))
	return r, err
}

// JobRef names a job of an account.
type JobRef struct {
	Account events.AccountID
	Job     events.JobID
}

// Due lists the jobs of a partition whose time has come by now, at most limit.
func Due(s Scanner, partition int32, now events.Instant, limit int) (ready []JobRef, err error) {
	err = s.Scan(due.Key(partition), func(key, value []byte) bool {
		at := events.Instant(binary.BigEndian.Uint64(key[3:11]))
		if at > now || len(ready) == limit {
			return false
		}
		ref := JobRef{Job: events.JobID(key[11:])}
		ref.Account, _ = due.Decode(value)
		ready = append(ready, ref)
		return true
	})
	return ready, err
}

// Job is a job of a partition with its state.
type Job struct {
	ID    events.JobID
	State job.State
}

// Unsettled lists the jobs of a partition that a new owner has to look at, by id.
func Unsettled(s Scanner, partition int32) (all []Job, err error) {
	err = s.Scan(unsettled.Key(partition), func(key, _ []byte) bool {
		all = append(all, Job{ID: events.JobID(key[3:])})
		return true
	})
	for i := range all {
		if err != nil {
			return nil, err
		}
		all[i].State, _, err = jobs.Get(s, jobs.Key(partition, all[i].ID[:]...))
	}
	return all, err
}

// EachJob visits every job of a partition.
func EachJob(s Scanner, partition int32, visit func(events.JobID, job.State)) error {
	var decodeErr error
	err := s.Scan(jobs.Key(partition), func(key, value []byte) bool {
		var state job.State
		if state, decodeErr = jobs.Decode(value); decodeErr == nil {
			visit(events.JobID(key[3:]), state)
		}
		return decodeErr == nil
	})
	return errors.Join(err, decodeErr)
}
