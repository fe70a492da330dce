package simulation

import (
	"fmt"
	"slices"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

// Few attempts and slots, so that jobs wait and are handed over.
const (
	maxAttempts = 2
	slots       = 2
	remotes     = 1
	// slowness is the chance in percent, at each step, that a page is not rendered yet.
	// Rendering takes longer than everything else, so that nodes go down while they
	// render.
	slowness = 92
)

// jobs drives the dispatcher of a node and the attempts that it begins.
type jobs struct {
	node      *node
	machine   *dispatch.Machine
	attempts  map[events.JobID]*attemptRun
	reminders []reminder
	offers    []dispatch.Offer // on their way to other nodes
	load      dispatch.Load    // as reported last
	peers     []dispatch.Peer  // as heard last
	suspended bool             // until a probe succeeds
	probing   bool
	answer    dispatch.Answer // to the offer that is being handled
	// asked holds the jobs that this node's shards asked for and that it has not begun.
	asked map[events.JobID]*asked
}

// asked is a job that a shard asked for.
type asked struct {
	partition int32
	withdrawn bool // its partition was revoked since
}

type reminder struct {
	at events.Instant
	of dispatch.Input
}

// attemptRun drives the machine of one attempt.
type attemptRun struct {
	jobs      *jobs
	id        events.AttemptID
	partition int32
	effect    job.Render
	machine   *attempt.Machine
	pending   []attempt.Do
	leased    bool
	aborted   bool
}

func newJobs(n *node) *jobs {
	j := &jobs{
		node: n, attempts: map[events.JobID]*attemptRun{}, asked: map[events.JobID]*asked{},
		machine: dispatch.New(dispatch.Settings{Attempts: maxAttempts, Slots: slots, Remotes: remotes}),
	}
	return j
}

func (j *jobs) world() *world { return j.node.world }

func (j *jobs) take(in dispatch.Input) {
	f := j.world().rules.Fault
	if in = f.tellJobs(j, in); in == nil {
		return
	}
	if p, ok := in.(dispatch.Probed); ok && p.Sound {
		j.suspended = false
	}
	outs := f.changeJobs(j, in, j.machine.Step(in))
	if w := j.world().rules.Trace; w != nil {
		trace(w, string(j.node.id)+" dispatch", in, outs)
	}
	for _, out := range outs {
		j.do(out)
	}
}

func (j *jobs) do(out dispatch.Output) {
	switch out := out.(type) {
	case dispatch.Begin:
		j.begin(out)
	case dispatch.Offer:
		j.offers = append(j.offers, out)
	case dispatch.Answer:
		j.answer = out
	case dispatch.Remind:
		j.reminders = append(j.reminders, reminder{j.world().now.Add(out.After), out.Of})
	case dispatch.Probe:
		j.suspended, j.probing = true, true
	case dispatch.Report:
		j.load = out.Load
	}
}

// begin begins an attempt, and checks that the dispatcher keeps its bounds.
func (j *jobs) begin(out dispatch.Begin) {
	id := out.Effect.Job
	if _, twice := j.attempts[id]; twice {
		j.world().fail("%s begins job %s beside itself", j.node.id, id)
	}
	if w, asked := j.asked[id]; asked && w.withdrawn {
		j.world().fail("%s begins job %s, which it has given away with partition %d", j.node.id, id, out.Partition)
	}
	if j.suspended {
		j.world().fail("%s begins job %s while it is suspended", j.node.id, id)
	}
	delete(j.asked, id)
	j.world().ids++
	a := &attemptRun{jobs: j, id: events.AttemptID(j.world().ids), partition: out.Partition, effect: out.Effect}
	a.machine = attempt.New(a.id)
	j.attempts[id] = a
	j.checkBounds(out.Effect)
	a.take(attempt.Start{})
}

// checkBounds checks the attempts under way after a job has begun.
func (j *jobs) checkBounds(begun job.Render) {
	var all, own [dispatch.Lanes]int
	for _, other := range j.attempts {
		lane := dispatch.Index(other.effect.Lane)
		all[lane]++
		if other.effect.Account == begun.Account {
			own[lane]++
		}
	}
	shared, slow, far := all[events.Quick]+all[events.Slow], all[events.Slow], all[events.Remote]
	if shared > maxAttempts || slow > max(1, maxAttempts-2) || far > remotes {
		j.world().fail("%s has %d attempts under way, %d of them slow, and %d at remote jobs", j.node.id, shared, slow, far)
	}
	held, left := own[events.Quick]+own[events.Slow], maxAttempts-shared
	if begun.Lane == events.Remote {
		held, left = own[events.Remote], remotes-far
	}
	if held > 2*left+2 {
		j.world().fail("%s began job %s, although its account has %d attempts and %d are left", j.node.id, begun.Job, held, left)
	}
}

// step makes one random thing happen.
func (j *jobs) step() {
	w := j.world()
	switch w.rng.IntN(6) {
	case 0:
		j.resolve()
	case 1:
		j.remind()
	case 2:
		j.gossip()
		j.probe()
	default:
		if ids := inOrder(j.attempts); len(ids) > 0 {
			j.attempts[ids[w.rng.IntN(len(ids))]].step()
		}
	}
}

// drain does everything that can be done without faults.
func (j *jobs) drain() {
	j.gossip()
	j.remind()
	j.probe()
	for len(j.offers) > 0 {
		j.resolve()
	}
	for range 60 {
		for _, id := range inOrder(j.attempts) {
			if a := j.attempts[id]; a != nil {
				a.step()
			}
		}
	}
}

// give records that a partition was revoked: its effects must not begin any more.
func (j *jobs) give(p int32) {
	for _, a := range j.asked {
		a.withdrawn = a.withdrawn || a.partition == p
	}
}

// gossip tells the dispatcher about the other nodes that this one knows.
func (j *jobs) gossip() {
	j.peers = nil
	for _, n := range j.world().nodes {
		if n != j.node && j.node.members[n.id] {
			j.peers = append(j.peers, dispatch.Peer{Node: n.id, Load: n.jobs.load})
		}
	}
	j.take(dispatch.PeersChanged{Peers: slices.Clone(j.peers)})
}

func (j *jobs) remind() {
	for i := 0; i < len(j.reminders); i++ {
		if r := j.reminders[i]; r.at <= j.world().now {
			j.reminders = slices.Delete(j.reminders, i, i+1)
			i--
			j.take(r.of)
		}
	}
}

// probe ends a probe that is under way.
func (j *jobs) probe() {
	if j.probing {
		j.probing = false
		j.take(dispatch.Probed{Sound: !j.world().storeFails})
	}
}

// resolve delivers an offer or loses it; it may also lose or delay its answer.
func (j *jobs) resolve() {
	if len(j.offers) == 0 {
		return
	}
	w := j.world()
	o := j.offers[0]
	j.offers = j.offers[1:]
	in := dispatch.Answered{Job: o.Effect.Job, Offer: o.Offer, From: o.To}
	to := w.node(o.To)
	in.Silent = true
	if to != nil && !to.paused && !w.chance(20) {
		in.Taken, in.Silent = to.jobs.consider(o), false
	}
	if w.chance(20) { // the answer arrives too late
		in.Taken, in.Silent = false, true
	}
	j.take(in)
}

// consider handles another node's offer.
func (j *jobs) consider(o dispatch.Offer) bool {
	if a := j.asked[o.Effect.Job]; a != nil && a.withdrawn {
		delete(j.asked, o.Effect.Job) // its next owner may ask this node as well
	}
	j.answer = dispatch.Answer{}
	j.take(dispatch.Offered{Partition: o.Partition, Effect: o.Effect, Weight: o.Weight})
	return j.answer.Taken
}

// facts tells the attempts under way what the journal says about their jobs.
func (j *jobs) facts(evs []events.Event) {
	for _, ev := range evs {
		id, _ := events.JobOf(ev)
		if a := j.attempts[id]; a != nil {
			a.take(attempt.Fact{Event: ev})
		}
	}
}

func (a *attemptRun) take(in attempt.Input) {
	outs := a.world().rules.Fault.changeAttempt(a, in, a.machine.Step(in))
	if w := a.world().rules.Trace; w != nil {
		trace(w, fmt.Sprintf("%s attempt at %s", a.jobs.node.id, a.effect.Job), in, outs)
	}
	for _, out := range outs {
		switch out := out.(type) {
		case attempt.Do:
			a.pending = append(a.pending, out)
		case attempt.Release:
			a.leased = false
		case attempt.Abort:
			a.aborted = true
		case attempt.End:
			a.end(out)
		}
	}
}

func (a *attemptRun) world() *world { return a.jobs.world() }

func (a *attemptRun) end(out attempt.End) {
	id := a.effect.Job
	if a.leased {
		a.world().fail("the attempt at job %s keeps its page", id)
	}
	delete(a.jobs.attempts, id)
	if out.GivesBack {
		a.tell(events.LoseRender{Job: id, Attempt: a.id})
	}
	a.jobs.take(dispatch.Ended{Job: id, Told: out.Told, Health: out.Health, Cost: time.Duration(id[15]) * time.Millisecond})
}

// step ends a random step of the attempt.
func (a *attemptRun) step() {
	if len(a.pending) == 0 {
		return
	}
	w := a.world()
	i := w.rng.IntN(len(a.pending))
	do := a.pending[i]
	if do.Step == attempt.Render && w.chance(slowness) {
		return
	}
	a.pending = slices.Delete(a.pending, i, i+1)
	in := attempt.Done{Step: do.Step}
	if a.aborted && w.chance(70) {
		in.Cancelled = true
	} else {
		in.Fault = a.run(do)
	}
	a.take(in)
}

// run does a step; some fail.
func (a *attemptRun) run(do attempt.Do) *attempt.Fault {
	w := a.world()
	switch do.Step {
	case attempt.Read:
		return a.read()
	case attempt.Lease:
		if w.chance(3) {
			return &attempt.Fault{Code: events.RenderFailed, Retryable: true}
		}
		a.leased = true
	case attempt.Announce:
		a.tell(events.StartRender{Job: a.effect.Job, Attempt: a.id, Node: a.jobs.node.id})
	case attempt.Render:
		if w.chance(20) {
			return &attempt.Fault{Code: events.BrowserCrashed, Retryable: w.chance(80)}
		}
	case attempt.Store:
		if w.storeFails {
			return &attempt.Fault{Code: events.RenderFailed, Retryable: true, Infrastructure: true}
		}
		w.files[a.file()] = true
	case attempt.Tell:
		a.tell(a.outcome(do.Fault))
	}
	return nil
}

func (a *attemptRun) file() string { return fmt.Sprintf("%s-%d", a.effect.Job, a.id) }

func (a *attemptRun) outcome(f *attempt.Fault) events.CommandBody {
	if f != nil {
		return events.FailRender{Job: a.effect.Job, Attempt: a.id, Code: f.Code, Retryable: f.Retryable, Infrastructure: f.Infrastructure}
	}
	return events.FinishRender{Job: a.effect.Job, Attempt: a.id, File: events.File{Name: a.file(), Size: 1000, Pages: 1}}
}

// read reads the content. Owners must not have trimmed it for a job under way.
func (a *attemptRun) read() *attempt.Fault {
	w := a.world()
	if w.commands[a.partition][a.effect.Content] != nil {
		return nil
	}
	s, err := account.ReplicaStore{Reader: w.replay(a.partition).values, Partition: a.partition}.Job(a.effect.Account, a.effect.Job)
	if err != nil {
		panic(err)
	}
	if s.Active() && a.effect.Content >= w.retained[a.partition] {
		w.fail("the content of job %s was trimmed before it was rendered", a.effect.Job)
	}
	return &attempt.Fault{Code: events.ContentLost}
}

// tell appends in order: a start reaches the log before its outcome does.
func (a *attemptRun) tell(body events.CommandBody) {
	w := a.world()
	p := w.commandAt(a.jobs.node.now(), a.effect.Account, body)
	w.deliver(p)
	if w.chance(10) {
		w.wire = append(w.wire, p)
		w.lost.excuse(a.id)
	}
}
