package simulation

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
)

// verdict checks the invariants at the end of a schedule.
type verdict struct{ *world }

// check returns the first violated invariant, nil if all hold.
func (v verdict) check() error {
	for p := range int32(partitions) {
		if err := v.checkReplicas(p); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
		if err := v.checkJournal(p); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
		if err := v.checkFacts(p); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
		if err := v.checkLives(p); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
		if err := errors.Join(v.checkQuarantine(p), v.checkEnd(p)); err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
	}
	return nil
}

// checkReplicas compares every replica with a fresh fold, and live state with both.
func (v verdict) checkReplicas(p int32) error {
	fresh := v.replay(p)
	for _, n := range v.nodes {
		r := n.replicas[p]
		if r.cursor != fresh.cursor {
			return fmt.Errorf("%s stands at %+v, a replay at %+v", n.id, r.cursor, fresh.cursor)
		}
		for key, value := range fresh.values {
			if !bytes.Equal(r.values[key], value) {
				return fmt.Errorf("%s differs from a replay at %x", n.id, key)
			}
		}
		for key := range r.values {
			if _, is := fresh.values[key]; !is {
				return fmt.Errorf("%s has %x, which a replay has not", n.id, key)
			}
		}
		if err := v.checkLive(n, p, fresh); err != nil {
			return err
		}
	}
	return nil
}

// accepted returns the accepted envelopes and gaps of a partition's journal, by the rules of
// the protocol.
func (w *world) accepted(p int32, r *replica) (all []events.Entry) {
	for offset, record := range w.journal[p] {
		if w.rules.step(&r.cursor, int64(offset), record.entry) {
			all = append(all, record.entry)
		}
	}
	return all
}

func (v verdict) checkLive(n *node, p int32, fresh *replica) error {
	for _, o := range n.owned {
		if o.partition != p || !o.machine.Active() {
			continue
		}
		if err := checkAccounts(o, fresh); err != nil {
			return err
		}
	}
	return nil
}

func checkAccounts(o *ownership, fresh *replica) error {
	for id, a := range o.accounts {
		live, err := a.aggregate.State()
		if err != nil {
			return err
		}
		replayed, err := account.ReplicaStore{Reader: fresh.values, Partition: o.partition}.Account(id)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(live, replayed) {
			return fmt.Errorf("account %s is %+v in its actor on %s, and %+v in a replay", id, live, o.node.id, replayed)
		}
	}
	return nil
}

// audit is a naive model of accounts and jobs, fed with accepted events.
type audit struct {
	plans    map[events.AccountID]events.Plan
	running  map[events.AccountID]int64
	units    map[window]int64 // reserved and used
	bytes    map[window]int64
	reserved map[events.JobID]int
	settled  map[events.JobID]int
	queued   map[events.JobID]int
	ended    map[events.JobID]int
	outcomes map[events.CommandID]events.Envelope
	repeats  repeats
	notices  notices
	uploads  uploads
}

type window struct {
	account events.AccountID
	start   events.Instant
}

// checkJournal checks the accepted envelopes against naive models.
func (v verdict) checkJournal(p int32) error {
	a := audit{
		plans: map[events.AccountID]events.Plan{}, running: map[events.AccountID]int64{},
		units: map[window]int64{}, bytes: map[window]int64{},
		reserved: map[events.JobID]int{}, settled: map[events.JobID]int{},
		queued: map[events.JobID]int{}, ended: map[events.JobID]int{},
		outcomes: map[events.CommandID]events.Envelope{},
		repeats:  newRepeats(),
		notices:  newNotices(),
		uploads:  newUploads(),
	}
	next := int64(0) // the command whose outcome follows
	for _, entry := range v.accepted(p, &replica{cursor: projections.Origin()}) {
		switch e := entry.(type) {
		case events.Gap:
			if e.From != next || e.To <= next || e.To > v.retained[p] {
				return fmt.Errorf("a gap from %d to %d after command %d, commands were lost below %d", e.From, e.To, next-1, v.retained[p])
			}
			next = e.To
		case events.Envelope:
			if e.Cause != next {
				return fmt.Errorf("the envelope of command %d follows that of %d", e.Cause, next-1)
			}
			next++
			if err := v.checkEnvelope(&a, e); err != nil {
				return fmt.Errorf("command %d: %w", e.Cause, err)
			}
		}
	}
	if next != int64(len(v.commands[p])) {
		return fmt.Errorf("%d commands have outcomes, there are %d", next, len(v.commands[p]))
	}
	return errors.Join(v.checkReplies(a), v.checkNotices(a), v.checkUploads(a))
}

func (v verdict) checkEnvelope(a *audit, e events.Envelope) error {
	first := e
	if _, repeated := a.outcomes[e.Command]; repeated { // it gets the first reply, whatever happened since
		first.Reply = nil
	}
	submit, _ := v.sent[e.Command].Body.(events.SubmitJob)
	return errors.Join(a.envelope(e), a.repeats.envelope(first, submit))
}

