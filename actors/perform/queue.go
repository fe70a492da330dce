package perform

import (
	"slices"

	"platen.dev/events"
)

// Limits bound the effects under way. Zero means no limit.
type Limits struct{ Total, PerAccount, PerHost int }

// place is a line in which effects wait: those of one account for one host.
type place struct {
	account events.AccountID
	host    string
}

// queue decides which effect is next. The lines take turns, so that an account with many effects,
// or a slow host, holds up nobody else.
type queue struct {
	limits  Limits
	lines   map[place][]*effect
	turns   []place // those of lines, the next one first
	total   int
	account map[events.AccountID]int // under way
	host    map[string]int           // under way; "" is not counted
}

func newQueue(l Limits) *queue {
	return &queue{limits: l, lines: map[place][]*effect{}, account: map[events.AccountID]int{}, host: map[string]int{}}
}

func (q *queue) add(e *effect) {
	if _, waits := q.lines[e.place]; !waits {
		q.turns = append(q.turns, e.place)
	}
	q.lines[e.place] = append(q.lines[e.place], e)
}

// next returns the effect to begin, or nil if none may begin. It drops forgotten effects.
func (q *queue) next() *effect {
	if q.limits.Total > 0 && q.total >= q.limits.Total {
		return nil
	}
	for i := 0; i < len(q.turns); i++ {
		at := q.turns[i]
		line := q.lines[at]
		for len(line) > 0 && line[0].forgotten {
			line = line[1:]
		}
		if len(line) > 0 && !q.may(at) {
			q.lines[at] = line
			continue
		}
		q.turns = slices.Delete(q.turns, i, i+1)
		if len(line) == 0 {
			delete(q.lines, at)
			i--
			continue
		}
		q.rest(at, line[1:])
		q.count(at, 1)
		return line[0]
	}
	return nil
}

// rest puts the rest of a line at the end of the turns.
func (q *queue) rest(at place, line []*effect) {
	if len(line) == 0 {
		delete(q.lines, at)
		return
	}
	q.lines[at] = line
	q.turns = append(q.turns, at)
}

func (q *queue) may(at place) bool {
	below := func(n, limit int) bool { return limit == 0 || n < limit }
	return below(q.account[at.account], q.limits.PerAccount) &&
		(at.host == "" || below(q.host[at.host], q.limits.PerHost))
}

// done frees the room of an effect that next returned.
func (q *queue) done(e *effect) { q.count(e.place, -1) }

func (q *queue) count(at place, n int) {
	q.total += n
	if q.account[at.account] += n; q.account[at.account] == 0 {
		delete(q.account, at.account)
	}
	if at.host == "" {
		return
	}
	if q.host[at.host] += n; q.host[at.host] == 0 {
		delete(q.host, at.host)
	}
}
