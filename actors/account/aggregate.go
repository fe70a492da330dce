package account

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/team"
)

// Store reads committed state: the state that the replica has folded.
type Store interface {
	// Account reads the state of an account, without its team.
	Account(events.AccountID) (State, error)
	Team(events.AccountID) (team.Team, error)
	Job(events.AccountID, events.JobID) (job.State, error)
	// Reply finds the reply to a command that was decided before.
	Reply(events.AccountID, events.CommandID) (events.Reply, bool, error)
	// AcceptedRequest finds the request with an idempotency key, the zero value if there is
	// none.
	AcceptedRequest(id events.AccountID, key string) (AcceptedRequest, error)
	// InQuarantine reports whether the command at an offset was set aside and not dropped since.
	InQuarantine(cause int64) (bool, error)
}

// Decision is the outcome of one command: the content of its envelope, and what to do once
// that envelope has been read back.
type Decision struct {
	Events []events.Event
	Reply  *events.Reply
	// Begin lists the effects to begin, Forget the keys of those no longer asked for.
	Begin  []job.Effect
	Forget []job.EffectKey
	// Held is the effect that a node begins to hold with the command, nil if there is none.
	Held *job.Hold
	// SetAside says why the command could not be decided; empty if it was decided. Such a command changes nothing, and its reply is Internal.
	SetAside string
}

// errUndecidable means that this node cannot decide a command, however often it tries: deciding panics, or the outcome does not fit into the journal.
var errUndecidable = errors.New("the command cannot be decided")

// Aggregate is one account with its jobs. It is ahead of the committed state: each command is
// decided on the outcome of those before it, whose envelopes may still be on the way to the
// log. It belongs to one goroutine and one epoch, and is dropped with the epoch.
type Aggregate struct {
	id     events.AccountID
	store  Store
	limits LimitsFunc
	// state is loaded with the first command; within an epoch nobody else changes it.
	state  State
	loaded bool
	// teamLoaded is set once state has the team, which only the commands about it need.
	teamLoaded bool
	// jobs and replies are those of commands in flight.
	jobs    map[events.JobID]*jobInFlight
	replies map[events.CommandID]events.Reply
	// requests are the requests in flight with an idempotency key, by that key.
	requests map[string]requestInFlight
	// dropped maps the cause of each command in flight that drops another from the quarantine to the one it drops.
	dropped  map[int64]int64
	inFlight map[int64]commandInFlight // by cause
}

// jobInFlight is the state of a job after all commands in flight, and the number of those that concern it.
type jobInFlight struct {
	state job.State
	count int
}

// requestInFlight is a request accepted by the command at offset cause. The zero value means that the command forgets the request.
type requestInFlight struct {
	AcceptedRequest
	cause int64
}

// commandInFlight is a decided command whose envelope has not been read back.
type commandInFlight struct {
	command events.CommandID
	job     events.JobID
	request string // the idempotency key of a request that it accepts or forgets
	aside   bool   // the command was set aside
}

// NewAggregate returns the aggregate of an account, which starts from the committed state in
// store.
func NewAggregate(id events.AccountID, store Store, limits LimitsFunc) *Aggregate {
	return &Aggregate{
		id: id, store: store, limits: limits,
		jobs:     map[events.JobID]*jobInFlight{},
		replies:  map[events.CommandID]events.Reply{},
		requests: map[string]requestInFlight{},
		dropped:  map[int64]int64{},
		inFlight: map[int64]commandInFlight{},
	}
}

// State returns the account's state after all decided commands, with its team if one of them was about it.
func (a *Aggregate) State() (State, error) {
	err := a.load()
	return a.state, err
}

// Decide decides the command at offset cause; later commands build on its outcome. A command that cannot be decided is set aside, because it would
// block its partition. An error is one of the store, and then nothing has changed. It wraps table.ErrUndecodable if a row cannot be decoded, which
// may be a fault of this node alone.
func (a *Aggregate) Decide(cause int64, c events.Command) (Decision, error) {
	d, err := a.tryDecide(cause, c)
	if errors.Is(err, errUndecidable) {
		return a.SetAside(cause, c, err), nil
	}
	return d, err
}

// SetAside is the decision for a command that cannot be decided. It changes nothing; repeating the command gets the same reply.
func (a *Aggregate) SetAside(cause int64, c events.Command, why error) Decision {
	reply := events.Reply{Code: events.Internal}
	a.replies[c.ID] = reply
	a.inFlight[cause] = commandInFlight{command: c.ID, aside: true}
	return Decision{Reply: &reply, SetAside: contract.Detail(events.TypeName(c.Body) + ": " + why.Error())}
}

// tryDecide is Decide for commands that can be decided. Nothing changes until the whole outcome is known.
func (a *Aggregate) tryDecide(cause int64, c events.Command) (d Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			d, err = Decision{}, fmt.Errorf("%w: %s", errUndecidable, nameOf(p))
		}
	}()
	if err := a.load(); err != nil {
		return Decision{}, err
	}
	reply, repeated, err := a.earlierReply(c.ID)
	if err != nil || repeated {
		return Decision{Reply: reply}, err
	}
	if err := a.loadTeam(c); err != nil {
		return Decision{}, err
	}
	id, _ := events.Target(c.Body)
	before, err := a.job(id)
	if err != nil {
		return Decision{}, err
	}
	earlier, err := a.earlierRequest(c.Body, before)
	if err != nil {
		return Decision{}, err
	}
	if d, err = a.compose(cause, c, before, earlier); err != nil {
		return Decision{}, err
	}
	return d, a.advance(cause, c, id, before, &d)
}

