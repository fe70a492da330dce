package simulation

import (
	"fmt"
	"sort"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
)

// node is one process: its replica outlives a crash, mostly; all else does not.
type node struct {
	world    *world
	number   int
	life     int
	id       events.NodeID
	paused   bool
	skew     time.Duration
	replicas [partitions]*replica
	runs     [partitions]*run
	held     [partitions]bool // assigned, as far as the node knows
	renders  map[events.JobID]*attempt
	away     map[events.JobID]handedOver
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
	n.runs, n.held = [partitions]*run{}, [partitions]bool{}
	n.renders, n.away = map[events.JobID]*attempt{}, map[events.JobID]handedOver{}
	n.paused = false
}

// crash ends the process. What its producers had under way may still arrive, up
// to some point; its store may be lost.
func (n *node) crash() {
	for _, r := range n.runs {
		if r != nil {
			r.flushSome()
		}
	}
	if n.world.chance(20) {
		for p := range n.replicas {
			n.replicas[p] = newReplica()
		}
	}
	n.start()
}

// limits are small, so that schedules run into them, and differ from version to
// version: a node comes back as another one.
func (n *node) limits(plan events.Plan) (account.Limits, bool) {
	l, ok := widest(plan)
	if (n.number+n.life)%2 == 0 {
		l.Jobs, l.Running = l.Jobs-2, l.Running-2
	}
	return l, ok
}

// widest is what no version exceeds.
func widest(plan events.Plan) (account.Limits, bool) {
	if plan == events.PlanFree {
		return account.Limits{Jobs: 6, Bytes: 5000, Running: 3}, true
	}
	return account.Limits{Jobs: 12, Bytes: 9000, Running: 5}, true
}

func (n *node) now() events.Instant { return n.world.now.Add(n.skew) }

// own begins an ownership, as an assignment or a respawn does.
func (n *node) own(p int32) {
	n.held[p] = true
	if n.runs[p] == nil {
		n.runs[p] = newRun(n, p)
	}
}

// resign ends what the node has of a partition.
func (n *node) resign(p int32) {
	n.held[p] = false
	if n.runs[p] != nil {
		n.runs[p].flushSome()
		n.runs[p] = nil
	}
	n.drop(p)
}

// step lets the node run for a while.
func (n *node) step() {
	for range 1 + n.world.rng.IntN(20) {
		p := int32(n.world.rng.IntN(partitions))
		if !n.paused {
			n.act(p)
		} else if r := n.runs[p]; r != nil && n.world.chance(20) {
			r.flushOne() // a paused process does nothing, but its packets travel
		}
	}
}

// act lets one random thing happen on the node.
func (n *node) act(p int32) {
	switch n.world.rng.IntN(10) {
	case 0, 1, 2:
		n.fold(p, 1+n.world.rng.IntN(4))
	case 3:
		n.render()
	default:
		if r := n.runs[p]; r != nil {
			r.step()
		}
	}
}

// drain does all that the node can do without faults.
func (n *node) drain() {
	for p := range int32(partitions) {
		n.fold(p, 1<<30)
		if r := n.runs[p]; r != nil {
			r.drain()
		}
		n.fold(p, 1<<30)
	}
	for range 3 {
		for _, id := range n.renderOrder() {
			n.advance(n.renders[id])
		}
	}
}

// fold reads some records of the journal into the replica and tells the host.
func (n *node) fold(p int32, limit int) {
	r := n.replicas[p]
	for ; limit > 0 && r.cursor.Next < int64(len(n.world.journal[p])); limit-- {
		offset := r.cursor.Next
		entry, err := events.DecodeEntry(n.world.journal[p][offset])
		if err != nil {
			panic(err)
		}
		step := projections.Step{Offset: offset, Entry: entry, Accepted: n.world.rules.step(&r.cursor, offset, entry)}
		if step.Accepted {
			r.apply(p, entry.(events.Envelope))
		}
		if n.runs[p] != nil {
			n.runs[p].progress = append(n.runs[p].progress, step)
		}
	}
}

// attempt is a render under way on a node.
type attempt struct {
	id      events.AttemptID
	account events.AccountID
	job     events.JobID
	started bool
	again   bool
}

// Perform is the node's side of shard.Performer.
func (n *node) perform(e job.Effect) {
	switch e := e.(type) {
	case job.Render:
		if a, known := n.renders[e.Job]; known {
			a.again = true
			return
		}
		if _, elsewhere := n.away[e.Job]; !elsewhere && !n.handOver(e) {
			n.begin(e)
		}
	case job.DeleteFile:
		delete(n.world.files, e.Name)
		if e.Tell {
			n.world.send(n.world.commandAt(n.now(), e.Account, events.ForgetFile{Job: e.Job, Name: e.Name}))
		}
	}
}

func (n *node) begin(e job.Render) {
	n.world.ids++
	n.renders[e.Job] = &attempt{id: events.AttemptID(n.world.ids), account: e.Account, job: e.Job}
}

func (n *node) renderOrder() []events.JobID { return inOrder(n.renders) }

func inOrder[V any](of map[events.JobID]V) []events.JobID {
	ids := make([]events.JobID, 0, len(of))
	for id := range of {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return string(ids[i][:]) < string(ids[j][:]) })
	return ids
}

// render moves a random attempt on.
func (n *node) render() {
	if ids := n.renderOrder(); len(ids) > 0 {
		n.advance(n.renders[ids[n.world.rng.IntN(len(ids))]])
	}
}

// advance starts an attempt, or ends one well, badly or with a file and no word of it.
func (n *node) advance(a *attempt) {
	if !a.started {
		a.started = true
		n.tell(a, events.StartRender{Job: a.job, Attempt: a.id, Node: n.id})
		return
	}
	if n.world.chance(20) {
		n.tell(a, events.FailRender{Job: a.job, Attempt: a.id, Code: events.BrowserCrashed, Retryable: n.world.chance(80)})
	} else {
		name := fmt.Sprintf("%s-%d", a.job, a.id)
		n.world.files[name] = true
		n.tell(a, events.FinishRender{Job: a.job, Attempt: a.id, File: events.File{Name: name, Size: 1000, Pages: 1}})
	}
	delete(n.renders, a.job)
	if a.again {
		n.perform(job.Render{Account: a.account, Job: a.job})
	}
}

// tell appends in order: a start reaches the log before its outcome does.
func (n *node) tell(a *attempt, body events.CommandBody) {
	p := n.world.commandAt(n.now(), a.account, body)
	n.world.deliver(p)
	if n.world.chance(10) {
		n.world.wire = append(n.world.wire, p)
	}
}

// replica is projections.Replica in memory.
type replica struct {
	cursor projections.Cursor
	values projections.Memory
}

func newReplica() *replica {
	return &replica{cursor: projections.Origin(), values: projections.Memory{}}
}

func (r *replica) apply(p int32, e events.Envelope) {
	tx := projections.NewTx(r.values)
	account.States{}.Apply(tx, p, e)
	projections.ReadModels{}.Apply(tx, p, e)
	if err := tx.Flush(r.values); err != nil {
		panic(err)
	}
}

func (r *replica) anyJob(is func(job.State) bool) bool {
	found := false
	for p := range int32(partitions) {
		_ = account.EachJob(r.values, p, func(_ events.JobID, s job.State) { found = found || is(s) })
	}
	return found
}