func (a *audit) envelope(e events.Envelope) error {
	if first, seen := a.outcomes[e.Command]; !seen {
		a.outcomes[e.Command] = e
	} else if e.Reply != nil && (len(e.Events) > 0 || !reflect.DeepEqual(first.Reply, e.Reply)) {
		return fmt.Errorf("%s has two outcomes: %+v %v and %+v %v", e.Command, *first.Reply, first.Events, *e.Reply, e.Events)
	}
	for _, ev := range e.Events {
		if err := errors.Join(a.event(e.Account, ev), a.notices.event(ev), a.uploads.event(ev)); err != nil {
			return err
		}
	}
	return nil
}

func (a *audit) event(id events.AccountID, ev events.Event) error {
	switch ev := ev.(type) {
	case events.AccountCreated:
		a.plans[id] = ev.Plan
	case events.PlanChanged:
		a.plans[id] = ev.Plan
	case events.QuotaReserved:
		return a.reserve(id, ev)
	case events.QuotaDebited:
		a.running[id]--
		a.bytes[window{id, ev.Window}] += ev.Bytes
		return a.settle(ev.Job)
	case events.QuotaReleased:
		a.running[id]--
		a.units[window{id, ev.Window}]--
		return a.settle(ev.Job)
	case events.JobQueued:
		if a.queued[ev.Job]++; a.queued[ev.Job] > 1 {
			return fmt.Errorf("job %s queued twice", ev.Job)
		}
	case events.JobDone:
		return a.end(ev.Job)
	case events.RenderRequeued:
		if ev.Code == events.RenderFailed && !ev.Infrastructure { // in the simulation only the store fails like this
			return fmt.Errorf("the store has spent an attempt of job %s", ev.Job)
		}
	case events.JobFailed:
		if ev.Code == events.RenderFailed {
			return fmt.Errorf("job %s failed because of the store", ev.Job)
		}
		return a.end(ev.Job)
	}
	return nil
}

func (a *audit) reserve(id events.AccountID, ev events.QuotaReserved) error {
	limits := widest(a.plans[id])
	at := window{id, ev.Window}
	a.running[id]++
	a.units[at]++
	a.reserved[ev.Job]++
	switch {
	case a.running[id] > limits.Running:
		return fmt.Errorf("account %s has %d jobs running, %d are allowed", id, a.running[id], limits.Running)
	case a.units[at] > limits.Jobs:
		return fmt.Errorf("account %s used %d units of %d", id, a.units[at], limits.Jobs)
	case a.bytes[at] >= limits.Bytes:
		return fmt.Errorf("account %s was admitted with %d bytes of %d used", id, a.bytes[at], limits.Bytes)
	case a.reserved[ev.Job] > 1:
		return fmt.Errorf("job %s reserved two units", ev.Job)
	}
	return nil
}

func (a *audit) settle(id events.JobID) error {
	if a.settled[id]++; a.settled[id] > 1 {
		return fmt.Errorf("job %s settled twice", id)
	}
	return nil
}

func (a *audit) end(id events.JobID) error {
	if a.ended[id]++; a.ended[id] > 1 {
		return fmt.Errorf("job %s ended twice", id)
	}
	return nil
}

// checkReplies compares what clients received with the journal, and checks that every
// accepted job was done once.
func (v verdict) checkReplies(a audit) error {
	for id, e := range a.outcomes {
		for _, heard := range v.replies[id] {
			if e.Reply == nil || !reflect.DeepEqual(heard, *e.Reply) {
				return fmt.Errorf("a client received %+v for %s, the journal says %+v", heard, id, e.Reply)
			}
		}
		submit, ok := v.sent[id].Body.(events.SubmitJob)
		if !ok {
			continue
		}
		accepted := e.Reply != nil && e.Reply.Code == events.Accepted
		if accepted != (a.queued[submit.Job] == 1) || accepted != (a.ended[submit.Job] == 1) {
			return fmt.Errorf("job %s: accepted %t, queued %d times, ended %d times", submit.Job, accepted, a.queued[submit.Job], a.ended[submit.Job])
		}
		if a.reserved[submit.Job] != a.settled[submit.Job] {
			return fmt.Errorf("job %s: %d units reserved, %d settled", submit.Job, a.reserved[submit.Job], a.settled[submit.Job])
		}
	}
	return nil
}

// checkEnd checks the final state.
func (v verdict) checkEnd(p int32) (err error) {
	values := v.nodes[0].replicas[p].values
	for id := range v.keys {
		s, loadErr := account.ReplicaStore{Reader: values, Partition: p}.Account(id)
		if loadErr != nil {
			return loadErr
		}
		if s.Running != 0 || s.Reserved != 0 {
			return fmt.Errorf("account %s ends with %d running and %d reserved", id, s.Running, s.Reserved)
		}
	}
	scanErr := account.EachJob(values, p, func(id events.JobID, s job.State) {
		if s.Phase == job.Done && !v.files[s.File] && !v.undone[p] {
			err = fmt.Errorf("the file %s of job %s is gone before its time", s.File, id)
		}
		if pending := job.Pending(id, s); len(pending) > 0 {
			err = fmt.Errorf("job %s still waits for %s", id, pending[0].Key().Kind)
		}
	})
	if err == nil {
		err = scanErr
	}
	return err
}
