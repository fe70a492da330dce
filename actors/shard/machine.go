package shard

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
)

// Settings are the parameters of a Machine.
type Settings struct {
	Node    events.NodeID
	Version string
	// Window is the maximal number of commands under way between the command log and the
	// journal.
	Window int
	// Alive reports whether a node is up now.
	Alive func(events.NodeID) bool
	// PassiveAfter is the number of ticks without a command after which an account's
	// actor ends. SendAgain is the number of ticks after which an undecided command of
	// the owner's own is sent again.
	PassiveAfter, SendAgain int
	// SetAsideAgain is SendAgain for a command that was set aside.
	SetAsideAgain int
	// Trim has the machine trim the commands that no job needs any more.
	Trim bool
	// SweepEvery is the number of ticks between two passes over the unsettled jobs, zero for none; PageJobs is the length of their pages. A pass that
	// nobody waits for takes a page per tick.
	SweepEvery, PageJobs int
	// Commands identifies the topic of the commands.
	Commands events.TopicID
	// Level is the initial feature level of a partition without history.
	Level events.Level
	// MeasureEvery is the number of ticks between two looks for a stall.
	MeasureEvery int
}

// Machine is one ownership of one partition: everything that its owner decides, without actors, clock or I/O. It takes one input at a time and
// returns the outputs that follow. The actor Host drives it in production, and actors/simulation drives it through random schedules. Owner implements
// the epoch protocol; Machine adds replies, effects, take-over, wakes, trims and the end.
type Machine struct {
	set      Settings
	owner    *Owner
	accounts map[events.AccountID]*resident
	// own holds the owner's own commands that were sent but are not yet decided. Their types are comparable.
	own   map[events.CommandBody]*ownCommand
	ticks int
	// cursor is how far the machine knows the replica to have read, and next the command to begin with.
	cursor projections.Cursor
	next   int64
	// stamped is the time of the last decision.
	stamped events.Instant
	// halted is set while commands are lost and the operator has not said to continue.
	halted bool
	// continuing is set while the gap after a halt is on its way.
	continuing bool
	// pass is the pass over the unsettled jobs that is under way, following the one after it; nil for none.
	pass, following *pass
	stall           projections.Stall
	resigning       bool
	stopped         bool
	out             []Output
}

// resident is an account with an actor.
type resident struct {
	inFlight int // commands without a Commit
	lastUsed int // tick
}

// ownCommand is a command that the owner itself sends. It may get lost on its way to the
// log.
type ownCommand struct {
	account events.AccountID
	again   int // the tick at which it is sent again
}

// NewMachine returns the machine of an ownership that has not begun.
func NewMachine(set Settings) *Machine {
	return &Machine{
		set: set, owner: NewOwner(), cursor: projections.Origin(),
		accounts: map[events.AccountID]*resident{}, own: map[events.CommandBody]*ownCommand{},
	}
}

// Epoch returns the offset of the owner's marker, or -1 before it is known.
func (m *Machine) Epoch() int64 { return m.owner.epoch }

// Active reports whether the owner decides commands.
func (m *Machine) Active() bool { return m.owner.Active() }

// Waiting returns the number of commands taken but not yet read back.
func (m *Machine) Waiting() int { return m.owner.Waiting() }

// Step takes an input and returns what to do. After a Stop it ignores every input.
func (m *Machine) Step(in Input) []Output {
	m.out = nil
	if m.stopped {
		return nil
	}
	switch in := in.(type) {
	case Announce:
		m.onAnnounce(in)
	case Announced:
		m.onAnnounced(in)
	case Looked:
		m.onLooked(in)
	case Arrived:
		m.onArrived(in)
	case Skipped:
		m.onSkipped(in)
	case Lost:
		m.halt(in.Err)
	case Continue:
		m.onContinue(in)
	case Measured:
		m.onMeasured(in)
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
			m.look(pass{urgent: true})
		}
	case Resign:
		m.onResign()
	case Abandoned:
		m.end()
	case Failed:
		m.stop(in.Err)
	}
	return m.out
}

func (m *Machine) emit(o Output) { m.out = append(m.out, o) }

// stop ends the ownership and its actor.
func (m *Machine) stop(err error) {
	m.end()
	m.emit(Stop{err})
}

// end ends the ownership. A resigning owner has already withdrawn its effects: any begun since are the next owner's, which may be on the same node.
func (m *Machine) end() {
	m.stopped = true
	if !m.resigning {
		m.emit(ForgetAll{})
	}
}

func (m *Machine) onAnnounce(in Announce) {
	m.announce(in.Timeline, in.Now, 0)
}

func (m *Machine) announce(timeline events.TimelineID, now events.Instant, published int64) {
	m.emit(Append{events.Marker{
		Owner: m.set.Node, Version: m.set.Version, Commands: m.set.Commands, Level: m.set.Level,
		Timeline: timeline, At: now, Published: published,
	}})
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
		m.cursor = cursor
		if m.replaced() {
			m.halt(fmt.Errorf("%w: the journal is about %s, the log has %s", errReplaced, cursor.Commands, m.set.Commands))
			return
		}
		m.decideFrom(next)
	}
}

// decideFrom begins to read commands at a position, after a look at the public events if there may be any.
func (m *Machine) decideFrom(next int64) {
	m.next = next
	if m.cursor.Timeline == "" {
		m.read(next)
		return
	}
	m.emit(Look{})
}

