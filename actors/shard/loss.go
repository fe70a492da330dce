package shard

import (
	"errors"
	"fmt"

	"platen.dev/events"
	"platen.dev/projections"
)

// Commands may be gone before they were decided: their retention has passed, or an operator
// deleted them, lost the newest, or created the topic again. None of them was replied to. If
// only the oldest are gone, the owner records the gap and continues. Otherwise the offsets of
// the commands no longer mean what they meant, and an operator must look first.

// errReplaced means that the topic of the commands is not the one that the journal is about.
var errReplaced = errors.New("the topic of the commands was created again")

// ErrStalled means that commands wait, and that none has been decided and read back for
// a long time, although the log answers.
var ErrStalled = errors.New("commands wait, and none was decided and read back")

// onSkipped puts a gap between the envelopes of the commands around it.
func (m *Machine) onSkipped(in Skipped) {
	if m.resigning {
		return
	}
	m.gap(in.From, in.To)
}

func (m *Machine) gap(from, to int64) {
	g := events.Gap{Epoch: m.owner.epoch, From: from, To: to, Commands: m.set.Commands}
	for _, e := range m.owner.TakeGap(g) {
		m.emit(Append{e})
	}
}

// halt stops deciding until the operator lets the partition continue.
func (m *Machine) halt(err error) {
	m.halted = true
	m.emit(Halt{err})
}

// replaced reports whether the topic of the commands is not the one that the journal is about.
func (m *Machine) replaced() bool { return m.cursor.Commands != m.set.Commands }

// onContinue resumes after a halt. A topic that was created again is read from its start; in
// one that has lost its newest commands, those that are left are decided already.
func (m *Machine) onContinue(in Continue) {
	if !m.halted || m.resigning {
		return
	}
	m.halted = false
	m.continuing = true
	to := in.End
	if m.replaced() {
		to = in.Start
	}
	m.gap(m.cursor.Cause+1, to)
}

// settleGap continues behind a gap that is part of the journal.
func (m *Machine) settleGap(g events.Gap) {
	if m.continuing {
		m.continuing = false
		m.read(g.To)
		return
	}
	m.emit(Credit{})
}

// stallLimit is the number of measurements in a row without progress, one every 5 seconds,
// after which an ownership has stalled. It takes longer than the log tries to append, so that
// brokers that take nothing for a while end an epoch, not the node. Time is not counted, because
// a process that was paused must be given time to continue.
const stallLimit = 12

// onMeasured ends an ownership that decides nothing although commands wait.
func (m *Machine) onMeasured(in Measured) {
	if m.halted || m.resigning || !m.owner.Active() {
		m.stall = projections.Stall{}
		return
	}
	if next := m.cursor.Cause + 1; m.stall.Check(next, in.End, stallLimit) {
		m.stop(fmt.Errorf("%w: command %d is next, the log ends at %d", ErrStalled, next, in.End))
	}
}
