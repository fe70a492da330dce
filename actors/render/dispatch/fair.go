package dispatch

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"platen.dev/events"
)

// This file is how accounts share a node.
//
// Of the accounts with jobs waiting, the one that has been given the least relative to its weight
// begins the next job: start-time fair queueing (Goyal, Vin, Cheng: Start-time fair queuing, 1996),
// with the measured cost of a job in place of its length. An account that comes back after a pause
// starts level with the others.
//
// One account may hold limit.Share of the attempts, so the others always find some free.

// firstCost is charged for the first job of an account until its real cost is known.
const firstCost = 100 * time.Millisecond

// share tracks an account's use of the node while it has jobs here.
type share struct {
	weight int
	// spent is the cost of the account's jobs, divided by its weight; for jobs under way it is
	// an estimate.
	spent time.Duration
	// last is the cost of the job that ended last, and the estimate for the next.
	last time.Duration
	// waiting and running count its tasks, those under way by pool.
	waiting int
	running [pools]int
	lines   [Lanes]*line
}

// line holds the tasks of one account that wait in one lane, in order of arrival.
type line struct {
	share *share
	tasks []*task
	index int // in its queue
}

// queue holds the lines of a lane that are not empty: a heap, the next one first.
type queue []*line

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].before(q[j]) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(l any) {
	l.(*line).index = len(*q)
	*q = append(*q, l.(*line))
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	l := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return l
}

// before reports whether a line's first task should begin before another line's.
func (l *line) before(other *line) bool {
	return cmp.Or(cmp.Compare(l.share.spent, other.share.spent), cmp.Compare(l.tasks[0].arrival, other.tasks[0].arrival)) < 0
}

// first returns the next line whose account may begin more, nil if there is none. Only accounts
// with attempts under way may not, so few lines are passed over.
func (q *queue) first(may func(*share) bool) *line {
	var passed []*line
	var found *line
	for len(*q) > 0 && found == nil {
		if l := (*q)[0]; may(l.share) {
			found = l
		} else {
			passed = append(passed, heap.Pop(q).(*line))
		}
	}
	for _, l := range passed {
		heap.Push(q, l)
	}
	return found
}

// insert puts a task into its account's line by arrival, usually at the end.
func (m *Machine) insert(t *task) {
	s, q := t.share, &m.queues[t.lane()]
	if !s.active() {
		s.spent = max(s.spent, m.virtual)
	}
	s.waiting++
	m.queued[t.lane()]++
	l := s.lines[t.lane()]
	if l == nil {
		l = &line{share: s}
		s.lines[t.lane()] = l
	}
	at, _ := find(l.tasks, t)
	l.tasks = slices.Insert(l.tasks, at, t)
	if len(l.tasks) == 1 {
		heap.Push(q, l)
	} else {
		heap.Fix(q, l.index)
	}
}

// remove takes a task out of its account's line.
func (m *Machine) remove(t *task) {
	q, l := &m.queues[t.lane()], t.share.lines[t.lane()]
	at, _ := find(l.tasks, t)
	if at == 0 {
		l.tasks[0] = nil
		l.tasks = l.tasks[1:]
	} else {
		l.tasks = slices.Delete(l.tasks, at, at+1)
	}
	t.share.waiting--
	m.queued[t.lane()]--
	if len(l.tasks) == 0 {
		heap.Remove(q, l.index)
		t.share.lines[t.lane()] = nil
	} else {
		heap.Fix(q, l.index)
	}
}

func find(tasks []*task, t *task) (at int, found bool) {
	return slices.BinarySearchFunc(tasks, t, func(a, b *task) int { return cmp.Compare(a.arrival, b.arrival) })
}

// shareOf returns the share of an account, whose weight may have changed.
func (m *Machine) shareOf(account events.AccountID, weight int) *share {
	s := m.shares[account]
	if s == nil {
		s = &share{last: firstCost}
		m.shares[account] = s
	}
	s.weight = max(1, weight)
	return s
}

// active reports whether the account has jobs that wait or are under way.
func (s *share) active() bool { return s.waiting > 0 || s.running != [pools]int{} }

// release forgets an account without such jobs.
func (m *Machine) release(account events.AccountID) {
	if s := m.shares[account]; s != nil && !s.active() {
		delete(m.shares, account)
	}
}

// charge counts a task that begins.
func (m *Machine) charge(t *task) {
	s := t.share
	m.virtual = max(m.virtual, s.spent)
	t.charged = s.last
	s.running[poolOf(t.lane())]++
	m.running[t.lane()]++
	m.spend(s, t.charged)
}

// settle replaces the estimate for a finished task by its actual cost.
func (m *Machine) settle(t *task, cost time.Duration) {
	s := t.share
	s.running[poolOf(t.lane())]--
	m.running[t.lane()]--
	s.last = max(cost, time.Millisecond)
	m.spend(s, cost-t.charged)
}

func (m *Machine) spend(s *share, cost time.Duration) {
	s.spent += cost / time.Duration(s.weight)
	for in, l := range s.lines {
		if l != nil {
			heap.Fix(&m.queues[in], l.index)
		}
	}
}
