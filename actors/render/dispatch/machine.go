package dispatch

import (
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/limit"
)

const (
	// keptForQuick is the number of attempts that slow jobs leave to quick ones.
	keptForQuick = 2
	// retryAfter is the pause after an attempt that ended without an outcome.
	retryAfter = time.Second
	// confirmLimit is how long after the end of an attempt the journal may take to confirm that it
	// held the job. After that, the report is assumed lost.
	confirmLimit = time.Minute
)

// Settings are the parameters of a Machine.
type Settings struct {
	// Slots is how many jobs can have a page of the shared browser at once, Attempts the maximum
	// number of attempts under way that need one.
	Attempts, Slots int
	// Remotes is how many jobs of the lane events.Remote can have a page at once, and the maximum
	// number of their attempts.
	Remotes int
}

// A pool is a kind of page: those of the browser that quick and slow jobs share, or those for
// remote jobs.
const (
	shared = iota
	remote
	pools
)

func poolOf(lane int) int {
	if lane == Index(events.Remote) {
		return remote
	}
	return shared
}

// Machine holds the jobs that a node has to render: those that wait for their turn, have an attempt
// under way, or were handed over.
type Machine struct {
	set     Settings
	queues  [Lanes]queue
	queued  [Lanes]int // tasks in the queues
	running [Lanes]int
	tasks   map[events.JobID]*task
	shares  map[events.AccountID]*share
	// virtual is the virtual time: how much the account that last began a job had spent before it.
	virtual  time.Duration
	arrivals uint64 // numbers the tasks
	offers   uint64 // numbers the offers
	peers    []Peer
	known    map[events.NodeID]*acquaintance // the peers, by node
	counts   Counts
	reported Report
	health   health
	retiring bool
	closing  bool
	drained  bool
	out      []Output
}

// task is a job that the node has to render.
type task struct {
	partition int32
	effect    job.Render
	share     *share
	// charged is the estimated cost of the attempt that is under way.
	charged time.Duration
	// arrival is its position in the order in which jobs arrived.
	arrival uint64
	stage   stage
	// ours is set while a shard of this node wants the job rendered. A job that was taken
	// from another node, or whose partition was revoked, is not begun again here.
	ours bool
	// again is set when the job was asked for again while its attempt was under way.
	again *Take
	// confirmed is set once the journal has said that an attempt holds the job.
	confirmed bool
	// to is the node that was offered the job or took it; offer is the offer's number.
	to    events.NodeID
	offer uint64
}

type stage uint8

const (
	waiting stage = iota
	running
	resting // after an attempt that ended without an outcome
	offered // to another node
	away    // taken by another node, but not yet begun according to the journal
	told    // after an attempt whose commands the journal has not confirmed yet
)

func (t *task) lane() int { return Index(t.effect.Lane) }

// New returns a machine without jobs and peers.
func New(set Settings) *Machine {
	return &Machine{
		set: set, tasks: map[events.JobID]*task{}, shares: map[events.AccountID]*share{}, known: map[events.NodeID]*acquaintance{},
	}
}

// Step takes an input and returns what to do.
func (m *Machine) Step(in Input) []Output {
	m.out = nil
	m.handle(in)
	for t := m.first(m.room, m.mayBegin); t != nil; t = m.first(m.room, m.mayBegin) {
		m.remove(t)
		m.begin(t)
	}
	m.handOver()
	m.report()
	if m.closing && !m.drained && m.running == [Lanes]int{} {
		m.drained = true
		m.emit(Drained{})
	}
	return m.out
}

func (m *Machine) handle(in Input) {
	switch in := in.(type) {
	case Take:
		m.onTake(in)
	case Resume:
		if m.tasks[in.Effect.Job] == nil {
			m.onTake(Take(in))
		}
	case Unconfirmed:
		if t := m.tasks[in.Job]; t != nil && t.stage == told {
			m.drop(t)
		}
	case Forget:
		m.onForget(in.Job)
	case ForgetAll:
		m.forget(func(t *task) bool { return t.partition == in.Partition })
	case Ended:
		m.onEnded(in)
	case Offered:
		m.onOffered(in)
	case Answered:
		m.onAnswered(in)
	case Overdue:
		if t := m.tasks[in.Job]; t != nil && t.stage == away && t.offer == in.Offer {
			m.takeBack(t)
		}
	case Retry:
		if t := m.tasks[in.Job]; t != nil && t.stage == resting {
			m.enqueue(t)
		}
	case Probed:
		m.onProbed(in)
	case ProbeAgain:
		m.emit(Probe{})
	case PeersChanged:
		m.acquaint(in.Peers)
	case NodeGone:
		m.onNodeGone(in.Node)
	case Rested:
		m.onRested(in)
	case Retire:
		m.retiring = true
	case Return:
		m.retiring = m.closing
	case Drain:
		m.retiring, m.closing = true, true
		m.forget(func(*task) bool { return true })
	}
}

