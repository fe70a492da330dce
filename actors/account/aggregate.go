package account

import (
	"platen.dev/actors/job"
	"platen.dev/events"
)

// Store reads committed state: what the replica has folded.
type Store interface {
	Account(events.AccountID) (State, error)
	Job(events.AccountID, events.JobID) (job.State, error)
	// Reply finds the reply that a command got before.
	Reply(events.AccountID, events.CommandID) (events.Reply, bool, error)
	// Remembered finds what an idempotency key stands for, the zero value for nothing.
	Remembered(id events.AccountID, key string) (Remembered, error)
}

// Decision is what one command changes: the content of its envelope, and what
// to do once that envelope is read back.
type Decision struct {
	Events []events.Event
	Reply  *events.Reply
	// Begin are the effects to begin, Forget those that nothing asks for any more.
	Begin  []job.Effect
	Forget []job.EffectKey
	// Held is the effect that the command gave to a node; nil when it gave none.
	Held *job.Hold
}

// Aggregate is one account with its jobs, ahead of what is committed: commands
// are decided on the outcome of those before them, while their envelopes are
// still on the way to the log. It belongs to one goroutine and one epoch; when
// the epoch ends, it is dropped.
type Aggregate struct {
	id     events.AccountID
	store  Store
	limits LimitsFunc
	// state is loaded with the first command and correct as long as the epoch lasts.
	state  State
	loaded bool
	// jobs and replies hold what envelopes in flight have touched.
	jobs    map[events.JobID]*flying
	replies map[events.CommandID]events.Reply
	// requests are those accepted with an idempotency key.
	requests map[string]accepted
	inFlight map[int64]flight
}

type flying struct {
	state job.State
	count int
}

// accepted is a request accepted by the command at offset cause.
type accepted struct {
	Remembered
	cause int64
}

type flight struct {
	command events.CommandID
	job     events.JobID
	request string // idempotency key of an accepted request
}

// NewAggregate makes the aggregate of an account over committed state.
func NewAggregate(id events.AccountID, store Store, limits LimitsFunc) *Aggregate {
	return &Aggregate{
		id: id, store: store, limits: limits,
		jobs:     map[events.JobID]*flying{},
		replies:  map[events.CommandID]events.Reply{},
		requests: map[string]accepted{},
		inFlight: map[int64]flight{},
	}
}

// State is the account's state with all that was decided so far.
func (a *Aggregate) State() (State, error) {
	err := a.load()
	return a.state, err
}

// Decide decides the command at offset cause and goes on from its outcome. An
// error is the store's; nothing has changed then.
func (a *Aggregate) Decide(cause int64, c events.Command) (Decision, error) {
	if err := a.load(); err != nil {
		return Decision{}, err
	}
	reply, repeated, err := a.earlierReply(c.ID)
	if err != nil || repeated {
		return Decision{Reply: reply}, err
	}
	id, _ := events.Target(c.Body)
	before, err := a.job(id)
	if err != nil {
		return Decision{}, err
	}
	earlier, err := a.remembered(c.Body)
	if err != nil {
		return Decision{}, err
	}
	d := a.compose(before, earlier, c, cause)
	a.advance(cause, c, id, before, &d)
	return d, nil
}

func (a *Aggregate) load() error {
	if a.loaded {
		return nil
	}
	state, err := a.store.Account(a.id)
	a.state, a.loaded = state, err == nil
	return err
}

// earlierReply recognises a command that was already decided by its stored reply.
func (a *Aggregate) earlierReply(id events.CommandID) (*events.Reply, bool, error) {
	if r, ok := a.replies[id]; ok {
		return &r, true, nil
	}
	r, ok, err := a.store.Reply(a.id, id)
	if err != nil || !ok {
		return nil, false, err
	}
	return &r, true, nil
}

func (a *Aggregate) job(id events.JobID) (job.State, error) {
	if f, ok := a.jobs[id]; ok {
		return f.state, nil
	}
	if id == (events.JobID{}) {
		return job.State{}, nil
	}
	return a.store.Job(a.id, id)
}

// remembered finds the request that a submit may repeat.
func (a *Aggregate) remembered(body events.CommandBody) (Remembered, error) {
	submit, ok := body.(events.SubmitJob)
	if !ok || submit.Idempotency == nil {
		return Remembered{}, nil
	}
	if r, ok := a.requests[submit.Idempotency.Key]; ok {
		return r.Remembered, nil
	}
	return a.store.Remembered(a.id, submit.Idempotency.Key)
}

// advance moves the speculative state over the decision and notes it as in flight.
func (a *Aggregate) advance(cause int64, c events.Command, id events.JobID, before job.State, d *Decision) {
	after, inFlight := before, flight{command: c.ID, job: id}
	for _, ev := range d.Events {
		a.state = Evolve(a.state, ev, c.At)
		after = job.Evolve(after, a.id, ev, c.At)
		if q, ok := ev.(events.JobQueued); ok && q.Idempotency != nil {
			inFlight.request = q.Idempotency.Key
			a.requests[inFlight.request] = accepted{remember(q, c.At), cause}
		}
	}
	if len(d.Events) > 0 {
		d.Begin, d.Forget = job.Changes(id, before, after, d.Events)
		d.Held = taken(id, before, after)
	}
	a.inFlight[cause] = inFlight
	if d.Reply != nil {
		a.replies[c.ID] = *d.Reply
	}
	f, ok := a.jobs[id]
	if !ok {
		f = &flying{}
		a.jobs[id] = f
	}
	f.state = after
	f.count++
}

// taken is the effect that a node holds after a command and did not before it.
func taken(id events.JobID, before, after job.State) *job.Hold {
	hold, held := job.Held(id, after)
	if earlier, was := job.Held(id, before); !held || was && earlier == hold {
		return nil
	}
	return &hold
}

// Committed tells that the envelope of cause was read back, hence that the store has it.
func (a *Aggregate) Committed(cause int64) {
	f, ok := a.inFlight[cause]
	if !ok {
		return
	}
	delete(a.inFlight, cause)
	delete(a.replies, f.command)
	if a.requests[f.request].cause == cause { // the key may stand for a later request already
		delete(a.requests, f.request)
	}
	if j := a.jobs[f.job]; j.count > 1 {
		j.count--
	} else {
		delete(a.jobs, f.job)
	}
}

// compose is Compose on the speculative state, except that a decider that panics refuses the command
// instead of blocking every later one of its partition.
func (a *Aggregate) compose(j job.State, earlier Remembered, c events.Command, cause int64) (d Decision) {
	defer func() {
		if recover() != nil {
			d = Decision{Reply: &events.Reply{Code: events.Internal}}
		}
	}()
	return Compose(a.state, j, earlier, c, cause, a.limits)
}
