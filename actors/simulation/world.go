package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cespare/xxhash/v2"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
)

const (
	partitions = 2
	nodeCount  = 3
	stepCount  = 300
	accounts   = 3
)

// world is the state of one schedule.
type world struct {
	rng   *rand.Rand
	rules Rules
	now   events.Instant

	commands [partitions][][]byte
	// journal has all records, including trimmed ones, which only the checks may read.
	journal [partitions][]record
	trimmed [partitions]int64
	saved   [partitions][]saved
	// lossy worlds lose durable commands, and begun effects. Owners sweep only there: elsewhere there is nothing for a sweep to find.
	lossy bool
	// retained is the offset below which too short a retention has deleted commands.
	retained [partitions]int64
	// wire holds commands on their way to the log, unordered.
	wire []packet
	// upgrading worlds have nodes of the future version; raised is set once the operator has raised the level.
	upgrading, raised bool
	// outdated counts the nodes that ended because of their version, by the reason.
	outdated map[string]int
	drains   *drains
	lost     *lost
	// assigned maps each partition to the node that the log assigned it to, nil if every node has left.
	assigned [partitions]*node
	nodes    []*node
	files    map[string]bool
	// damage damages rows of replicas, nil if none; renewed counts how often somebody met a damaged one.
	damage  *rand.Rand
	renewed int
	// panics is set if owners panic at some commands. That happens only in lossy worlds, where a sweep finds what such a command was about.
	panics bool
	// storeFails is set while no file can be stored.
	storeFails bool
	// Receivers of webhooks, and the callers' own storage, may fail. received holds what each job's
	// receiver has received, uploaded the files in the storage.
	receiversFail bool
	received      map[events.JobID]message
	uploaded      map[events.JobID]string

	sent    map[events.CommandID]events.Command
	replies map[events.CommandID][]events.Reply
	keys    map[events.AccountID]events.KeyID
	// taken has the true time of each command that an owner took.
	taken map[taking]events.Instant
	// submitted holds the jobs that a client may ask for.
	submitted []submitted
	ids       uint64
	fault     error

	// topic holds the public events; ever remembers what each of their numbers and ids stood for. told is how far the journal is published.
	topic [partitions][]fact
	told  [partitions]projections.Cursor
	ever  map[string]string
	// undone is set for a partition whose journal has lost records.
	undone [partitions]bool
	// doubtful are the jobs with effects in a history that has been undone.
	doubtful map[events.JobID]bool
}

// record is a journal record with its decoded entry.
type record struct {
	bytes []byte
	entry events.Entry
}

// write appends a journal record.
func (w *world) write(p int32, value []byte) {
	entry, err := events.DecodeEntry(value)
	if err != nil {
		panic(err)
	}
	w.journal[p] = append(w.journal[p], record{value, entry})
}

// undecidable reports whether every owner panics at a command.
func (w *world) undecidable(id events.CommandID) bool {
	return w.panics && xxhash.Sum64(id[:])%40 == 0
}

type packet struct {
	partition int32
	value     []byte
}

// fail records the first violation.
func (w *world) fail(format string, args ...any) {
	if w.fault == nil {
		w.fault = fmt.Errorf(format, args...)
	}
}

// node returns the node with an id; nil if that process has ended.
func (w *world) node(id events.NodeID) *node {
	for _, n := range w.nodes {
		if n.id == id {
			return n
		}
	}
	return nil
}

// retain plays too short a retention: it drops commands, decided or not.
func (w *world) retain() {
	p := int32(w.rng.IntN(partitions))
	before := int64(w.rng.IntN(len(w.commands[p]) + 1))
	w.retained[p] = max(w.retained[p], before)
	w.trim(p, before)
}

// trim forgets the commands below an offset.
func (w *world) trim(p int32, before int64) {
	for offset := range min(before, int64(len(w.commands[p]))) {
		w.commands[p][offset] = nil
	}
}

// Run plays the schedule of a seed and returns the first violation.
func Run(seed uint64, rules Rules) error {
	w := newWorld(seed, rules)
	d := plan(seed)
	for i := 0; i < stepCount && w.fault == nil; i++ {
		if i == d.step {
			w.strike(d)
		}
		w.step()
	}
	w.settle()
	if w.fault != nil {
		return fmt.Errorf("seed %d: %w", seed, w.fault)
	}
	if err := (verdict{w}).check(); err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	return nil
}