func (m *Machine) emit(o Output) { m.out = append(m.out, o) }

// room reports whether there is an attempt left for a lane.
func (m *Machine) room(in int) bool {
	if m.retiring || m.health.suspended || m.left(poolOf(in)) <= 0 {
		return false
	}
	return in != slow || m.running[slow] < max(1, m.set.Attempts-keptForQuick)
}

// left returns the number of free attempts of a pool.
func (m *Machine) left(pool int) int {
	if pool == remote {
		return m.set.Remotes - m.running[Index(events.Remote)]
	}
	return m.set.Attempts - m.running[Index(events.Quick)] - m.running[slow]
}

// mayBegin reports whether an account may begin one more job of a lane that has room.
func (m *Machine) mayBegin(in int, s *share) bool {
	return limit.Share(s.running[poolOf(in)], m.left(poolOf(in)))
}

// first returns the next job of the open lanes whose account may begin one, or nil.
func (m *Machine) first(open func(lane int) bool, may func(lane int, s *share) bool) *task {
	var first *line
	for in := range m.queues {
		if len(m.queues[in]) == 0 || !open(in) {
			continue
		}
		l := m.queues[in].first(func(s *share) bool { return may(in, s) })
		if l != nil && (first == nil || l.before(first)) {
			first = l
		}
	}
	if first == nil {
		return nil
	}
	return first.tasks[0]
}

func (m *Machine) begin(t *task) {
	t.stage, t.confirmed = running, false
	m.charge(t)
	m.emit(Begin{t.partition, t.effect})
}

// drop forgets a task that neither waits nor is under way.
func (m *Machine) drop(t *task) {
	delete(m.tasks, t.effect.Job)
	m.release(t.effect.Account)
}

func (m *Machine) onTake(in Take) {
	t, known := m.tasks[in.Effect.Job]
	switch {
	case m.closing:
	case !known:
		t := m.add(in)
		t.ours = true
		m.enqueue(t)
	case t.stage == running:
		t.again = &in
	case t.stage == told:
		t.effect, t.confirmed = in.Effect, false // it was queued anew
		m.enqueue(t)
	case t.stage == away, t.stage == offered: // an attempt held it since and no longer does: it was not the other node's
		t.effect = in.Effect
		m.takeBack(t)
	}
}

func (m *Machine) add(in Take) *task {
	m.arrivals++
	t := &task{partition: in.Partition, effect: in.Effect, share: m.shareOf(in.Effect.Account, in.Weight), arrival: m.arrivals}
	m.tasks[in.Effect.Job] = t
	return t
}

func (m *Machine) enqueue(t *task) {
	t.stage = waiting
	t.share = m.shareOf(t.effect.Account, t.share.weight)
	m.insert(t)
}

// onForget forgets a job that an attempt holds. If that attempt loses the job, a new Take
// follows.
func (m *Machine) onForget(id events.JobID) {
	t := m.tasks[id]
	if t == nil {
		return
	}
	if t.stage == running {
		t.confirmed = true
		return
	}
	if t.stage == waiting {
		m.remove(t)
	}
	m.drop(t)
}

// forget removes all tasks that match and are not under way here.
func (m *Machine) forget(match func(*task) bool) {
	for _, t := range m.tasks {
		switch {
		case !match(t):
		case t.stage == running:
			t.ours, t.again = false, nil
		default:
			m.onForget(t.effect.Job)
		}
	}
}

func (m *Machine) onEnded(in Ended) {
	t := m.tasks[in.Job]
	if t == nil || t.stage != running {
		return
	}
	m.settle(t, in.Cost)
	m.diagnose(in.Health)
	switch {
	case t.again != nil:
		m.drop(t)
		m.onTake(*t.again)
	case m.closing || !t.ours || in.Told && t.confirmed:
		m.drop(t)
	case in.Told:
		t.stage = told
		m.emit(Remind{confirmLimit, Unconfirmed{in.Job}})
	default:
		t.stage = resting
		m.emit(Remind{retryAfter, Retry{in.Job}})
	}
}

func (m *Machine) load() Load {
	return Load{
		Slots: m.set.Slots, Remotes: m.set.Remotes, Running: m.running, Queued: m.queued,
		Draining: m.retiring, Suspended: m.health.suspended, Taken: m.counts.TakenOver,
	}
}

func (m *Machine) report() {
	if r := (Report{m.load(), m.counts}); r != m.reported {
		m.reported = r
		m.emit(r)
	}
}
