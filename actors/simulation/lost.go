package simulation

import (
	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
)

// lost looks for jobs that nobody renders.
type lost struct {
	world *world
	// excused are attempts that may end while still holding a job: a command of theirs reached the log a second time, after later ones, or no owner can
	// decide the command that ends them.
	excused map[events.AttemptID]bool
}

func newLost(w *world) *lost { return &lost{w, map[events.AttemptID]bool{}} }

// excuse notes an attempt one of whose commands reaches the log a second time.
func (l *lost) excuse(id events.AttemptID) { l.excused[id] = true }

// check checks that jobs are taken from nodes that are gone as soon as owners learn of it, and from attempts that have ended, not only after the
// attempt's deadline.
func (l *lost) check() {
	l.excuseUndecided()
	for p := range int32(partitions) {
		gap := l.hasGap(p)
		for _, n := range l.world.nodes {
			r := n.replicas[p]
			known := !gap && l.world.decided(p, r)
			_ = account.EachJob(r.values, p, func(id events.JobID, s job.State) {
				if s.Phase == job.Rendering {
					l.checkHolder(id, s, known && !l.excused[s.Attempt])
				}
			})
		}
	}
}

// checkHolder checks that the node whose attempt holds a job is up and, if everything that the attempt sent is known, that it has the attempt.
func (l *lost) checkHolder(id events.JobID, s job.State, known bool) {
	n := l.world.node(s.Node)
	if n == nil {
		l.world.fail("job %s waits for its attempt on %s, which is gone", id, s.Node)
		return
	}
	if a := n.jobs.attempts[id]; known && (a == nil || a.id != s.Attempt) {
		l.world.fail("job %s waits for its attempt on %s, which has ended", id, s.Node)
	}
}

// hasGap reports whether commands of a partition were lost before an owner decided them.
func (l *lost) hasGap(p int32) bool {
	for _, e := range l.world.accepted(p, newReplica()) {
		if _, ok := e.(events.Gap); ok {
			return true
		}
	}
	return false
}

// excuseUndecided excuses the attempts whose final command no owner can decide.
func (l *lost) excuseUndecided() {
	for id, c := range l.world.sent {
		if !l.world.undecidable(id) {
			continue
		}
		switch b := c.Body.(type) {
		case events.FinishRender:
			l.excuse(b.Attempt)
		case events.FailRender:
			l.excuse(b.Attempt)
		case events.LoseRender:
			l.excuse(b.Attempt)
		}
	}
}
