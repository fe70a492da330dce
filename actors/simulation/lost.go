package simulation

import (
	"maps"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
)

// checkLost checks that jobs are taken from nodes that are gone when owners learn of it, and from attempts that have ended, and
// not only when the attempt's deadline has passed.
func (w *world) checkLost() {
	excused := w.undecidedEnds()
	maps.Copy(excused, w.repeated)
	for p := range int32(partitions) {
		lost := w.hasGap(p)
		for _, n := range w.nodes {
			if r := n.replicas[p]; w.decided(p, r) {
				_ = account.EachJob(r.values, p, func(id events.JobID, s job.State) {
					w.checkHolder(id, s, lost || excused[s.Attempt])
				})
			}
		}
	}
}

// checkHolder checks that a node has the attempt that holds a job. That may have ended if the command that says so is lost, or a start
// is decided again after it.
func (w *world) checkHolder(id events.JobID, s job.State, lost bool) {
	if s.Phase != job.Rendering {
		return
	}
	n := w.node(s.Node)
	if n == nil {
		w.fail("job %s waits for its attempt on %s, which is gone", id, s.Node)
		return
	}
	if a := n.jobs.attempts[id]; !lost && (a == nil || a.id != s.Attempt) {
		w.fail("job %s waits for its attempt on %s, which has ended", id, s.Node)
	}
}

// hasGap reports whether commands of a partition were lost before an owner decided them.
func (w *world) hasGap(p int32) bool {
	for _, e := range w.accepted(p, newReplica()) {
		if _, ok := e.(events.Gap); ok {
			return true
		}
	}
	return false
}

// undecidedEnds are the attempts that have sent what ends them, and no owner can decide it.
func (w *world) undecidedEnds() map[events.AttemptID]bool {
	all := map[events.AttemptID]bool{}
	for id, c := range w.sent {
		if !w.undecidable(id) {
			continue
		}
		switch b := c.Body.(type) {
		case events.FinishRender:
			all[b.Attempt] = true
		case events.FailRender:
			all[b.Attempt] = true
		case events.LoseRender:
			all[b.Attempt] = true
		}
	}
	return all
}
