package shard

import (
	"fmt"
	"slices"
	"strings"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
)

// Settings are what a Machine is told at its start.
type Settings struct {
	Node    events.NodeID
	Version string
	// Window is how many commands may be under way between command log and journal.
	Window int
	// Alive reports whether a node is up at the moment of the input.
	Alive func(events.NodeID) bool
	// PassiveAfter is after how many ticks without a command an account's actor ends,
	// SendAgain after how many a command of the owner's own that was not decided is sent again.
	PassiveAfter, SendAgain int
	// TrimEvery is how many ticks lie between two trims of the commands that no job needs
	// any more; zero for none.
	TrimEvery int
}

// Machine is one ownership of one partition: everything that its owner decides,
// without actors, clock or I/O. It takes one input at a time and gives the outputs that
// follow from it. The actor Host drives it in production, actors/simulation through
// random schedules. The epoch protocol itself is Owner; what is around it is here:
// replies, effects, take-over, wakes, trims and the end.
type Machine struct {
	set      Settings
	owner    *Owner
	accounts map[events.AccountID]*resident
	// own are the commands of the owner's own that were sent and not decided yet.
	own   map[events.CommandBody]*ownCommand
	ticks int
	// folded is the cause of the last accepted envelope that the machine was told of.
	folded    int64
	resigning bool
	stopped   bool
	out       []Output
}

// resident is an account with an actor.
type resident struct {
	inFlight int // commands not yet committed
	lastUsed int // tick
}

// ownCommand is a command of the owner's own, which may get lost on its way to the log.
type ownCommand struct {
	account events.AccountID
	sentAt  int // tick
}

// NewMachine makes the machine of an ownership that has not begun.
func NewMachine(set Settings) *Machine {
	return &Machine{
		set: set, owner: NewOwner(), folded: -1,
		accounts: map[events.AccountID]*resident{}, own: map[events.CommandBody]*ownCommand{},
	}
}

// Epoch is the offset of the owner's marker, -1 before it is known.
func (m *Machine) Epoch() int64 { return m.owner.epoch }

// Active reports whether the owner decides commands.
func (m *Machine) Active() bool { return m.owner.Active() }

// Waiting is how many commands have been taken and not yet read back.
func (m *Machine) Waiting() int { return m.owner.Waiting() }

// Step takes an input. After a Stop, it ignores everything.
func (m *Machine) Step(in Input) []Output {
	m.out = nil
	if m.stopped {
		return nil
	}
	switch in := in.(type) {
	case Announce:
		m.emit(Append{events.Marker{Owner: m.set.Node, Version: m.set.Version}})
	case Announced:
		m.onAnnounced(in)
	case Arrived:
		m.onArrived(in)
	case Decided:
		m.onDecided(in)
	case Folded:
		m.onFolded(in)
	case Scanned:
		m.onScanned(in)
	case Ticked:
		m.onTicked(in)
	case NodeGone:
		if m.owner.Active() {
			m.emit(Scan{ForLost})
		}
	case Resign:
		m.onResign()
	case Failed:
		m.stop(in.Err)
	}
	return m.out
}

func (m *Machine) emit(o Output) { m.out = append(m.out, o) }

// stop ends the ownership. One that resigns has withdrawn its effects already: those
// asked for since are the next owner's, which may be of the same node.
func (m *Machine) stop(err error) {
	m.stopped = true
	if !m.resigning {
		m.emit(ForgetAll{})
	}
	m.emit(Stop{err})
}

func (m *Machine) onAnnounced(in Announced) {
	m.owner.Announced(in.Offset)
	m.activate(in.Cursor)
}

// activate begins to decide once the replica has read the marker.
func (m *Machine) activate(cursor projections.Cursor) {
	next, ready, err := m.owner.Activate(cursor)
	switch {
	case err != nil:
		m.stop(err)
	case ready:
		m.folded = cursor.Cause
		m.emit(Activate{From: next, Window: m.set.Window})
		m.emit(Scan{ForTakeOver})
	}
}

// onArrived has a command decided. One that cannot be read is passed over by an
// envelope that says nothing else.
func (m *Machine) onArrived(in Arrived) {
	if m.resigning {
		return
	}
	m.owner.Take(in.Cause, in.Command)
	if in.Command.Body == nil {
		m.onDecided(Decided{Cause: in.Cause})
		return
	}
	r, ok := m.accounts[in.Command.Account]
	if !ok {
		r = &resident{}
		m.accounts[in.Command.Account] = r
	}
	r.inFlight++
	r.lastUsed = m.ticks
	m.emit(Decide{in.Cause, in.Command})
}

