package simulation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/clock"
	"platen.dev/actors/drain"
	"platen.dev/actors/job"
	"platen.dev/actors/render/dispatch"
	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// node is one process. Its replica mostly survives a crash; nothing else does.
type node struct {
	world  *world
	number int
	life   int
	id     events.NodeID
	reads  events.Level // the highest level that its version knows
	paused bool
	// gate judges the machine's clock, which is off by wrong; kept is set if the clock is synchronised. skew is
	// an error that the gate does not see.
	gate     *clock.Gate
	wrong    time.Duration
	kept     bool
	skew     time.Duration
	replicas [partitions]*replica
	// owned holds the ownerships that have not ended, held the partitions that the node believes
	// assigned to it.
	owned []*ownership
	held  [partitions]bool
	// keeping is the node's progress with the history of each partition.
	keeping [partitions]*keeping
	jobs    *jobs
	// told is the drain state of the node.
	told drain.State
	// effects are those of other kinds than rendering.
	effects effects
	// members are the nodes that this one believes to be up, news the changes that it has yet to learn
	// of.
	members map[events.NodeID]bool
	news    []membership
}

// membership is a change: a node went down or came up.
type membership struct {
	node events.NodeID
	up   bool
}

func newNode(w *world, number int) *node {
	n := &node{world: w, number: number}
	for p := range n.replicas {
		n.replicas[p] = newReplica()
	}
	n.start()
	return n
}

func (n *node) start() {
	n.life++
	n.id = events.NodeID(fmt.Sprintf("node-%d.%d", n.number, n.life))
	n.owned, n.held, n.keeping = nil, [partitions]bool{}, [partitions]*keeping{}
	n.paused, n.reads = false, n.world.version()
	n.startClock()
	n.jobs, n.told = newJobs(n), drain.State{}
	n.effects = effects{node: n}
	n.members, n.news = map[events.NodeID]bool{n.id: true}, nil
	for _, other := range n.world.nodes {
		n.members[other.id] = true
	}
}

// crash ends the process. A random prefix of what its producers had under way still
// arrives. Its store may be lost.
func (n *node) crash() {
	for _, o := range n.owned {
		o.flushSome()
	}
	if n.world.chance(20) {
		for p := range n.replicas {
			n.replicas[p] = newReplica()
		}
	}
	gone := n.id
	n.start()
	for _, other := range n.world.nodes {
		if other != n {
			other.news = append(other.news, membership{gone, false}, membership{n.id, true})
		}
	}
}

// limits are small, so that schedules reach them, and differ between versions: a node may
// come back with another version.
func (n *node) limits(plan events.Plan) (account.Limits, bool) {
	l := widest(plan)
	if (n.number+n.life)%2 == 0 {
		l.Jobs, l.Running = l.Jobs-2, l.Running-2
	}
	return l, true
}

// widest holds the limits that no version exceeds.
func widest(plan events.Plan) account.Limits {
	if plan == events.PlanFree {
		return account.Limits{Jobs: 6, Bytes: 5000, Running: 3}
	}
	return account.Limits{Jobs: 12, Bytes: 9000, Running: 5}
}

// failOwnerships ends the ownerships of a partition.
func (n *node) failOwnerships(p int32, why string) {
	for _, o := range slices.Clone(n.owned) {
		if o.partition == p {
			o.folded, o.outbox = nil, nil
			o.take(shard.Failed{Err: errors.New(why)})
		}
	}
}

// own begins an ownership, after an assignment or in place of one that ended.
func (n *node) own(p int32) {
	n.held[p] = true
	if !n.owns(p) {
		n.owned = append(n.owned, newOwnership(n, p))
	}
}

// owns reports whether the node has an ownership of a partition that has not stopped.
func (n *node) owns(p int32) bool {
	return slices.ContainsFunc(n.owned, func(o *ownership) bool { return o.partition == p && !o.resigned })
}

// revoke takes a partition away. Its ownership finishes what it has under way, or ends at
// once if that takes too long.
func (n *node) revoke(p int32, patient bool) {
	n.held[p] = false
	for _, o := range slices.Clone(n.owned) {
		if o.partition != p {
			continue
		}
		o.resigned = true
		n.jobs.give(p)
		if !patient && n.world.chance(30) {
			o.take(shard.Abandoned{})
			n.end(o)
		} else {
			o.take(shard.Resign{})
		}
	}
}

// end ends an ownership. If the node still holds the partition, it announces itself
// again.
func (n *node) end(o *ownership) {
	n.owned = slices.DeleteFunc(n.owned, func(other *ownership) bool { return other == o })
	o.flushSome()
	if n.held[o.partition] && !o.resigned {
		n.own(o.partition)
	}
}

// begin begins an effect. By now the journal must justify a render.
func (n *node) begin(p int32, e job.Effect) {
	if n.world.lossy && n.world.chance(5) {
		return // whatever happened to the job
	}
	render, ok := e.(job.Render)
	if !ok {
		n.effects.begin(p, e)
		return
	}
	values := n.replicas[p].values
	if n.world.damage != nil { // the node's own rows may be damaged, or being rebuilt
		values = n.world.replay(p).values
	}
	s, err := account.ReplicaStore{Reader: values, Partition: p}.Job(render.Account, render.Job)
	if err != nil {
		panic(err)
	}
	if s.Phase == job.Absent && (n.world.damage == nil || !n.world.undone[p]) { // its replica may still have what the journal has lost
		n.world.fail("%s begins to render job %s, which the journal does not know", n.id, render.Job)
	}
	n.jobs.asked[render.Job] = &asked{partition: p}
	n.jobs.take(dispatch.Take{Partition: p, Effect: render})
}

