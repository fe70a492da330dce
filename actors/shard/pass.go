package shard

import (
	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
)

// pass is one round over the unsettled jobs of the partition, in order of id, a page at a time. It begins the effects that they ask for, takes
// effects from nodes that are gone, and finds the oldest command still needed: by a job, or by the operator because it was set aside.
type pass struct {
	// takeOver is set if the last owner may not have begun the effects. Otherwise only lost ones are begun again.
	takeOver bool
	// urgent passes ask for the next page at once, others with the next tick.
	urgent bool
	// after is the last job of the last page; more is set if there may be others after it.
	after events.JobID
	more  bool
	// floor is the oldest command known to be needed so far.
	floor int64
	// blind is set once a job could not be read: the commands that it needs are unknown.
	blind bool
	// asked is set while a page is on its way. changed lists those of its jobs that have changed meanwhile; they are asked for once more, because the
	// page lacks what they now ask for.
	asked   bool
	changed map[events.JobID]bool
}

// look begins a pass. If one is under way, it hurries if the new one is urgent, and the new one follows.
func (m *Machine) look(p pass) {
	switch {
	case m.pass == nil:
		m.pass = &p
		m.pass.floor = m.cursor.Cause + 1 // no job that the pass does not see needs an earlier command
		m.ask()
	case m.following == nil:
		m.following = &p
		m.hurry(p.urgent)
	default:
		m.following.takeOver = m.following.takeOver || p.takeOver
		m.following.urgent = m.following.urgent || p.urgent
		m.hurry(p.urgent)
	}
}

func (m *Machine) hurry(urgent bool) {
	m.pass.urgent = m.pass.urgent || urgent
	if m.pass.urgent && !m.pass.asked {
		m.ask()
	}
}

// ask asks for the next page of the pass, or again for some jobs of the last one.
func (m *Machine) ask(again ...events.JobID) {
	m.pass.asked, m.pass.changed = true, map[events.JobID]bool{}
	if len(again) > 0 {
		m.emit(Scan{Again: again})
		return
	}
	m.emit(Scan{After: m.pass.after, Limit: m.set.PageJobs})
}

// noteChange notes the job that a decided command is about.
func (m *Machine) noteChange(body events.CommandBody) {
	if m.pass != nil && m.pass.asked && body != nil {
		if id, ok := events.Target(body); ok {
			m.pass.changed[id] = true
		}
	}
}

// onScanned looks at a page, and asks for the next one.
func (m *Machine) onScanned(in Scanned) {
	if m.resigning || m.pass == nil {
		return
	}
	m.pass.note(in)
	var again []events.JobID
	for _, j := range in.Jobs {
		if m.pass.changed[j.ID] {
			again = append(again, j.ID)
			continue
		}
		m.examine(j)
	}
	switch {
	case len(again) > 0:
		m.ask(again...)
	case !m.pass.more:
		m.endPass()
	case m.pass.urgent:
		m.ask()
	}
}

// note records how far a page takes the pass, and which commands its jobs need.
func (p *pass) note(in Scanned) {
	p.asked = false
	p.blind = p.blind || in.Unreadable != nil
	if !in.Again {
		p.after, p.more = in.Last, in.More
	}
	if in.HasQuarantined {
		p.floor = min(p.floor, in.Quarantined)
	}
	for _, j := range in.Jobs {
		if j.State.Active() {
			p.floor = min(p.floor, j.State.Content)
		}
	}
}

// Read reads what a Scan asks for. Every command set aside before the pass began has its row by now, unless it was dropped: the machine only knows
// what is folded.
func (s Scan) Read(rows account.Scanner, partition int32) (in Scanned, err error) {
	if len(s.Again) > 0 {
		in.Page, err = account.PageOf(rows, partition, s.Again)
		in.Again = true
		return in, err
	}
	in.Page, err = account.UnsettledPage(rows, partition, s.After, s.Limit)
	if err == nil && !in.More {
		in.Quarantined, in.HasQuarantined, err = account.OldestQuarantined(rows, partition)
	}
	return in, err
}

func (m *Machine) examine(j account.Job) {
	for _, e := range job.Pending(j.ID, j.State) {
		if m.pass.takeOver {
			m.begin(e)
		} else {
			m.emit(Resume{e})
		}
	}
	if h, held := job.Held(j.ID, j.State); held {
		m.loseIfGone(j.State.Account, h)
	}
}

// endPass deletes the commands that nobody needs any more: their outcomes are in the journal.
func (m *Machine) endPass() {
	if m.set.Trim && !m.pass.blind {
		m.emit(Trim{m.pass.floor})
	}
	following := m.following
	m.pass, m.following = nil, nil
	if following != nil {
		m.look(*following)
	}
}