// compose decides a command about the account, its jobs, or the quarantine of its partition.
func (a *Aggregate) compose(cause int64, c events.Command, before job.State, earlier AcceptedRequest) (Decision, error) {
	drop, is := c.Body.(events.DropSetAside)
	if !is {
		return Compose(a.state, before, earlier, c, cause, a.limits), nil
	}
	kept, err := a.inQuarantine(drop.Cause)
	evs, reply := dropSetAside(drop, kept)
	return Decision{Events: evs, Reply: &reply}, err
}

// inQuarantine is the store's InQuarantine with the commands in flight applied. It ignores commands set aside in flight: the operator cannot know of
// them yet.
func (a *Aggregate) inQuarantine(cause int64) (bool, error) {
	for _, dropped := range a.dropped {
		if dropped == cause {
			return false, nil
		}
	}
	return a.store.InQuarantine(cause)
}

// nameOf describes a panic. Only Go's own runtime messages are sure to contain no customer data.
func nameOf(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return "panic: " + err.Error()
	}
	return fmt.Sprintf("panic: a %T", p)
}

func (a *Aggregate) load() error {
	if a.loaded {
		return nil
	}
	state, err := a.store.Account(a.id)
	a.state, a.loaded = state, err == nil
	return err
}

// loadTeam loads the team for a command about it, or one whose member must have signed in recently.
func (a *Aggregate) loadTeam(c events.Command) error {
	if a.teamLoaded || !aboutTeam(c.Body) && (c.By.Member == "" || !TakesProof(c.Body)) {
		return nil
	}
	t, err := a.store.Team(a.id)
	if err == nil {
		a.state.Team, a.teamLoaded = t, true
	}
	return err
}

// earlierReply returns the stored reply to a command that was already decided.
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

// earlierRequest finds the request that a submission may repeat, or that of the job to cancel.
func (a *Aggregate) earlierRequest(body events.CommandBody, j job.State) (AcceptedRequest, error) {
	key := ""
	switch b := body.(type) {
	case events.SubmitJob:
		if b.Idempotency != nil {
			key = b.Idempotency.Key
		}
	case events.CancelJob:
		key = j.IdempotencyKey
	}
	if key == "" {
		return AcceptedRequest{}, nil
	}
	if r, ok := a.requests[key]; ok {
		return r.AcceptedRequest, nil
	}
	return a.store.AcceptedRequest(a.id, key)
}

// advance applies the decision to the speculative state and records the command as in flight.
func (a *Aggregate) advance(cause int64, c events.Command, id events.JobID, before job.State, d *Decision) error {
	state, after := a.state, before
	for _, ev := range d.Events {
		state = Evolve(state, ev, c.At)
		after = job.Evolve(after, a.id, ev, c.At)
	}
	if len(d.Events) > 0 {
		d.Begin, d.Forget = job.Changes(id, before, after, d.Events)
		d.Held = newHold(id, before, after)
	}
	if err := fits(c, *d); err != nil {
		return err
	}
	a.state = state
	a.noteDropped(cause, d.Events)
	a.inFlight[cause] = commandInFlight{command: c.ID, job: id, request: a.noteRequests(cause, c, before, d.Events)}
	if d.Reply != nil {
		a.replies[c.ID] = *d.Reply
	}
	f, ok := a.jobs[id]
	if !ok {
		f = &jobInFlight{}
		a.jobs[id] = f
	}
	f.state = after
	f.count++
	return nil
}

// noteDropped records the command that the one at cause drops from the quarantine.
func (a *Aggregate) noteDropped(cause int64, evs []events.Event) {
	for _, ev := range evs {
		if e, is := ev.(events.SetAsideDropped); is {
			a.dropped[cause] = e.Cause
		}
	}
}

// noteRequests records how a command changes idempotency keys, and returns the key that it concerns.
func (a *Aggregate) noteRequests(cause int64, c events.Command, before job.State, evs []events.Event) (request string) {
	for _, ev := range evs {
		switch e := ev.(type) {
		case events.JobQueued:
			if e.Idempotency != nil {
				request = e.Idempotency.Key
				a.requests[request] = requestInFlight{acceptedRequest(e, c.At), cause}
			}
		case events.RequestForgotten:
			request = before.IdempotencyKey
			a.requests[request] = requestInFlight{cause: cause}
		}
	}
	return request
}

// fits returns errUndecidable if the envelope of a decision cannot be written to the journal.
func fits(c events.Command, d Decision) error {
	e := events.Envelope{Epoch: math.MaxInt64, Cause: math.MaxInt64, Command: c.ID, Account: c.Account, At: c.At, Reply: d.Reply, Events: d.Events, By: c.By}
	value, err := events.EncodeEntry(e)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errUndecidable, err)
	case len(value) > eventlog.MaxRecord:
		return fmt.Errorf("%w: its envelope has %d bytes, more than %d", errUndecidable, len(value), eventlog.MaxRecord)
	}
	return nil
}

// newHold returns the effect that a node holds after a command but not before it.
func newHold(id events.JobID, before, after job.State) *job.Hold {
	hold, held := job.Held(id, after)
	if earlier, was := job.Held(id, before); !held || was && earlier == hold {
		return nil
	}
	return &hold
}

// Committed drops the in-flight record of the command at cause: its envelope was read back, so the store has the outcome.
func (a *Aggregate) Committed(cause int64) {
	f, ok := a.inFlight[cause]
	if !ok {
		return
	}
	delete(a.inFlight, cause)
	delete(a.dropped, cause)
	delete(a.replies, f.command)
	if f.aside {
		return
	}
	if a.requests[f.request].cause == cause { // a later request may have used the key again
		delete(a.requests, f.request)
	}
	if j := a.jobs[f.job]; j.count > 1 {
		j.count--
	} else {
		delete(a.jobs, f.job)
	}
}
