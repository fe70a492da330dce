package simulation

import (
	"slices"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/projections"
)

// run is one ownership: shard.Host without its mailboxes.
type run struct {
	node      *node
	partition int32
	owner     *shard.Owner
	announced bool
	next      int64
	progress  []projections.Step
	// outbox is the producer's queue: it leaves in order, and stops at a failure.
	outbox   []outgoing
	accounts map[events.AccountID]*resident
	waking   map[events.JobID]bool
}

// outgoing is a journal record under way; what a mutant does on acknowledgement is in acked.
type outgoing struct {
	value []byte
	acked func()
}

// resident is an account's actor: its mailbox holds commands to decide and
// causes that were committed.
type resident struct {
	aggregate *account.Aggregate
	mailbox   []letter
}

type letter struct {
	cause     int64
	command   events.Command
	committed bool
}

func newRun(n *node, p int32) *run {
	r := &run{node: n, partition: p, owner: shard.NewOwner(), accounts: map[events.AccountID]*resident{}, waking: map[events.JobID]bool{}}
	r.post(events.Marker{Owner: n.id}, nil)
	return r
}

func (r *run) post(entry events.Entry, acked func()) {
	value, err := events.EncodeEntry(entry)
	if err != nil {
		panic(err)
	}
	r.outbox = append(r.outbox, outgoing{value, acked})
}

// flushOne lets the head of the outbox reach the journal.
func (r *run) flushOne() {
	if len(r.outbox) == 0 {
		return
	}
	w := r.node.world
	head := r.outbox[0]
	r.outbox = r.outbox[1:]
	w.journal[r.partition] = append(w.journal[r.partition], head.value)
	if !r.announced {
		r.announced = true
		r.owner.Announced(int64(len(w.journal[r.partition])) - 1)
	}
	if head.acked != nil {
		head.acked()
	}
}

// flushSome is what becomes of the outbox when its process ends.
func (r *run) flushSome() {
	for range r.node.world.rng.IntN(len(r.outbox) + 1) {
		r.flushOne()
	}
	r.outbox = nil
}

// step lets one random thing of the host happen.
func (r *run) step() {
	switch r.node.world.rng.IntN(12) {
	case 0, 1, 2:
		r.flushOne()
	case 3, 4:
		r.handleProgress()
	case 5, 6:
		r.take()
	case 7, 8, 9:
		r.letterOf(r.node.world.rng.IntN(1 << 16))
	case 10:
		r.tick()
	default:
		if r.node.world.chance(5) { // an append fails, and those behind it
			r.giveUp()
		}
	}
}

func (r *run) drain() {
	for range 1000 {
		before := len(r.outbox) + len(r.progress) + int(r.next)
		for len(r.outbox) > 0 && r.live() {
			r.flushOne()
		}
		r.node.fold(r.partition, 1<<30)
		for len(r.progress) > 0 && r.live() {
			r.handleProgress()
		}
		for r.take() {
		}
		for r.letterOf(0) {
		}
		if !r.live() || before == len(r.outbox)+len(r.progress)+int(r.next) && len(r.outbox) == 0 {
			break
		}
	}
	if r.live() {
		r.tick()
	}
}

// live tells whether the run is still its node's.
func (r *run) live() bool { return r.node.runs[r.partition] == r }

// giveUp ends the run and begins another, as the supervisor of a held partition does.
func (r *run) giveUp() {
	r.node.resign(r.partition)
	r.node.own(r.partition)
}

// handleProgress is Host.onProgress for one step.
func (r *run) handleProgress() {
	if !r.owner.Active() {
		r.activate()
	}
	if len(r.progress) == 0 || !r.live() {
		return
	}
	step := r.progress[0]
	r.progress = r.progress[1:]
	if _, marker := step.Entry.(events.Marker); marker && r.node.world.rules.IgnoreMarkers {
		return
	}
	outcome, ours, err := r.owner.ReadBack(step)
	if err != nil {
		r.node.drop(r.partition)
		r.node.runs[r.partition] = nil // superseded; who still holds the partition announces itself again
		r.flushSome()
		if r.node.held[r.partition] {
			r.node.own(r.partition)
		}
		return
	}
	if ours {
		r.settle(outcome)
	}
}

func (r *run) activate() {
	cursor := r.node.replicas[r.partition].cursor
	if r.node.world.rules.IgnoreMarkers && r.announced {
		cursor.Epoch = r.epoch()
	}
	next, ready, err := r.owner.Activate(cursor)
	if err != nil {
		r.giveUp()
		return
	}
	if !ready {
		return
	}
	r.next = next
	r.progress = nil
	r.takeOver()
}

