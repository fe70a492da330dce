package dispatch

import (
	"time"

	"platen.dev/events"
)

const (
	// restAfter is how long a node that refused an offer, or did not answer, gets no more.
	restAfter = time.Second
	// beginLimit is how long another node that took a job may take until the journal shows its start.
	// After that the job is taken back. Two attempts at one job do no harm.
	beginLimit = time.Minute
)

// acquaintance records what this node knows about another.
type acquaintance struct {
	load Load
	// given counts the jobs that the node took since it reported its load.
	given int
	// silent is set while the node gets no offers. resting has the accounts of whose jobs it gets
	// none: it may have as many of theirs as one account may hold.
	silent  bool
	resting map[events.AccountID]bool
}

// acquaint updates what is known about the other nodes.
func (m *Machine) acquaint(peers []Peer) {
	before := m.known
	m.peers, m.known = peers, make(map[events.NodeID]*acquaintance, len(peers))
	for _, p := range peers {
		a := before[p.Node]
		if a == nil {
			a = &acquaintance{resting: map[events.AccountID]bool{}}
		}
		if a.load != p.Load {
			a.load, a.given = p.Load, 0
		}
		m.known[p.Node] = a
	}
}

// handOver offers waiting jobs to nodes that would begin them at once.
func (m *Machine) handOver() {
	if m.closing || len(m.peers) == 0 {
		return
	}
	given := func(n events.NodeID) int { return m.known[n].given }
	var full [Lanes]bool
	type refusal struct {
		lane  int
		share *share
	}
	refused := map[refusal]bool{} // no other node could begin such jobs
	open := func(in int) bool { return !full[in] }
	may := func(in int, s *share) bool { return !refused[refusal{in, s}] }
	for t := m.first(open, may); t != nil; t = m.first(open, may) {
		if to, ok := choose(t.lane(), m.able(t.effect.Account), given); ok {
			m.remove(t)
			m.offer(t, to.Node)
			continue
		}
		refused[refusal{t.lane(), t.share}] = true
		_, anybody := choose(t.lane(), m.able(""), given)
		full[t.lane()] = !anybody
	}
}

// able returns the peers that may get offers of an account's jobs.
func (m *Machine) able(account events.AccountID) (able []Peer) {
	for _, p := range m.peers {
		if a := m.known[p.Node]; !a.silent && !a.resting[account] {
			able = append(able, p)
		}
	}
	return able
}

func (m *Machine) offer(t *task, to events.NodeID) {
	m.offers++
	t.stage, t.to, t.offer = offered, to, m.offers
	m.known[to].given++
	m.emit(Offer{To: to, Offer: t.offer, Partition: t.partition, Effect: t.effect, Weight: t.share.weight})
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
		m.rest(in, t)
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

// rest stops offers for a while: all offers to a node that was silent, those of one account's jobs
// to a node that refused one.
func (m *Machine) rest(in Answered, t *task) {
	a := m.known[in.From]
	switch {
	case a == nil:
	case in.Silent && !a.silent:
		a.silent = true
		m.emit(Remind{restAfter, Rested{Node: in.From}})
	case !in.Silent && t != nil && !a.resting[t.effect.Account]:
		a.resting[t.effect.Account] = true
		m.emit(Remind{restAfter, Rested{in.From, t.effect.Account}})
	}
}

func (m *Machine) onRested(in Rested) {
	a := m.known[in.Node]
	switch {
	case a == nil:
	case in.Account == "":
		a.silent = false
	default:
		delete(a.resting, in.Account)
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
	taken := m.room(lane) && m.load().fits(lane, 0) && m.mayBegin(lane, m.shareOf(in.Effect.Account, in.Weight))
	if taken {
		m.counts.TakenOver++
		m.begin(m.add(Take(in)))
	}
	m.release(in.Effect.Account)
	m.emit(Answer{id, taken})
}
