package account

import (
	"encoding/binary"
	"errors"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections/table"
)

// The tables of entity state, with their keys. Those of the read models are in package projections.

var states = table.Table[State]{Name: 'A'} // partition, account

func stateKey(partition int32, id events.AccountID) []byte {
	return states.Key(partition, []byte(id)...)
}

var jobs = table.Table[job.State]{Name: 'J'} // partition, job

func jobKey(partition int32, id events.JobID) []byte { return jobs.Key(partition, id[:]...) }

func parseJobKey(key []byte) events.JobID { return events.JobID(jobs.Row(key)) }

// due indexes the jobs that time alone moves on, by State.Due.
var due = table.Table[events.AccountID]{Name: 'D'} // partition, instant, job

// timedKey is a key of an index by instants.
func timedKey(t table.Table[events.AccountID], partition int32, at events.Instant, id events.JobID) []byte {
	return t.Key(partition, append(binary.BigEndian.AppendUint64(nil, uint64(at)), id[:]...)...)
}

func parseTimedKey(t table.Table[events.AccountID], key []byte) (events.Instant, events.JobID) {
	row := t.Row(key)
	return events.Instant(binary.BigEndian.Uint64(row)), events.JobID(row[8:])
}

// pendingWebhooks indexes the jobs whose webhook is neither delivered nor given up, by the instant since which it is pending.
var pendingWebhooks = table.Table[events.AccountID]{Name: 'N'} // partition, instant, job

// PendingWebhooks counts the webhooks of a partition that are neither delivered nor given up. oldest is the instant since which the first of them is
// pending, zero if there is none.
func PendingWebhooks(s Scanner, partition int32) (count int, oldest events.Instant, err error) {
	err = s.Scan(pendingWebhooks.Key(partition), func(key, _ []byte) bool {
		if count++; count == 1 {
			oldest, _ = parseTimedKey(pendingWebhooks, key)
		}
		return true
	})
	return count, oldest, err
}

// unsettled indexes the jobs that a new owner has to look at.
var unsettled = table.Table[events.AccountID]{Name: 'U'} // partition, job

func unsettledKey(partition int32, id events.JobID) []byte { return unsettled.Key(partition, id[:]...) }

func parseUnsettledKey(key []byte) events.JobID { return events.JobID(unsettled.Row(key)) }

var requests = table.Table[AcceptedRequest]{Name: 'I'} // partition, account, 0, idempotency key

func requestKey(partition int32, account events.AccountID, idempotencyKey string) []byte {
	return requests.Key(partition, []byte(string(account)+"\x00"+idempotencyKey)...)
}

// quarantine holds the commands that were set aside. Deciders and the trimming of commands read it.
var quarantine = table.Table[Quarantined]{Name: 'Q'} // partition, offset of the command

func quarantineKey(partition int32, cause int64) []byte {
	return quarantine.Key(partition, binary.BigEndian.AppendUint64(nil, uint64(cause))...)
}

func parseQuarantineKey(key []byte) int64 { return int64(binary.BigEndian.Uint64(quarantine.Row(key))) }

// quarantineSizes holds the number of quarantine rows of each partition.
var quarantineSizes = table.Table[int64]{Name: 'q'} // partition

// States is the projection of entity state. It applies the same Evolve as the deciders to the
// same events.
type States struct{}

var _ table.Projection = States{}

// Apply folds one envelope.
func (States) Apply(tx *table.Tx, partition int32, e events.Envelope) {
	applyQuarantine(tx, partition, e)
	key := stateKey(partition, e.Account)
	for _, ev := range e.Events {
		if id, ok := events.JobOf(ev); ok {
			applyJob(tx, partition, id, e, ev)
			continue
		}
		if ofPartition(ev) {
			continue
		}
		if team.Changes(ev) {
			continue // it has a row of its own
		}
		s, _ := states.Load(tx, key)
		states.Put(tx, key, Evolve(s, ev, e.At))
	}
}

// ofPartition reports whether an event is about a partition, whose id then stands in for an account's. Such events are in no account's state.
func ofPartition(ev events.Event) bool {
	switch ev.(type) {
	case events.LevelRaised, events.SetAsideDropped: // in the cursor, and in the quarantine
		return true
	}
	return false
}