// epoch is the offset of the run's own marker.
func (r *run) epoch() int64 {
	for offset, value := range slices.Backward(r.node.world.journal[r.partition]) {
		entry, err := events.DecodeEntry(value)
		if m, ok := entry.(events.Marker); ok && err == nil && m.Owner == r.node.id {
			return int64(offset)
		}
	}
	return -1
}

func (r *run) takeOver() {
	err := account.Unsettled(r.node.replicas[r.partition].values, r.partition, func(id events.JobID, s job.State) {
		for _, e := range job.Pending(id, s) {
			r.node.perform(e)
		}
	})
	if err != nil {
		panic(err)
	}
	r.loseRenders()
}

func (r *run) loseRenders() {
	err := account.Unsettled(r.node.replicas[r.partition].values, r.partition, func(id events.JobID, s job.State) {
		if lose, ok := job.Lost(id, s, r.node.world.gone); ok {
			r.node.world.send(r.node.world.commandAt(r.node.now(), s.Account, lose))
		}
	})
	if err != nil {
		panic(err)
	}
}

// take is the feed: it reads one command if there is room.
func (r *run) take() bool {
	commands := r.node.world.commands[r.partition]
	if !r.owner.Active() || !r.live() || r.next >= int64(len(commands)) || r.owner.Waiting() > 16 {
		return false
	}
	c, err := events.DecodeCommand(commands[r.next])
	if err != nil {
		panic(err)
	}
	r.owner.Take(r.next, c)
	a := r.accounts[c.Account]
	if a == nil {
		store := account.Replica{Reader: r.node.replicas[r.partition].values, Partition: r.partition}
		a = &resident{aggregate: account.NewAggregate(c.Account, r.node.world.rules.store(store), r.node.limits)}
		r.accounts[c.Account] = a
	}
	a.mailbox = append(a.mailbox, letter{cause: r.next, command: c})
	r.next++
	return true
}

// letterOf lets a random account handle its next letter.
func (r *run) letterOf(random int) bool {
	var busy []events.AccountID
	for id, a := range r.accounts {
		if len(a.mailbox) > 0 {
			busy = append(busy, id)
		}
	}
	slices.Sort(busy)
	if len(busy) > 0 {
		r.handle(r.accounts[busy[random%len(busy)]])
	}
	return len(busy) > 0
}

func (r *run) handle(a *resident) {
	l := a.mailbox[0]
	a.mailbox = a.mailbox[1:]
	if l.committed {
		a.aggregate.Committed(l.cause)
		return
	}
	d, err := a.aggregate.Decide(l.cause, l.command)
	if err != nil {
		panic(err)
	}
	for _, e := range r.owner.Decided(l.cause, d) {
		for _, record := range r.node.world.rules.records(e) {
			r.post(record, r.onAck(e))
		}
	}
}

func (r *run) onAck(e events.Envelope) func() {
	if !r.node.world.rules.ReplyOnAck {
		return nil
	}
	return func() {
		if e.Reply != nil {
			r.node.world.reply(e.Command, *e.Reply)
		}
	}
}

// settle is Host.perform.
func (r *run) settle(o shard.Outcome) {
	if a := r.accounts[o.Command.Account]; a != nil {
		a.mailbox = append(a.mailbox, letter{cause: o.Cause, committed: true})
	}
	if w, ok := o.Command.Body.(events.WakeJob); ok {
		delete(r.waking, w.Job)
	}
	if o.Decision.Reply != nil && !r.node.world.rules.ReplyOnAck {
		r.node.world.reply(o.Command.ID, *o.Decision.Reply)
	}
	for _, e := range o.Decision.Effects {
		r.node.perform(e)
	}
	r.node.begun(o.Decision.Events)
}

// tick is Host.onTick, and what a report of a dead node would start.
func (r *run) tick() {
	if !r.owner.Active() {
		return
	}
	r.node.takeBack()
	ready, err := account.Due(r.node.replicas[r.partition].values, r.partition, r.node.now(), 8)
	if err != nil {
		panic(err)
	}
	for _, ref := range ready {
		if !r.waking[ref.Job] || r.node.world.chance(30) {
			r.waking[ref.Job] = true
			r.node.world.send(r.node.world.commandAt(r.node.now(), ref.Account, events.WakeJob{Job: ref.Job}))
		}
	}
	r.loseRenders()
}