// resume begins an effect again unless it is under way.
func (n *node) resume(p int32, e job.Effect) {
	if render, ok := e.(job.Render); ok {
		n.jobs.asked[render.Job] = &asked{partition: p}
		n.jobs.take(dispatch.Resume{Partition: p, Effect: render})
		return
	}
	n.effects.begin(p, e)
}

func (n *node) forget(key job.EffectKey) {
	if key.Kind == job.KindRender {
		n.jobs.take(dispatch.Forget{Job: key.Job})
		return
	}
	n.effects.forget(key)
}

func (n *node) forgetAll(p int32) {
	n.jobs.take(dispatch.ForgetAll{Partition: p})
	n.effects.forgetAll(p)
}

// step runs the node for a while.
func (n *node) step() {
	if n.paused && n.world.chance(15) {
		n.paused = false
	}
	for range 1 + n.world.rng.IntN(80) {
		p := int32(n.world.rng.IntN(partitions))
		if !n.paused {
			n.act(p)
			continue
		}
		for _, o := range slices.Clone(n.owned) {
			if o.partition == p && n.world.chance(20) {
				o.flushOne() // a paused process does nothing, but its packets still travel
			}
		}
	}
}

// act makes one random thing happen on the node.
func (n *node) act(p int32) {
	switch n.world.rng.IntN(13) {
	case 0, 1, 2:
		n.fold(p, 1+n.world.rng.IntN(4))
	case 3, 4, 5:
		n.jobs.step()
	case 6:
		n.hear()
		n.effects.step()
	case 7:
		if n.world.chance(15) {
			n.keep(p)
		}
	default:
		for _, o := range slices.Clone(n.owned) {
			if o.partition == p && o.live() {
				o.step()
			}
		}
	}
}

// hear tells the node that another one went down or came up.
func (n *node) hear() {
	if len(n.news) == 0 {
		return
	}
	m := n.news[0]
	n.news = n.news[1:]
	if m.up {
		n.members[m.node] = true
		return
	}
	delete(n.members, m.node)
	n.jobs.take(dispatch.NodeGone{Node: m.node})
	for _, o := range slices.Clone(n.owned) {
		o.take(shard.NodeGone{Node: m.node})
	}
}

// hearAll tells the node all news of the others.
func (n *node) hearAll() {
	for len(n.news) > 0 {
		n.hear()
	}
}

// drain does everything that the node can do without faults.
func (n *node) drain() {
	n.hearAll()
	for p := range int32(partitions) {
		n.fold(p, 1<<30)
	}
	for _, o := range slices.Clone(n.owned) {
		if o.live() {
			o.drain()
		}
	}
	for p := range int32(partitions) {
		n.fold(p, 1<<30)
	}
	n.jobs.drain()
	n.effects.drain()
}

// fold reads some records of the journal into the replica, in one batch, and notifies the
// watchers.
func (n *node) fold(p int32, limit int) {
	n.diverge(p)
	if !n.restore(p) {
		return
	}
	r, journal := n.replicas[p], n.world.journal[p]
	before := r.cursor
	from := r.cursor.Next
	steps := make([]projections.Step, 0, min(limit, max(0, len(journal)-int(from))))
	tx := table.NewTx(r.values)
	for ; len(steps) < cap(steps); from++ {
		entry := journal[from].entry
		step := projections.Step{Offset: from, Entry: entry, Accepted: n.world.rules.step(&r.cursor, from, entry)}
		if r.cursor.Level() > n.reads {
			r.cursor = before
			n.upgrade("level")
			return
		}
		if e, ok := entry.(events.Envelope); ok && step.Accepted {
			apply(tx, p, e)
		}
		steps = append(steps, step)
	}
	if n.undecodable(p, tx.Flush(r.values)) {
		return
	}
	if len(steps) > 0 {
		r.last = journal[r.cursor.Next-1].bytes
	}
	if r.cursor.Epoch >= from-int64(len(steps)) {
		r.marker = journal[r.cursor.Epoch].bytes
	}
	for _, o := range n.owned {
		if o.partition == p {
			o.folded = append(o.folded, steps...)
		}
	}
	for _, step := range steps {
		if e, ok := step.Entry.(events.Envelope); ok && step.Accepted {
			n.jobs.facts(e.Events)
		}
	}
}

func inOrder[V any](of map[events.JobID]V) []events.JobID {
	ids := slices.Collect(maps.Keys(of))
	sort.Slice(ids, func(i, j int) bool { return string(ids[i][:]) < string(ids[j][:]) })
	return ids
}

// replica is projections.Replica in memory.
type replica struct {
	cursor projections.Cursor
	values table.Memory
	last   []byte // the record before the cursor
	marker []byte // of the cursor's epoch; nil if unknown
	// damaged is set once a row differs from what was written.
	damaged bool
}

func newReplica() *replica {
	return &replica{cursor: projections.Origin(), values: table.Memory{}}
}

func apply(tx *table.Tx, p int32, e events.Envelope) {
	account.States{}.Apply(tx, p, e)
	projections.ReadModels{}.Apply(tx, p, e)
}

// replay returns a new replica that has folded the journal of a partition.
func (w *world) replay(p int32) *replica {
	r := newReplica()
	tx := table.NewTx(r.values)
	for offset, record := range w.journal[p] {
		if e, is := record.entry.(events.Envelope); w.rules.step(&r.cursor, int64(offset), record.entry) && is {
			apply(tx, p, e)
		}
	}
	if err := tx.Flush(r.values); err != nil {
		panic(err)
	}
	return r
}