func applyJob(tx *table.Tx, partition int32, id events.JobID, e events.Envelope, ev events.Event) {
	key := jobKey(partition, id)
	var before job.State
	if _, begins := ev.(events.JobQueued); !begins { // a new job has no row, and looking for it would take half the time of a replay
		before, _ = jobs.Load(tx, key)
	}
	after := job.Evolve(before, e.Account, ev, e.At)
	applyRequest(tx, partition, id, before.IdempotencyKey, e, ev)
	if after.Phase == job.Absent {
		jobs.Delete(tx, key)
	} else {
		jobs.Put(tx, key, after)
	}
	if was, is := before.Wake(), after.Wake(); was != is {
		reindex(tx, due, e.Account, was != 0, timedKey(due, partition, was, id), is != 0, timedKey(due, partition, is, id))
	}
	if was, is := before.Notice.Pending(), after.Notice.Pending(); was != is {
		reindex(tx, pendingWebhooks, e.Account, was != 0, timedKey(pendingWebhooks, partition, was, id), is != 0, timedKey(pendingWebhooks, partition, is, id))
	}
	if was, is := job.Unsettled(before), job.Unsettled(after); was != is {
		row := unsettledKey(partition, id)
		reindex(tx, unsettled, e.Account, was, row, is, row)
	}
}

// applyRequest stores a request by its idempotency key for as long as its job is known.
// Whether the key still has an effect is up to the decider.
func applyRequest(tx *table.Tx, partition int32, id events.JobID, idempotencyKey string, e events.Envelope, ev events.Event) {
	switch ev := ev.(type) {
	case events.JobQueued:
		if ev.Idempotency != nil {
			requests.Put(tx, requestKey(partition, e.Account, ev.Idempotency.Key), acceptedRequest(ev, e.At))
		}
	case events.JobForgotten, events.RequestForgotten:
		if idempotencyKey == "" {
			return
		}
		key := requestKey(partition, e.Account, idempotencyKey)
		if r, ok := requests.Load(tx, key); ok && r.Job == id { // a later request may have used the key again
			requests.Delete(tx, key)
		}
	}
}

func reindex(tx *table.Tx, t table.Table[events.AccountID], account events.AccountID, had bool, old []byte, has bool, row []byte) {
	if had {
		t.Delete(tx, old)
	}
	if has {
		t.Put(tx, row, account)
	}
}

// Scanner is a Reader that also visits keys in order, as projections.Replica does.
type Scanner interface {
	table.Reader
	Scan(prefix []byte, visit func(key, value []byte) bool) error
	// ScanFrom is Scan starting at the first key >= first.
	ScanFrom(prefix, first []byte, visit func(key, value []byte) bool) error
}

// ReplicaStore is the committed state of one partition, read from a replica.
type ReplicaStore struct {
	Reader    table.Reader
	Partition int32
}

var _ Store = ReplicaStore{}

// Account reads the state of an account, the zero State if it does not exist.
func (c ReplicaStore) Account(id events.AccountID) (State, error) {
	s, _, err := states.Get(c.Reader, stateKey(c.Partition, id))
	return s, err
}

// Team reads the members of an account, none if it does not exist.
func (c ReplicaStore) Team(id events.AccountID) (team.Team, error) {
	return table.TeamOf(c.Reader, c.Partition, id)
}

// Job reads the state of a job, the zero State if the account has no such job.
func (c ReplicaStore) Job(account events.AccountID, id events.JobID) (job.State, error) {
	s, _, err := jobs.Get(c.Reader, jobKey(c.Partition, id))
	if s.Account != account {
		return job.State{}, err
	}
	return s, err
}

// Reply finds the reply to a command.
func (c ReplicaStore) Reply(_ events.AccountID, id events.CommandID) (events.Reply, bool, error) {
	return table.ReplyTo(c.Reader, c.Partition, id)
}

// AcceptedRequest reads the request with an idempotency key, the zero value if there is none.
func (c ReplicaStore) AcceptedRequest(id events.AccountID, key string) (AcceptedRequest, error) {
	r, _, err := requests.Get(c.Reader, requestKey(c.Partition, id, key))
	return r, err
}

// InQuarantine reports whether the command at an offset was set aside and not dropped since.
func (c ReplicaStore) InQuarantine(cause int64) (bool, error) {
	_, kept, err := InQuarantine(c.Reader, c.Partition, cause)
	return kept, err
}

// JobRef names a job of an account.
type JobRef struct {
	Account events.AccountID
	Job     events.JobID
}

// OwnsFile reports whether a job of a partition owns a stored file, or may come to own it because the job is under way.
func OwnsFile(r table.Reader, partition int32, id events.JobID, name string) (bool, error) {
	s, found, err := jobs.Get(r, jobKey(partition, id))
	return err == nil && found && (s.File == name || s.Active()), err
}

