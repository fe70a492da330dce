package render

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/job"
	"platen.dev/events"
)

// keptForQuick are the attempts that slow jobs leave to quick ones.
const keptForQuick = 2

// Messages to the dispatcher.
type (
	take struct {
		partition int32
		effect    job.Render
		// arrival is the place in the order in which jobs came.
		arrival uint64
	}
	begun      struct{ job events.JobID }
	drop       struct{ partition int32 }
	nodeGone   struct{ node events.NodeID }
	retire     struct{}
	drain      struct{ done chan struct{} }
	reconsider struct{}
	overdue    struct{ entry *entry }
)

// dispatcher is the actor behind Renderer. It begins the jobs of each lane in the
// order in which they came, as far as there are attempts left for the lane.
type dispatcher struct {
	cfg      Config
	ctx      context.Context
	queues   [lanes][]*entry // of those that wait, in the order of arrival
	known    map[events.JobID]*entry
	running  map[string]*entry // by the id of the attempt's actor
	arrivals uint64
	drained  chan struct{} // closed and nil again once drained
	retiring bool
	closing  bool
	peers    map[events.NodeID]*acquaintance
	counts   Counts
	told     Load
	figures  *atomic.Pointer[Figures]
}

// entry is a job that waits for its turn, has an attempt under way, or is with
// another node.
type entry struct {
	take  take
	where whereabouts
	again *take
	// to is the node that has the job, or was asked to take it; overdue ends the
	// patience with one that has it.
	to      events.NodeID
	overdue *time.Timer
}

type whereabouts uint8

const (
	waiting whereabouts = iota
	running
	offered // to another node
	away    // on another node, which has not begun yet
)

func (e *entry) lane() int { return lane(e.take.effect.Lane) }

func newDispatcher(ctx context.Context, cfg Config, figures *atomic.Pointer[Figures]) *dispatcher {
	return &dispatcher{
		cfg: cfg, ctx: ctx, figures: figures,
		known: map[events.JobID]*entry{}, running: map[string]*entry{}, peers: map[events.NodeID]*acquaintance{},
	}
}

// Receive dispatches.
func (d *dispatcher) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case take:
		d.onTake(m)
	case begun:
		d.onBegun(m.job)
	case drop:
		d.onDrop(m.partition)
	case *wrapperspb.BytesValue:
		d.onOffered(ctx, m.Value)
	case nodeGone:
		d.onNodeGone(m.node)
	case overdue:
		d.onOverdue(m.entry)
	case retire:
		d.onRetire()
	case drain:
		d.onDrain(m.done)
	case *actor.Terminated:
		d.onTerminated(m.Who)
	case *actor.Started, reconsider:
	default:
		return
	}
	d.next(ctx)
}

// next begins what can be begun, and hands over what others can begin sooner.
func (d *dispatcher) next(ctx actor.Context) {
	for e := d.first(d.room); e != nil; e = d.first(d.room) {
		d.begin(ctx, d.dequeue(e))
	}
	d.handOver(ctx)
	d.report()
	d.settle()
}

// room tells whether there is an attempt left for a lane.
func (d *dispatcher) room(in int) bool {
	if d.retiring || len(d.running) >= d.cfg.Attempts {
		return false
	}
	slow := lane(events.Slow)
	return in != slow || d.runningIn(slow) < slowShare(d.cfg.Attempts, keptForQuick)
}

func (d *dispatcher) runningIn(in int) (n int) {
	for _, e := range d.running {
		if e.lane() == in {
			n++
		}
	}
	return n
}

// first is the job that has waited longest in the lanes that may, or nil.
func (d *dispatcher) first(may func(lane int) bool) (first *entry) {
	for in, queue := range d.queues {
		if len(queue) > 0 && (first == nil || queue[0].take.arrival < first.take.arrival) && may(in) {
			first = queue[0]
		}
	}
	return first
}

func (d *dispatcher) begin(ctx actor.Context, e *entry) {
	e.where = running
	m := e.take
	pid := ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return newAttempt(d.cfg, d.ctx, m) }))
	d.running[pid.Id] = e
}

func (d *dispatcher) onTake(m take) {
	e, known := d.known[m.effect.Job]
	switch {
	case d.closing:
	case !known:
		d.arrivals++
		m.arrival = d.arrivals
		d.enqueue(d.know(m))
	case e.where == running:
		e.again = &m
	}
}

func (d *dispatcher) know(m take) *entry {
	e := &entry{take: m}
	d.known[m.effect.Job] = e
	return e
}

// enqueue puts a job where it belongs by its arrival, at the end most often.
func (d *dispatcher) enqueue(e *entry) {
	e.where = waiting
	q := d.queues[e.lane()]
	i := len(q)
	for i > 0 && q[i-1].take.arrival > e.take.arrival {
		i--
	}
	d.queues[e.lane()] = slices.Insert(q, i, e)
}

// dequeue takes the first of a queue out of it.
func (d *dispatcher) dequeue(e *entry) *entry {
	q := d.queues[e.lane()]
	q[0] = nil
	d.queues[e.lane()] = q[1:]
	return e
}

// forget forgets a job that is not under way here.
func (d *dispatcher) forget(e *entry) {
	if e.where == waiting {
		q := d.queues[e.lane()]
		i := slices.Index(q, e)
		d.queues[e.lane()] = slices.Delete(q, i, i+1)
	}
	e.stopTimer()
	delete(d.known, e.take.effect.Job)
}

// onBegun forgets what some attempt holds: should it lose the job, that is asked for again.
func (d *dispatcher) onBegun(id events.JobID) {
	if e, known := d.known[id]; known && e.where != running {
		d.forget(e)
	}
}

func (d *dispatcher) onDrop(partition int32) {
	for _, e := range d.known {
		if e.take.partition == partition && e.where != running {
			d.forget(e)
		}
	}
}

func (d *dispatcher) onRetire() {
	d.retiring = true
	d.cfg.Logger.Info("no render is begun any more", "running", len(d.running), "waiting", len(d.queues[0])+len(d.queues[1]))
}

func (d *dispatcher) onDrain(done chan struct{}) {
	d.drained, d.retiring, d.closing = done, true, true
	for _, e := range d.known {
		if e.where != running {
			d.forget(e)
		}
	}
}

func (d *dispatcher) onTerminated(who *actor.PID) {
	e, known := d.running[who.Id]
	if !known {
		return
	}
	delete(d.running, who.Id)
	delete(d.known, e.take.effect.Job)
	if e.again != nil {
		d.onTake(*e.again)
	}
}

func (d *dispatcher) settle() {
	if d.drained != nil && len(d.running) == 0 {
		close(d.drained)
		d.drained = nil
	}
}
