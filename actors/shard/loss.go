package shard

import (
	"errors"
	"fmt"

	"platen.dev/events"
	"platen.dev/projections"
)

// Commands may be lost before they are decided: their retention has passed, or an operator deleted
// them, lost the newest, or re-created the topic. None of them got a reply. If only the oldest are
// lost, the owner records the gap and continues. Otherwise the offsets of the commands no longer
// mean what they did, and an operator must look first. The same holds if the journal is lost: jobs
// that have been done and charged would be done and charged again, on accounts that begin anew.

// errReplaced means that the journal is about another topic of commands than the present one.
var errReplaced = errors.New("the topic of the commands was created again")

// errEmptied means that the journal has lost everything: whatever is decided now is decided a second time.
var errEmptied = errors.New("the journal is empty")

// ErrStalled means that commands wait although the log answers, and that none has been decided and
// read back for a long time.
var ErrStalled = errors.New("commands are waiting, but none has been decided and read back")

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

// replaced reports whether the journal is about another topic of commands than the present one.
func (m *Machine) replaced() bool { return m.cursor.Commands != m.set.Commands }

// emptied reports whether the journal has lost everything: it has no decision, and public events report some. A new partition has neither.
func (m *Machine) emptied(in Looked) bool {
	return m.cursor.Cause < 0 && in.Published > m.cursor.Number && in.End > 0
}

// onContinue resumes after a halt. A re-created topic is read from its start; in one that has lost
// its newest commands, the remaining ones are already decided.
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

// settleGap continues after a gap that is now part of the journal.
func (m *Machine) settleGap(g events.Gap) {
	if m.continuing {
		m.continuing = false
		m.decideFrom(g.To)
		return
	}
	m.emit(Credit{})
}

// stallLimit is the number of consecutive measurements without progress, one every 5 seconds, after
// which an ownership has stalled. That is longer than the log's append timeout, so that brokers
// that accept nothing for a while end an epoch, not the node. It does not measure time, because a
// process that was paused must be given time to continue.
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
