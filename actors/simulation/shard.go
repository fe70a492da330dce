package simulation

import (
	"errors"
	"fmt"
	"slices"

	"platen.dev/actors/account"
	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/projections"
)

// maxWaiting is small, so that schedules fill it.
const maxWaiting = 16

// ownership drives the machine of one ownership of one partition.
type ownership struct {
	node      *node
	partition int32
	machine   *shard.Machine
	// reading, next and credit are the state of the feed.
	reading bool
	next    int64
	credit  int
	// folded are journal records that the machine has not been told yet.
	folded []projections.Step
	// outbox is the producer's queue. It is sent in order.
	outbox []outgoing
	// failed is set while the machine has not been told that an append was lost. Later appends are sent nevertheless.
	failed   bool
	accounts map[events.AccountID]*resident
	resigned bool
	// asked is the page of jobs that the machine asked for, and page what was read of it.
	asked *shard.Scan
	page  *shard.Scanned
	woken map[events.JobID]bool // for the fault that sends each WakeJob only once
}

// outgoing is a journal record under way.
type outgoing struct {
	value []byte
	entry events.Entry
}

// resident is an account's actor. Its mailbox holds commands to decide and causes that
// were committed.
type resident struct {
	aggregate *account.Aggregate
	mailbox   []letter
}

type letter struct {
	cause     int64
	command   events.Command
	committed bool
}

func newOwnership(n *node, p int32) *ownership {
	sweepEvery := 0
	if n.world.lossy {
		sweepEvery = 4
	}
	o := &ownership{
		node: n, partition: p, accounts: map[events.AccountID]*resident{}, woken: map[events.JobID]bool{},
		machine: shard.NewMachine(shard.Settings{
			Node: n.id, Window: maxWaiting, Alive: func(id events.NodeID) bool { return n.members[id] },
			PassiveAfter: 3, SendAgain: 3, SetAsideAgain: 6, Trim: true, SweepEvery: sweepEvery, PageJobs: 3, MeasureEvery: 3, Level: events.NewestLevel,
		}),
	}
	o.take(shard.Announce{Timeline: n.world.timelineID(), Now: n.now()})
	return o
}

func (o *ownership) world() *world { return o.node.world }

// take gives the machine an input and carries out the outputs.
func (o *ownership) take(in shard.Input) {
	f := o.world().rules.Fault
	if in = f.tellShard(o, in); in == nil {
		return
	}
	active := o.machine.Active()
	outs := o.machine.Step(in)
	outs = f.changeShard(o, in, outs)
	if w := o.world().rules.Trace; w != nil {
		trace(w, fmt.Sprintf("%s shard %d", o.node.id, o.partition), in, outs)
	}
	if folded, ok := in.(shard.Folded); ok && active {
		o.expectReplies(folded, outs)
	}
	for _, out := range outs {
		o.do(out)
	}
	if o.machine.Waiting() > maxWaiting {
		o.world().fail("%d commands are under way on %s, %d may be", o.machine.Waiting(), o.node.id, maxWaiting)
	}
}

func (o *ownership) do(out shard.Output) {
	switch out := out.(type) {
	case shard.Append:
		o.append(out.Entry)
	case shard.Look:
		in := shard.Looked{Timeline: o.world().timelineID(), Now: o.node.now(), End: int64(len(o.world().commands[o.partition]))}
		if !o.world().rules.ForgetPublished {
			in.Published = o.world().lastNumber(o.partition)
		}
		o.take(in)
	case shard.Activate:
		o.reading, o.next, o.credit = true, out.From, out.Window
	case shard.Credit:
		o.credit++
	case shard.StopReading:
		o.reading = false
	case shard.Decide:
		a := o.account(out.Command.Account)
		a.mailbox = append(a.mailbox, letter{cause: out.Cause, command: out.Command})
	case shard.Commit:
		a := o.account(out.Account)
		a.mailbox = append(a.mailbox, letter{cause: out.Cause, committed: true})
	case shard.Retire:
		delete(o.accounts, out.Account)
	case shard.Reply:
		if !o.world().rules.ReplyOnAck {
			o.world().reply(out.Command, out.CommandReply.Reply)
		}
	case shard.Begin:
		o.node.begin(o.partition, out.Effect)
	case shard.Resume:
		o.node.resume(o.partition, out.Effect)
	case shard.Forget:
		o.node.forget(out.Key)
	case shard.ForgetAll:
		o.node.forgetAll(o.partition)
	case shard.Send:
		o.world().send(o.world().commandAt(o.node.now(), out.Account, out.Body))
	case shard.Scan:
		o.asked = &out
	case shard.Trim:
		o.world().trim(o.partition, out.Before)
	case shard.Measure:
		o.take(shard.Measured{End: int64(len(o.world().commands[o.partition]))})
	case shard.Halt:
		o.reading = false
		if !o.isFollowed() {
			o.world().fail("%s halts partition %d: %v", o.node.id, o.partition, out.Err)
		}
	case shard.Stop:
		o.node.end(o)
	}
}

