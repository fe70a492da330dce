package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
)

const (
	partitions = 2
	nodeCount  = 3
	stepCount  = 300
	accounts   = 3
)

// world is everything of one schedule.
type world struct {
	rng   *rand.Rand
	rules Rules
	now   events.Instant

	commands [partitions][][]byte
	journal  [partitions][][]byte
	// wire holds commands on their way to the log, in no order.
	wire  []packet
	nodes []*node
	files map[string]bool

	sent    map[events.CommandID]events.Command
	replies map[events.CommandID][]events.Reply
	keys    map[events.AccountID]events.KeyID
	// submitted are the jobs that somebody may ask for.
	submitted []submitted
	ids       uint64
	fault     error
}

type packet struct {
	partition int32
	value     []byte
}

// Run plays the schedule of a seed and says what does not hold.
func Run(seed uint64, rules Rules) error {
	w := newWorld(seed, rules)
	for i := 0; i < stepCount && w.fault == nil; i++ {
		w.step()
	}
	w.settle()
	if w.fault != nil {
		return fmt.Errorf("seed %d: %w", seed, w.fault)
	}
	if err := w.check(); err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	return nil
}

func newWorld(seed uint64, rules Rules) *world {
	w := &world{
		rng: rand.New(rand.NewPCG(seed, 1)), rules: rules,
		now:     events.At(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)),
		files:   map[string]bool{},
		sent:    map[events.CommandID]events.Command{},
		replies: map[events.CommandID][]events.Reply{},
		keys:    map[events.AccountID]events.KeyID{},
	}
	for i := range nodeCount {
		w.nodes = append(w.nodes, newNode(w, i))
	}
	for i := range accounts {
		w.openAccount(events.AccountID(fmt.Sprintf("acc_%d", i)))
	}
	for p := range int32(partitions) {
		w.assign(p, 100)
	}
	return w
}

func (w *world) openAccount(id events.AccountID) {
	key := events.Key{ID: "key_1", Hash: [32]byte{id[len(id)-1]}}
	w.keys[id] = key.ID
	w.deliver(w.command(id, events.CreateAccount{Plan: events.PlanFree, Anchor: w.now}))
	w.deliver(w.command(id, events.IssueKey{Key: key}))
}

// id makes identifiers of the schedule: unique, and the same for the same seed.
func (w *world) id() (b [16]byte) {
	w.ids++
	for i := range 8 {
		b[15-i] = byte(w.ids >> (8 * i))
	}
	b[0] = 1
	return b
}

func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

// command makes a command as somebody with the world's clock would send it.
func (w *world) command(id events.AccountID, body events.CommandBody) packet {
	return w.commandAt(w.now, id, body)
}

func (w *world) commandAt(at events.Instant, id events.AccountID, body events.CommandBody) packet {
	c := events.Command{ID: w.id(), Account: id, At: at, Body: body, ReplyTo: &events.Address{}}
	value, err := events.EncodeCommand(c)
	if err != nil {
		panic(err)
	}
	w.sent[c.ID] = c
	return packet{events.Partition(id, partitions), value}
}

func (w *world) deliver(p packet) {
	w.commands[p.partition] = append(w.commands[p.partition], p.value)
}

// step lets one random thing happen.
func (w *world) step() {
	w.now += events.Instant(w.rng.IntN(2000))
	n := w.nodes[w.rng.IntN(len(w.nodes))]
	switch pick := w.rng.IntN(100); {
	case pick < 17:
		w.client()
	case pick < 20:
		w.visitors()
	case pick < 44:
		w.network()
	case pick < 90:
		n.step()
	case pick < 93:
		w.assign(int32(w.rng.IntN(partitions)), 30)
	case pick < 96:
		n.paused = !n.paused
	case pick < 98:
		n.crash()
	case pick < 99:
		n.skew = time.Duration(w.rng.IntN(7200)-3600) * time.Second
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

// send puts a command on the wire, at times twice: a sender who hears nothing sends again.
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
	if c, err := events.DecodeCommand(p.value); err == nil && w.chance(5) && losable(c.Body) {
		return
	}
	w.deliver(p)
}

// losable tells whether a sender of this command may give up. Senders of the
// others repeat theirs until it is durable.
func losable(body events.CommandBody) bool {
	switch body.(type) {
	case events.StartRender, events.FinishRender, events.FailRender, events.ForgetFile:
		return false
	}
	return true
}

// assign gives a partition to a random node. Others who hold it hear of it with
// the given chance in percent, or become zombies.
func (w *world) assign(p int32, heard int) {
	to := w.nodes[w.rng.IntN(len(w.nodes))]
	for _, n := range w.nodes {
		if n != to && w.chance(heard) {
			n.resign(p)
		}
	}
	to.own(p)
}

// gone tells whether a node id is of no present life of a node.
func (w *world) gone(id events.NodeID) bool {
	return !slices.ContainsFunc(w.nodes, func(n *node) bool { return n.id == id })
}

// settle lets the faults end and everything that is under way come to its end.
func (w *world) settle() {
	for _, n := range w.nodes {
		n.paused, n.skew = false, 0
	}
	for _, p := range w.wire {
		w.deliver(p)
	}
	w.wire = nil
	for p := range int32(partitions) {
		w.assign(p, 100)
	}
	for range 60 {
		w.now = w.now.Add(2 * time.Minute)
		for range 4 {
			for _, n := range w.nodes {
				n.drain()
			}
			for len(w.wire) > 0 {
				w.deliver(w.wire[0])
				w.wire = w.wire[1:]
			}
		}
		if w.fault != nil || w.quiet() {
			return
		}
	}
	w.fault = fmt.Errorf("the world does not come to rest")
}

// quiet tells whether every command is decided everywhere and no job is under way.
func (w *world) quiet() bool {
	for p := range int32(partitions) {
		active := false
		for _, n := range w.nodes {
			r := n.replicas[p]
			if r.cursor.Next != int64(len(w.journal[p])) || r.cursor.Cause != int64(len(w.commands[p]))-1 {
				return false
			}
			active = active || r.anyJob(func(s job.State) bool { return s.Active() || s.Phase == job.Expired })
		}
		if active {
			return false
		}
	}
	return true
}