// onLooked begins to read commands, unless facts were published that the journal lacks: then the journal has lost its end, and another marker begins
// a new timeline; or all of it, and the operator must look.
func (m *Machine) onLooked(in Looked) {
	switch {
	case m.resigning:
	case m.emptied(in):
		m.halt(fmt.Errorf(
			"%w, and public events up to number %d tell of a former one: the commands up to %d would be decided, and their jobs charged, once more",
			errEmptied, in.Published, in.End-1))
	case in.Published > m.cursor.Number:
		m.owner = NewOwner()
		m.announce(in.Timeline, in.Now, in.Published)
	default:
		m.read(m.next)
	}
}

// read begins to read commands.
func (m *Machine) read(from int64) {
	m.emit(Activate{From: from, Window: m.set.Window})
	m.look(pass{takeOver: true, urgent: true})
}

// onArrived has a command decided. An unreadable command gets an empty envelope.
func (m *Machine) onArrived(in Arrived) {
	if m.resigning {
		return
	}
	in.Command.At, in.Command.Latest = m.stamp(in.Now), in.Latest
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

// maxAhead is how far the time of decisions may run ahead of the owner's clock so as not to decrease: the clocks of owners differ a little.
const maxAhead = time.Second

// stamp returns the time of a decision. It is at most maxAhead away from the owner's clock, whatever the clocks of the sender and of earlier owners
// said.
func (m *Machine) stamp(now events.Instant) events.Instant {
	m.stamped = max(now, min(max(m.stamped, m.cursor.At), now.Add(maxAhead)))
	return m.stamped
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
	if in.Cursor.Next > m.cursor.Next { // the cursor was ahead of the notices when the owner became active
		m.cursor = in.Cursor
	}
	if !m.owner.Active() {
		m.activate(in.Cursor)
	}
	m.stopIfResigned()
}

// settle acts on an envelope of this owner that is now part of the journal for good.
func (m *Machine) settle(o Outcome) {
	if o.Gap != nil {
		m.settleGap(*o.Gap)
		return
	}
	m.emit(Credit{})
	if r, ok := m.accounts[o.Command.Account]; ok && o.Command.Body != nil {
		r.inFlight--
		m.emit(Commit{o.Command.Account, o.Cause})
	}
	m.noteChange(o.Command.Body)
	m.received(o.Command.Body, o.Decision.SetAside != "")
	if to := o.Command.ReplyTo; to != nil && o.Decision.Reply != nil {
		m.emit(Reply{*to, CommandReply{o.Command.ID, *o.Decision.Reply}})
	}
	if job, ok := o.Command.Body.(events.SubmitJob); ok && job.Trace.Sampled && o.Decision.Reply != nil {
		m.emit(Traced{o.Command, job, *o.Decision.Reply})
	}
	for _, key := range o.Decision.Forget {
		m.emit(Forget{key})
	}
	for _, e := range o.Decision.Begin {
		m.begin(e)
	}
	if h := o.Decision.Held; h != nil {
		m.loseIfGone(o.Command.Account, *h)
	}
}

// begin begins an effect, unless it is left to the next owner.
func (m *Machine) begin(e job.Effect) {
	if !m.resigning {
		m.emit(Begin{e})
	}
}

// loseIfGone takes an effect from a node that is gone. The node may be gone before its own command about the effect is decided, and nobody else would
// notice.
func (m *Machine) loseIfGone(id events.AccountID, h job.Hold) {
	if !m.set.Alive(h.Node) {
		m.send(id, h.Lose)
	}
}

// send sends one of the owner's own commands, unless the same one is under way.
func (m *Machine) send(id events.AccountID, body events.CommandBody) {
	if _, sent := m.own[body]; !sent {
		m.own[body] = &ownCommand{id, m.ticks + m.set.SendAgain}
		m.emit(Send{id, body})
	}
}

// received notes that a command was decided, or set aside: otherwise the owner would send that one again at once, forever. The owner itself sends
// only comparable commands.
func (m *Machine) received(body events.CommandBody, setAside bool) {
	if body == nil || !reflect.TypeOf(body).Comparable() {
		return
	}
	if c, own := m.own[body]; own && setAside {
		c.again = m.ticks + m.set.SetAsideAgain
		return
	}
	delete(m.own, body)
}

// onTicked wakes the jobs that are due and ends the actors of idle accounts.
func (m *Machine) onTicked(in Ticked) {
	m.ticks++
	if m.halted || m.resigning {
		return
	}
	if m.set.MeasureEvery > 0 && m.ticks%m.set.MeasureEvery == 0 {
		m.emit(Measure{})
	}
	m.sendAgain()
	for _, ref := range in.Due {
		m.send(ref.Account, events.WakeJob{Job: ref.Job})
	}
	m.retire()
	switch {
	case m.pass != nil && !m.pass.asked:
		m.ask()
	case m.pass == nil && m.set.SweepEvery > 0 && m.ticks%m.set.SweepEvery == 0:
		m.look(pass{})
	}
}

// sendAgain repeats the commands that were not decided in time. A duplicate changes nothing.
func (m *Machine) sendAgain() {
	var late []Send
	for body, c := range m.own {
		if m.ticks >= c.again {
			c.again = m.ticks + m.set.SendAgain
			late = append(late, Send{c.account, body})
		}
	}
	slices.SortFunc(late, func(a, b Send) int { // equal inputs must give equal outputs
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
	slices.Sort(passive) // equal inputs must give equal outputs
	for _, id := range passive {
		delete(m.accounts, id)
		m.emit(Retire{id})
	}
}

// onResign stops taking commands. The ownership ends once those taken are read back.
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