// isFollowed reports whether the journal has the marker of a later owner. This one has not read it yet, and takes what that one has published for lost: it
// halts until it reads the marker, and then ends.
func (o *ownership) isFollowed() bool {
	return slices.ContainsFunc(o.world().journal[o.partition][o.machine.Epoch()+1:], func(r record) bool {
		_, is := r.entry.(events.Marker)
		return is
	})
}

func (o *ownership) append(entry events.Entry) {
	entries := []events.Entry{entry}
	if e, ok := entry.(events.Envelope); ok {
		entries = entries[:0]
		for _, part := range o.world().rules.records(e) {
			entries = append(entries, part)
		}
	}
	for _, entry := range entries {
		value, err := events.EncodeEntry(entry)
		if err != nil {
			panic(err)
		}
		o.outbox = append(o.outbox, outgoing{value, entry})
	}
}

func (o *ownership) account(id events.AccountID) *resident {
	a := o.accounts[id]
	if a == nil {
		a = &resident{aggregate: account.NewAggregate(id, o.world().rules.store(o.store(), o.world()), o.node.limits)}
		o.accounts[id] = a
	}
	return a
}

// store returns the committed state of the node's replica.
func (o *ownership) store() account.ReplicaStore {
	return account.ReplicaStore{Reader: o.replica().values, Partition: o.partition}
}

func (o *ownership) replica() *replica { return o.node.replicas[o.partition] }

// scan reads the page that the machine asked for, and delivers it later. It reports whether there was anything to do.
func (o *ownership) scan() bool {
	switch {
	case o.page != nil:
		in := *o.page
		o.page = nil
		o.take(in)
	case o.asked != nil:
		page, err := o.asked.Read(o.replica().values, o.partition)
		if o.node.undecodable(o.partition, errors.Join(err, page.Unreadable)) {
			return true
		}
		o.asked, o.page = nil, &page
	default:
		return false
	}
	return true
}

// flushOne writes the head of the outbox to the journal.
func (o *ownership) flushOne() {
	if len(o.outbox) == 0 {
		return
	}
	w, head := o.world(), o.outbox[0]
	o.outbox = o.outbox[1:]
	w.write(o.partition, head.value)
	switch e := head.entry.(type) {
	case events.Marker:
		offset := int64(len(w.journal[o.partition])) - 1
		o.take(shard.Announced{Offset: offset, Cursor: w.rules.cursor(o.replica().cursor, offset)})
	case events.Envelope:
		if w.rules.ReplyOnAck && e.Reply != nil {
			w.reply(e.Command, *e.Reply)
		}
	}
}

// flushSome writes a random prefix of the outbox, as when its process ends.
func (o *ownership) flushSome() {
	w := o.world()
	for _, head := range o.outbox[:w.rng.IntN(len(o.outbox)+1)] {
		w.write(o.partition, head.value)
	}
	o.outbox = nil
}

// step makes one random thing happen in the shard.
func (o *ownership) step() {
	w := o.world()
	switch w.rng.IntN(15) {
	case 0, 1, 2:
		o.flushOne()
	case 3, 4:
		o.tell(1)
	case 5, 6:
		o.read()
	case 7, 8, 9:
		o.open(w.rng.IntN(1 << 16))
	case 10:
		o.tick()
	case 11, 12, 13:
		o.scan()
	default:
		o.fail()
	}
}

// fail loses an append now and then. The machine hears of it later.
func (o *ownership) fail() {
	w := o.world()
	switch {
	case o.failed:
		o.tellFailed()
	case len(o.outbox) > 0 && w.chance(8):
		at := w.rng.IntN(len(o.outbox))
		o.outbox = slices.Delete(o.outbox, at, at+1)
		o.failed = true
	case w.chance(4): // those behind it are lost as well
		o.outbox = o.outbox[:w.rng.IntN(len(o.outbox)+1)]
		o.tellFailed()
	}
}

func (o *ownership) tellFailed() {
	o.failed = false
	o.take(shard.Failed{Err: errors.New("an append failed")})
}

