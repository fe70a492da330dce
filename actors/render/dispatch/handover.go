package dispatch

import (
	"time"

	"platen.dev/events"
)

const (
	// restAfter is how long a node that refused an offer, or did not answer, gets no
	// other.
	restAfter = time.Second
	// beginLimit is how long another node may take until the journal shows the start of a
	// job that it took. After that the job is taken back. Two attempts at one job do no
	// harm.
	beginLimit = time.Minute
)

// acquaintance is what this node remembers about another.
type acquaintance struct {
	load Load
	// given counts the jobs that the node took since it reported its load.
	given int
	// resting is set while it gets no offers.
	resting bool
}

// acquaint updates what is known about the other nodes.
func (m *Machine) acquaint(peers []Peer) {
	before := m.known
	m.peers, m.known = peers, make(map[events.NodeID]*acquaintance, len(peers))
	for _, p := range peers {
		a := before[p.Node]
		if a == nil {
			a = &acquaintance{}
		}
		if a.load != p.Load {
			a.load, a.given = p.Load, 0
		}
		m.known[p.Node] = a
	}
}

// handOver offers waiting jobs to nodes that would begin them at once.
func (m *Machine) handOver() {
	if m.closing || len(m.peers) == 0 || len(m.queues[0])+len(m.queues[1]) == 0 {
		return
	}
	var able []Peer
	for _, p := range m.peers {
		if !m.known[p.Node].resting {
			able = append(able, p)
		}
	}
	open := [Lanes]bool{true, true}
	for {
		t := m.first(func(in int) bool { return open[in] })
		if t == nil {
			return
		}
		to, ok := choose(t.lane(), able, func(n events.NodeID) int { return m.known[n].given })
		if !ok {
			open[t.lane()] = false
			continue
		}
		m.offer(m.dequeue(t), to.Node)
	}
}

func (m *Machine) offer(t *task, to events.NodeID) {
	m.offers++
	t.stage, t.to, t.offer = offered, to, m.offers
	m.known[to].given++
	m.emit(Offer{To: to, Offer: t.offer, Partition: t.partition, Effect: t.effect})
}

// onAnswered handles a node's answer to an offer. The job may have been begun, forgotten
// or taken back meanwhile.
func (m *Machine) onAnswered(in Answered) {
	t := m.tasks[in.Job]
	current := t != nil && t.stage == offered && t.offer == in.Offer
	if in.Taken {
		m.counts.HandedOver++
	} else {
		m.counts.Refused++
		m.rest(in.From)
	}
	switch {
	case !current:
	case in.Taken:
		t.stage = away
		m.emit(Remind{beginLimit, Overdue{in.Job, in.Offer}})
	default:
		m.enqueue(t)
	}
}

// rest sends a node no offers for a while.
func (m *Machine) rest(node events.NodeID) {
	if a := m.known[node]; a != nil && !a.resting {
		a.resting = true
		m.emit(Remind{restAfter, Rested{node}})
	}
}

// takeBack puts a job back into its queue, in its old position.
func (m *Machine) takeBack(t *task) {
	m.counts.TakenBack++
	m.enqueue(t)
}

func (m *Machine) onNodeGone(node events.NodeID) {
	for _, t := range m.tasks { // in any order: each returns to its old position
		if (t.stage == away || t.stage == offered) && t.to == node {
			m.takeBack(t)
		}
	}
}

// onOffered takes another node's job if there is a page for it at once. That node may
// have seen an older load.
func (m *Machine) onOffered(in Offered) {
	id := in.Effect.Job
	if t, known := m.tasks[id]; known {
		m.emit(Answer{id, t.stage == running})
		return
	}
	lane := Index(in.Effect.Lane)
	taken := m.room(lane) && m.load().fits(lane, 0)
	if taken {
		m.counts.TakenOver++
		m.begin(m.add(in.Partition, in.Effect))
	}
	m.emit(Answer{id, taken})
}