func (m *Machine) onDecided(in Decided) {
	for _, e := range m.owner.Decided(in.Cause, in.Decision) {
		m.emit(Append{e})
	}
}

// onFolded settles what was read back, in order.
func (m *Machine) onFolded(in Folded) {
	for _, step := range in.Steps {
		outcome, ours, err := m.owner.ReadBack(step)
		if err != nil {
			m.stop(err)
			return
		}
		if ours {
			m.settle(outcome)
		}
	}
	m.folded = max(m.folded, in.Cursor.Cause)
	if !m.owner.Active() {
		m.activate(in.Cursor)
	}
	m.stopIfResigned()
}

// settle does what an envelope of this owner, now part of the journal for good, asks for.
func (m *Machine) settle(o Outcome) {
	m.emit(Credit{})
	if r, ok := m.accounts[o.Command.Account]; ok && o.Command.Body != nil {
		r.inFlight--
		m.emit(Commit{o.Command.Account, o.Cause})
	}
	switch b := o.Command.Body.(type) {
	case events.WakeJob, events.LoseRender:
		delete(m.own, b)
	}
	if to := o.Command.ReplyTo; to != nil && o.Decision.Reply != nil {
		m.emit(Reply{*to, Answer{o.Command.ID, *o.Decision.Reply}})
	}
	for _, key := range o.Decision.Forget {
		m.emit(Forget{key})
	}
	for _, e := range o.Decision.Begin {
		m.emit(Begin{e})
	}
	if h := o.Decision.Held; h != nil {
		m.loseIfGone(o.Command.Account, *h)
	}
}

// loseIfGone takes an effect from a node that is gone. That may be so already when the
// node's own command about it is decided: nobody else would notice.
func (m *Machine) loseIfGone(id events.AccountID, h job.Hold) {
	if !m.set.Alive(h.Node) {
		m.send(id, h.Lose)
	}
}

// send sends a command of the owner's own, unless the same one is under way.
func (m *Machine) send(id events.AccountID, body events.CommandBody) {
	if _, sent := m.own[body]; !sent {
		m.own[body] = &ownCommand{id, m.ticks}
		m.emit(Send{id, body})
	}
}

func (m *Machine) onScanned(in Scanned) {
	if in.For == ForTrim {
		m.trim(in.Jobs)
		return
	}
	for _, j := range in.Jobs {
		if in.For == ForTakeOver {
			for _, e := range job.Pending(j.ID, j.State) {
				m.emit(Begin{e})
			}
		}
		if h, held := job.Held(j.ID, j.State); held {
			m.loseIfGone(j.State.Account, h)
		}
	}
}

// trim forgets the commands below the content that jobs under way still need: what
// they changed is in the journal. The jobs were scanned after folded was known, so none
// whose command is above it can be missing.
func (m *Machine) trim(open []account.Job) {
	floor := m.folded + 1
	for _, j := range open {
		if j.State.Active() {
			floor = min(floor, j.State.Content)
		}
	}
	m.emit(Trim{floor})
}

// onTicked wakes the jobs that are due and retires the accounts that nobody uses.
func (m *Machine) onTicked(in Ticked) {
	m.ticks++
	m.sendAgain()
	for _, ref := range in.Due {
		m.send(ref.Account, events.WakeJob{Job: ref.Job})
	}
	m.retire()
	if m.set.TrimEvery > 0 && m.ticks%m.set.TrimEvery == 0 {
		m.emit(Scan{ForTrim})
	}
}

// sendAgain sends the commands again that were not decided in time. A copy too many
// changes nothing.
func (m *Machine) sendAgain() {
	var late []Send
	for body, c := range m.own {
		if m.ticks-c.sentAt >= m.set.SendAgain {
			c.sentAt = m.ticks
			late = append(late, Send{c.account, body})
		}
	}
	slices.SortFunc(late, func(a, b Send) int { // the same outputs for the same inputs
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	for _, s := range late {
		m.emit(s)
	}
}

func (m *Machine) retire() {
	var passive []events.AccountID
	for id, r := range m.accounts {
		if r.inFlight == 0 && m.ticks-r.lastUsed > m.set.PassiveAfter {
			passive = append(passive, id)
		}
	}
	slices.Sort(passive) // the same outputs for the same inputs
	for _, id := range passive {
		delete(m.accounts, id)
		m.emit(Retire{id})
	}
}

// onResign takes no more commands, and stops once those taken are read back.
func (m *Machine) onResign() {
	m.resigning = true
	m.emit(ForgetAll{})
	m.emit(StopReading{})
	m.stopIfResigned()
}

func (m *Machine) stopIfResigned() {
	if m.resigning && m.owner.Waiting() == 0 && !m.stopped {
		m.stop(nil)
	}
}