// drain does everything that can be done without faults.
func (o *ownership) drain() {
	if o.failed {
		o.tellFailed()
		return
	}
	for range 1000 {
		before := []int{len(o.outbox), len(o.folded), int(o.next)}
		for len(o.outbox) > 0 && o.live() {
			o.flushOne()
		}
		o.node.fold(o.partition, 1<<30)
		o.tell(1 << 30)
		for o.read() {
		}
		for o.open(0) {
		}
		for o.live() && o.scan() {
		}
		after := []int{len(o.outbox), len(o.folded), int(o.next)}
		if !o.live() || slices.Equal(before, after) && len(o.outbox) == 0 {
			break
		}
	}
	o.tick()
}

func (o *ownership) live() bool { return slices.Contains(o.node.owned, o) }

// tell tells the machine about journal records that the replica has folded.
func (o *ownership) tell(limit int) {
	n := min(limit, len(o.folded))
	if n == 0 {
		return
	}
	steps := o.folded[:n]
	o.folded = o.folded[n:]
	steps, cursor := o.world().rules.told(steps, o.replica().cursor, o.machine.Epoch())
	o.take(shard.Folded{Steps: steps, Cursor: cursor})
	if o.live() && o.machine.Active() {
		o.world().publishUpTo(o.partition, o.replica().cursor.Next)
	}
}

// read plays the feed: it reads one command if there is credit.
func (o *ownership) read() bool {
	commands := o.world().commands[o.partition]
	if !o.reading || !o.live() || o.credit == 0 || o.next >= int64(len(commands)) {
		return false
	}
	o.credit--
	if commands[o.next] == nil { // trimmed: too early, or by another owner that has decided it
		from := o.next
		for o.next < int64(len(commands)) && commands[o.next] == nil {
			o.next++
		}
		o.take(shard.Skipped{From: from, To: o.next})
		return true
	}
	c, err := events.DecodeCommand(commands[o.next])
	if err != nil {
		panic(err)
	}
	if o.node.cannotRead(c.Body) {
		o.node.upgrade("command")
		return true
	}
	o.next++
	o.world().taken[taking{o.partition, o.machine.Epoch(), o.next - 1}] = o.world().now
	o.take(shard.Arrived{Cause: o.next - 1, Command: c, Now: o.node.now(), Latest: o.node.latest()})
	return true
}

// open makes a random account handle its next message.
func (o *ownership) open(random int) bool {
	var busy []events.AccountID
	for id, a := range o.accounts {
		if len(a.mailbox) > 0 {
			busy = append(busy, id)
		}
	}
	if len(busy) == 0 || !o.live() {
		return false
	}
	slices.Sort(busy)
	a := o.accounts[busy[random%len(busy)]]
	l := a.mailbox[0]
	a.mailbox = a.mailbox[1:]
	if l.committed {
		a.aggregate.Committed(l.cause)
		return true
	}
	d, err := a.aggregate.Decide(l.cause, l.command)
	if o.node.undecodable(o.partition, err) {
		return true
	}
	if d.SetAside != "" && o.world().rules.RetryUndecidable {
		o.take(shard.Failed{Err: errors.New(d.SetAside)})
		return true
	}
	o.take(shard.Decided{Cause: l.cause, Decision: d})
	return true
}

// tick plays a second of an active shard.
func (o *ownership) tick() {
	if !o.reading || !o.live() {
		return
	}
	o.world().publishUpTo(o.partition, o.replica().cursor.Next) // it may have become active without being told of a record
	due, err := account.Due(o.replica().values, o.partition, o.node.now(), 8)
	if o.node.undecodable(o.partition, err) {
		return
	}
	o.take(shard.Ticked{Due: due})
}

// expectReplies checks that the machine replies once for each accepted envelope of its
// epoch, at once, even while it resigns.
func (o *ownership) expectReplies(in shard.Folded, outs []shard.Output) {
	if o.world().rules.ReplyOnAck || o.world().rules.IgnoreMarkers {
		return
	}
	open := map[events.CommandID]int{}
	for _, out := range outs {
		if r, ok := out.(shard.Reply); ok {
			open[r.Command]--
		}
	}
	for _, step := range in.Steps {
		if e, ok := step.Entry.(events.Envelope); ok && step.Accepted && e.Epoch == o.machine.Epoch() && e.Reply != nil {
			open[e.Command]++
		}
	}
	for id, n := range open {
		if n != 0 {
			o.world().fail("%s leaves %d replies to %s open", o.node.id, n, id)
		}
	}
}