func newWorld(seed uint64, rules Rules) *world {
	w := &world{
		rng: rand.New(rand.NewPCG(seed, 1)), rules: rules,
		now:   events.At(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)),
		files: map[string]bool{}, receiversFail: true, received: map[events.JobID]message{}, uploaded: map[events.JobID]string{},
		sent:    map[events.CommandID]events.Command{},
		replies: map[events.CommandID][]events.Reply{},
		keys:    map[events.AccountID]events.KeyID{},

		outdated: map[string]int{}, ever: map[string]string{}, doubtful: map[events.JobID]bool{}, taken: map[taking]events.Instant{},
	}
	for p := range w.told {
		w.told[p] = projections.Origin()
	}
	w.lossy = w.chance(30)
	w.panics = w.lossy && seed%2 == 0
	w.damage, w.drains, w.lost = rarely(seed, 4), newDrains(w, seed), newLost(w)
	w.upgrading = w.chance(50)
	for i := range nodeCount {
		w.nodes = append(w.nodes, newNode(w, i))
	}
	for _, n := range w.nodes { // all nodes are up before the schedule begins
		for _, other := range w.nodes {
			n.members[other.id] = true
		}
	}
	for i := range accounts {
		w.openAccount(events.AccountID(fmt.Sprintf("acc_%d", i)))
	}
	for p := range int32(partitions) {
		w.assign(p, 100)
	}
	return w
}

// rarely returns a random source for something that only some schedules have, or nil for the others, which do not depend on it.
func rarely(seed, stream uint64) *rand.Rand {
	rng := rand.New(rand.NewPCG(seed, stream))
	if rng.IntN(100) < 15 {
		return rng
	}
	return nil
}

func (w *world) openAccount(id events.AccountID) {
	key := events.Key{ID: "key_1", Hash: [32]byte{id[len(id)-1]}}
	w.keys[id] = key.ID
	w.deliver(w.command(id, events.CreateAccount{Plan: events.PlanFree, Anchor: w.now}))
	w.deliver(w.command(id, events.IssueKey{Key: key}))
}

// id returns a unique identifier, the same for the same seed.
func (w *world) id() (b [16]byte) {
	w.ids++
	for i := range 8 {
		b[15-i] = byte(w.ids >> (8 * i))
	}
	b[0] = 1
	return b
}

func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

// command returns a command stamped by the world's clock.
func (w *world) command(id events.AccountID, body events.CommandBody) packet {
	return w.commandAt(w.now, id, body)
}

func (w *world) commandAt(at events.Instant, id events.AccountID, body events.CommandBody) packet {
	c := events.Command{ID: w.id(), Account: id, At: at, Body: body, ReplyTo: &events.Address{}}
	value, err := events.EncodeCommand(c)
	if err != nil {
		panic(err)
	}
	if s, ok := body.(events.Submission); ok {
		c.Body = s.SubmitJob
	}
	w.sent[c.ID] = c
	return packet{events.Partition(id, partitions), value}
}

// reply records a reply that a client has received.
func (w *world) reply(id events.CommandID, r events.Reply) {
	w.replies[id] = append(w.replies[id], r)
}

func (w *world) deliver(p packet) {
	w.commands[p.partition] = append(w.commands[p.partition], p.value)
}

// step makes one random thing happen.
func (w *world) step() {
	w.now += events.Instant(w.rng.IntN(2000))
	n := w.nodes[w.rng.IntN(len(w.nodes))]
	if w.damage != nil && w.damage.IntN(100) < 5 {
		w.flip(w.nodes[w.damage.IntN(len(w.nodes))])
	}
	w.drains.play()
	switch pick := w.rng.IntN(100); {
	case pick < 17:
		w.client()
	case pick < 20:
		w.visitors()
		if w.chance(20) {
			w.cancel()
		}
		if w.chance(50) {
			w.operate()
		}
		if w.panics && w.chance(20) {
			w.dropOne()
		}
	case pick < 44:
		w.network()
	case pick < 90:
		n.step()
	case pick < 93:
		w.assign(int32(w.rng.IntN(partitions)), 30)
	case pick < 96:
		n.paused = true
	case pick < 98:
		n.crash()
		w.storeFails = w.chance(30)
	case pick < 99 && !(w.lossy && w.chance(50)):
		most := []time.Duration{time.Minute, time.Minute, maxSkew}[w.rng.IntN(3)]
		n.skew = time.Duration(w.rng.Int64N(int64(2*most/time.Second)))*time.Second - most
	case pick < 99:
		w.retain()
	default:
		w.now = w.now.Add(time.Duration(w.rng.IntN(30)) * time.Hour)
	}
}