// KeptFiles names at most limit files that jobs of a partition still have at now, those that are deleted first.
func KeptFiles(s Scanner, partition int32, now events.Instant, limit int) (names []string, err error) {
	var failed error
	err = s.ScanFrom(due.Key(partition), timedKey(due, partition, now, events.JobID{}), func(key, _ []byte) bool {
		_, id := parseTimedKey(due, key)
		var of job.State
		var found bool
		if of, found, failed = jobs.Get(s, jobKey(partition, id)); found && of.File != "" {
			names = append(names, of.File)
		}
		return failed == nil && len(names) < limit
	})
	return names, errors.Join(err, failed)
}

// Due lists at most limit jobs of a partition that are due at now, the earliest first. An error that wraps table.ErrUndecodable means that the row of the
// next one is damaged.
func Due(s Scanner, partition int32, now events.Instant, limit int) (ready []JobRef, err error) {
	err = due.Each(s, due.Key(partition), func(key []byte, of events.AccountID) bool {
		at, id := parseTimedKey(due, key)
		if at > now || len(ready) == limit {
			return false
		}
		ready = append(ready, JobRef{Account: of, Job: id})
		return true
	})
	return ready, err
}

// Job is a job of a partition with its state.
type Job struct {
	ID    events.JobID
	State job.State
}

// Page is some of the unsettled jobs of a partition, in the order of their ids.
type Page struct {
	Jobs []Job
	// Last is the last job that was looked at; More reports that there may be others after it.
	Last events.JobID
	More bool
	// Unreadable is why a job was left out: its row cannot be decoded. It is nil if none was.
	Unreadable error
}

// UnsettledPage returns up to limit jobs of a partition that a new owner has to look at, starting after the id after. The cost does not depend on the
// number of jobs before it.
func UnsettledPage(s Scanner, partition int32, after events.JobID, limit int) (page Page, err error) {
	var ids []events.JobID
	err = s.ScanFrom(unsettled.Key(partition), append(unsettledKey(partition, after), 0), func(key, _ []byte) bool {
		ids = append(ids, parseUnsettledKey(key))
		return len(ids) < limit
	})
	if err != nil {
		return page, err
	}
	page, err = PageOf(s, partition, ids)
	page.More = len(ids) == limit
	return page, err
}

// PageOf returns the named jobs of a partition, settled or not.
func PageOf(s Scanner, partition int32, ids []events.JobID) (page Page, err error) {
	for _, id := range ids {
		page.Last = id
		state, _, err := jobs.Get(s, jobKey(partition, id))
		switch {
		case errors.Is(err, table.ErrUndecodable):
			page.Unreadable = err
		case err != nil:
			return page, err
		default:
			page.Jobs = append(page.Jobs, Job{ID: id, State: state})
		}
	}
	return page, nil
}

// Unsettled lists all jobs of a partition that a new owner has to look at. It fails if one of them cannot be read.
func Unsettled(s Scanner, partition int32) (all []Job, err error) {
	for page := (Page{More: true}); page.More; {
		if page, err = UnsettledPage(s, partition, page.Last, pageJobs); err != nil || page.Unreadable != nil {
			return nil, errors.Join(err, page.Unreadable)
		}
		all = append(all, page.Jobs...)
	}
	return all, nil
}

// pageJobs is the length of the pages that Unsettled reads.
const pageJobs = 1024

// EachJob calls visit with every job of a partition, in the order of ids.
func EachJob(s Scanner, partition int32, visit func(events.JobID, job.State)) error {
	return jobs.Each(s, jobs.Key(partition), func(key []byte, state job.State) bool {
		visit(parseJobKey(key), state)
		return true
	})
}

// EachAccount calls visit with every account of a partition, in the order of ids, without its team, until visit fails.
func EachAccount(s Scanner, partition int32, visit func(events.AccountID, State) error) error {
	var visitErr error
	err := states.Each(s, states.Key(partition), func(key []byte, state State) bool {
		visitErr = visit(events.AccountID(states.Row(key)), state)
		return visitErr == nil
	})
	return errors.Join(err, visitErr)
}

// JobOfRow returns the job whose state a row of a replica holds, or false for a row of another table.
func JobOfRow(key, value []byte) (id events.JobID, state job.State, is bool, err error) {
	if len(key) == 0 || key[0] != jobs.Name {
		return id, state, false, nil
	}
	state, err = jobs.Decode(value)
	return parseJobKey(key), state, true, err
}
