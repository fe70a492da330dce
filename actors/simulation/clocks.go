package simulation

import (
	"fmt"
	"time"

	"platen.dev/actors/clock"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// This file plays the clocks of machines. A machine may start with a clock that is days ahead, or with a right one that nothing confirms; its node
// goes by the time that a gate lets through. Gates do not see small errors.

// maxSkew bounds the clock errors that gates do not see: time passes in jumps here, too coarse for gates to settle.
const maxSkew = time.Hour

// clockFault is a fault in how nodes go by their clocks.
type clockFault struct {
	// believes makes a node believe its first clock.
	believes bool
	// hasty makes files live by a clock that is held.
	hasty bool
}

// startClock starts a node's clock. Sometimes it is days ahead, and sometimes unsynchronised.
func (n *node) startClock() {
	w := n.world
	n.wrong, n.kept = 0, !w.chance(20)
	if !n.kept && !w.newest().IsZero() && w.chance(50) { // a first record by a wrong clock proves a wrong time
		n.wrong = 25*time.Hour + time.Duration(w.rng.IntN(100))*time.Hour
	}
	steady, wall := n.readings()
	n.gate = clock.New(steady, wall)
	if !w.rules.Fault.clock.believes {
		n.gate.Begin(w.newest(), steady, wall)
	}
}

func (n *node) readings() (steady, wall time.Time) {
	return n.world.now.Time(), n.world.now.Add(n.wrong).Time()
}

// now is the time that the node goes by.
func (n *node) now() events.Instant {
	now, doubted := n.gate.Read(n.readings())
	if doubted {
		now = n.gate.Judge(clock.Testimony{Synchronised: n.kept})
	}
	return events.At(now).Add(n.skew)
}

// latest is the latest that true time may be, as far as the node knows.
func (n *node) latest() events.Instant {
	now := n.now()
	if n.world.rules.Fault.clock.hasty {
		return now
	}
	return events.At(n.gate.Latest()).Add(n.skew)
}

// mendClock synchronises a node's clock, which is right from now on.
func (n *node) mendClock() { n.wrong, n.kept, n.skew = 0, true, 0 }

// newest is the time of the newest record; zero if there is none.
func (w *world) newest() (newest time.Time) {
	for p := range w.journal {
		for i := len(w.journal[p]) - 1; i >= 0; i-- {
			if e, ok := w.journal[p][i].entry.(events.Envelope); ok {
				if at := e.At.Time(); at.After(newest) {
					newest = at
				}
				break
			}
		}
	}
	return newest
}

// taking names a command that an owner takes, to which a decision in the journal belongs.
type taking struct {
	partition    int32
	epoch, cause int64
}

// checkLives checks by true time that no file has expired too early.
func (v verdict) checkLives(p int32) error {
	done := map[events.JobID]events.Instant{}
	for _, entry := range v.accepted(p, newReplica()) {
		e, ok := entry.(events.Envelope)
		if !ok {
			continue
		}
		at := v.taken[taking{p, e.Epoch, e.Cause}]
		for _, ev := range e.Events {
			switch ev := ev.(type) {
			case events.JobDone:
				done[ev.Job] = at
			case events.FileExpired:
				if lived := at.Time().Sub(done[ev.Job].Time()); lived < contract.FileLife-2*maxSkew-time.Minute {
					return fmt.Errorf("the file of job %s has expired after %s", ev.Job, lived)
				}
			}
		}
	}
	return nil
}