// client sends something from outside: mostly jobs, sometimes changes to the account.
func (w *world) client() {
	id := events.AccountID(fmt.Sprintf("acc_%d", w.rng.IntN(accounts)))
	var body events.CommandBody
	switch pick := w.rng.IntN(20); {
	case pick < 16:
		body = w.submission(id)
	case pick < 18:
		body = events.ChangePlan{Plan: []events.Plan{events.PlanFree, events.PlanStarter}[w.rng.IntN(2)]}
	case pick < 19:
		body = events.IssueKey{Key: events.Key{ID: "key_2", Hash: [32]byte{2, id[len(id)-1]}}}
	default:
		body = events.RevokeKey{Key: "key_2"}
	}
	w.send(w.command(id, body))
}

// send puts a command on the wire, sometimes twice: a sender that gets no reply sends
// again.
func (w *world) send(p packet) {
	w.wire = append(w.wire, p)
	if w.chance(15) {
		w.wire = append(w.wire, p)
	}
}

// network delivers a random packet, or loses one.
func (w *world) network() {
	if len(w.wire) == 0 {
		return
	}
	i := w.rng.IntN(len(w.wire))
	p := w.wire[i]
	w.wire = append(w.wire[:i], w.wire[i+1:]...)
	if c, err := events.DecodeCommand(p.value); err == nil && w.chance(5) && !job.Reports(c.Body) {
		return
	}
	w.deliver(p)
}

// settleOwner leaves a partition with one owner. Most often that is the present one, so
// that no take-over repairs what it has forgotten.
func (w *world) settleOwner(p int32) {
	if to := w.assigned[p]; to != nil && to.held[p] && w.chance(70) {
		w.assignTo(p, to, 100)
		return
	}
	w.assign(p, 100)
}

// assign gives a partition to a random node that may own it. Each other node that holds it learns of that
// with the given chance in percent, or becomes a zombie.
func (w *world) assign(p int32, heard int) {
	if owners := w.owners(); len(owners) > 0 {
		w.assignTo(p, owners[w.rng.IntN(len(owners))], heard)
	}
}

func (w *world) assignTo(p int32, to *node, heard int) {
	w.assigned[p] = to
	if w.chance(30) { // the partition leaves the node and comes back at once
		to.revoke(p, true)
	}
	for _, n := range w.nodes {
		if n != to && w.chance(heard) {
			n.revoke(p, false)
		}
	}
	to.own(p)
}

// settle plays on without faults until nothing is under way.
func (w *world) settle() {
	if w.chance(50) { // a last fault, not hidden by a later one
		w.nodes[w.rng.IntN(len(w.nodes))].crash()
	}
	for _, n := range w.nodes {
		if n.paused = false; w.upgrading && n.reads < next {
			n.upgrade("the end")
		}
		n.mendClock()
	}
	w.storeFails, w.receiversFail = false, false
	w.scrub()
	w.drains.settle()
	for p := range int32(partitions) {
		w.settleOwner(p)
	}
	for range 10 { // within seconds, a job lost with its node is taken from it
		w.now = w.now.Add(time.Second)
		w.drain()
	}
	w.lost.check()
	for i := range 80 {
		w.now = w.now.Add(2 * time.Minute)
		if i > 40 { // for webhooks that are retried late
			w.now = w.now.Add(time.Hour)
		}
		for range 4 {
			if i < 3 { // most jobs are done only now
				w.visitors()
			}
			w.drain()
		}
		if w.fault != nil || w.settled() {
			return
		}
	}
	w.fail("the world does not come to rest")
}

// drain makes everything happen that can happen without time passing.
func (w *world) drain() {
	for _, n := range w.nodes {
		n.drain()
	}
	for len(w.wire) > 0 {
		w.deliver(w.wire[0])
		w.wire = w.wire[1:]
	}
}

// decided reports whether every command of a partition is decided and folded into a replica.
func (w *world) decided(p int32, r *replica) bool {
	return r.cursor.Next == int64(len(w.journal[p])) && r.cursor.Cause == int64(len(w.commands[p]))-1
}

// settled reports whether every command is decided everywhere and no job is under way.
func (w *world) settled() bool {
	for p := range int32(partitions) {
		for _, n := range w.nodes {
			if !w.decided(p, n.replicas[p]) {
				return false
			}
		}
		open, err := account.Unsettled(w.nodes[0].replicas[p].values, p)
		if err != nil || len(open) > 0 || w.waits(p) {
			return false
		}
	}
	return true
}
