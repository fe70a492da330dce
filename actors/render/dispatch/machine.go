package dispatch

import (
	"cmp"
	"slices"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
)

const (
	// keptForQuick is the number of attempts that slow jobs leave to quick ones.
	keptForQuick = 2
	// retryAfter is the pause after an attempt that ended without an outcome.
	retryAfter = time.Second
	// confirmLimit is how long after the end of an attempt the journal may take to say that
	// it held the job. After that, its report may have got lost.
	confirmLimit = time.Minute
)

// Settings are the parameters of a Machine.
type Settings struct {
	// Attempts is the maximal number of attempts under way. Slots is how many pages work
	// at once.
	Attempts, Slots int
}

// Machine holds the jobs that a node is to get rendered: those that wait for their turn,
// have an attempt under way, or were handed over.
type Machine struct {
	set      Settings
	queues   [Lanes][]*task // waiting tasks, by arrival
	tasks    map[events.JobID]*task
	running  [Lanes]int
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

// task is a job that the node is to get rendered.
type task struct {
	partition int32
	effect    job.Render
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
	return &Machine{set: set, tasks: map[events.JobID]*task{}, known: map[events.NodeID]*acquaintance{}}
}

// Step takes an input and returns what to do.
func (m *Machine) Step(in Input) []Output {
	m.out = nil
	m.handle(in)
	for t := m.first(m.room); t != nil; t = m.first(m.room) {
		m.begin(m.dequeue(t))
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
			delete(m.tasks, in.Job)
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
		if a := m.known[in.Node]; a != nil {
			a.resting = false
		}
	case Retire:
		m.retiring = true
	case Drain:
		m.retiring, m.closing = true, true
		m.forget(func(*task) bool { return true })
	}
}

func (m *Machine) emit(o Output) { m.out = append(m.out, o) }

// room reports whether there is an attempt left for a lane.
func (m *Machine) room(in int) bool {
	if m.retiring || m.health.suspended || m.running[0]+m.running[1] >= m.set.Attempts {
		return false
	}
	return in != slow || m.running[slow] < slowShare(m.set.Attempts, keptForQuick)
}

// first returns the job that has waited longest in a lane with room, or nil.
func (m *Machine) first(may func(lane int) bool) (first *task) {
	for in, queue := range m.queues {
		if len(queue) > 0 && (first == nil || queue[0].arrival < first.arrival) && may(in) {
			first = queue[0]
		}
	}
	return first
}

func (m *Machine) begin(t *task) {
	t.stage, t.confirmed = running, false
	m.running[t.lane()]++
	m.emit(Begin{t.partition, t.effect})
}

func (m *Machine) onTake(in Take) {
	t, known := m.tasks[in.Effect.Job]
	switch {
	case m.closing:
	case !known:
		t := m.add(in.Partition, in.Effect)
		t.ours = true
		m.enqueue(t)
	case t.stage == running:
		t.again = &in
	case t.stage == told:
		t.confirmed = false
		m.enqueue(t)
	case t.stage == away, t.stage == offered: // an attempt held it since, and no more: not the other node's
		m.takeBack(t)
	}
}

func (m *Machine) add(partition int32, e job.Render) *task {
	m.arrivals++
	t := &task{partition: partition, effect: e, arrival: m.arrivals}
	m.tasks[e.Job] = t
	return t
}

// enqueue inserts a task by its arrival, most often at the end.
func (m *Machine) enqueue(t *task) {
	t.stage = waiting
	q := m.queues[t.lane()]
	at, _ := find(q, t)
	m.queues[t.lane()] = slices.Insert(q, at, t)
}

func find(q []*task, t *task) (at int, found bool) {
	return slices.BinarySearchFunc(q, t, func(a, b *task) int { return cmp.Compare(a.arrival, b.arrival) })
}

// dequeue removes the first task of a queue.
func (m *Machine) dequeue(t *task) *task {
	q := m.queues[t.lane()]
	q[0] = nil
	m.queues[t.lane()] = q[1:]
	return t
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
		q := m.queues[t.lane()]
		at, _ := find(q, t)
		m.queues[t.lane()] = slices.Delete(q, at, at+1)
	}
	delete(m.tasks, id)
}

// forget removes all tasks that match and are not under way here.
func (m *Machine) forget(match func(*task) bool) {
	unwanted := func(t *task) bool { return t.stage != running && match(t) }
	for in := range m.queues {
		m.queues[in] = slices.DeleteFunc(m.queues[in], unwanted)
	}
	for id, t := range m.tasks {
		if unwanted(t) {
			delete(m.tasks, id)
		} else if match(t) {
			t.ours, t.again = false, nil
		}
	}
}

func (m *Machine) onEnded(in Ended) {
	t := m.tasks[in.Job]
	if t == nil || t.stage != running {
		return
	}
	m.running[t.lane()]--
	m.diagnose(in.Health)
	switch {
	case t.again != nil:
		delete(m.tasks, in.Job)
		m.onTake(*t.again)
	case m.closing || !t.ours || in.Told && t.confirmed:
		delete(m.tasks, in.Job)
	case in.Told:
		t.stage = told
		m.emit(Remind{confirmLimit, Unconfirmed{in.Job}})
	default:
		t.stage = resting
		m.emit(Remind{retryAfter, Retry{in.Job}})
	}
}

func (m *Machine) load() Load {
	l := Load{Slots: m.set.Slots, Draining: m.retiring, Suspended: m.health.suspended, Taken: m.counts.TakenOver, Running: m.running}
	for in := range m.queues {
		l.Queued[in] = len(m.queues[in])
	}
	return l
}

func (m *Machine) report() {
	if r := (Report{m.load(), m.counts}); r != m.reported {
		m.reported = r
		m.emit(r)
	}
}
