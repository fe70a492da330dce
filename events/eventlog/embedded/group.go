package embedded

import (
	"slices"
	"sync"

	"platen.dev/events/eventlog"
)

// groups holds the consumer groups of this process. There are no others, because the directory is
// locked.
type groups struct {
	mu     sync.Mutex
	open   map[groupName]*group
	closed bool
}

type groupName struct{ group, topic string }

// Own implements eventlog.Log. All calls to the owners of one group come from one
// goroutine: a partition is revoked from one member before it is assigned to another.
// An owner must not call Close of a membership.
func (l *Log) Own(name, topic string, owner eventlog.Owner) (eventlog.Membership, error) {
	if l.readOnly {
		return nil, eventlog.ErrReadOnly
	}
	if _, err := l.partition(topic, 0); err != nil {
		return nil, err
	}
	g, err := l.groups.get(groupName{name, topic}, l.partitions)
	if err != nil {
		return nil, err
	}
	m := &member{group: g, owner: owner}
	if !g.send(func() { g.join(m) }) {
		return nil, eventlog.ErrClosed
	}
	return m, nil
}

// get returns a group, starting it if necessary.
func (gs *groups) get(name groupName, partitions int32) (*group, error) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	if gs.closed {
		return nil, eventlog.ErrClosed
	}
	g, ok := gs.open[name]
	if !ok {
		g = &group{calls: make(chan func()), stop: make(chan struct{}), ended: make(chan struct{})}
		for i := range partitions {
			g.free = append(g.free, i)
		}
		gs.open[name] = g
		go g.run()
	}
	return g, nil
}

// close ends every group and revokes what its members hold.
func (gs *groups) close() {
	gs.mu.Lock()
	gs.closed = true
	gs.mu.Unlock()
	for _, g := range gs.open { // cannot change any more: closed is set
		close(g.stop)
		<-g.ended
	}
}

// group shares the partitions of a topic among its members. Only its goroutine uses
// members and free; groups.close ends it.
type group struct {
	members []*member // in order of joining
	free    []int32   // held by no member
	calls   chan func()
	stop    chan struct{}
	ended   chan struct{}
}

// member is one Membership.
type member struct {
	group  *group
	owner  eventlog.Owner
	held   []int32
	leave  sync.Once
	target int // during a rebalance: how many partitions it should hold
}

var _ eventlog.Membership = (*member)(nil)

// Close implements eventlog.Membership.
func (m *member) Close() error {
	m.leave.Do(func() {
		left := make(chan struct{})
		if m.group.send(func() { m.group.leave(m); close(left) }) {
			<-left
			m.group.send(m.group.balance)
		}
	})
	return nil
}

func (g *group) run() {
	defer close(g.ended)
	for {
		select {
		case call := <-g.calls:
			call()
		case <-g.stop:
			for _, m := range g.members {
				g.revoke(m, len(m.held))
			}
			return
		}
	}
}

// send runs f on the group's goroutine. It reports false if that has ended.
func (g *group) send(f func()) bool {
	select {
	case g.calls <- f:
		return true
	case <-g.ended:
		return false
	}
}

func (g *group) join(m *member) {
	g.members = append(g.members, m)
	g.balance()
}

func (g *group) leave(m *member) {
	g.members = slices.DeleteFunc(g.members, func(other *member) bool { return other == m })
	g.revoke(m, len(m.held))
}

// balance gives each member an equal share, with one more for those that hold most, and moves no
// partition needlessly.
func (g *group) balance() {
	g.setTargets()
	for _, m := range g.members {
		if surplus := len(m.held) - m.target; surplus > 0 {
			g.revoke(m, surplus)
		}
	}
	for _, m := range g.members {
		if missing := m.target - len(m.held); missing > 0 {
			g.assign(m, missing)
		}
	}
}

func (g *group) setTargets() {
	if len(g.members) == 0 {
		return
	}
	total := len(g.free)
	for _, m := range g.members {
		total += len(m.held)
	}
	byHeld := slices.Clone(g.members) // those that hold most first
	slices.SortStableFunc(byHeld, func(a, b *member) int { return len(b.held) - len(a.held) })
	for i, m := range byHeld {
		m.target = total / len(byHeld)
		if i < total%len(byHeld) {
			m.target++
		}
	}
}

// revoke takes the last n partitions from m.
func (g *group) revoke(m *member, n int) {
	if n == 0 {
		return
	}
	keep := len(m.held) - n
	taken := slices.Clone(m.held[keep:])
	m.held = m.held[:keep]
	m.owner.Revoked(slices.Clone(taken))
	g.free = append(g.free, taken...)
}

// assign gives the first n free partitions to m.
func (g *group) assign(m *member, n int) {
	given := slices.Clone(g.free[:n])
	g.free = slices.Delete(g.free, 0, n)
	m.held = append(m.held, given...)
	m.owner.Assigned(slices.Clone(given))
}
