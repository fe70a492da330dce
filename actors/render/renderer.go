// Package render turns queued jobs into files. A Renderer per node decides with package
// dispatch which job begins when and where, and runs one actor per active job, which
// package attempt leads from step to step: read the content, lease a page, render,
// finish, store, and tell the job's shard by commands. A job that waits is an entry of
// the dispatcher and a row of the replica.
package render

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/actors/render/dispatch"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// Lease is one page lent to one attempt. Return must be called once.
type Lease interface {
	Print(ctx context.Context, p page.Print) (page.Result, error)
	Capture(ctx context.Context, c page.Capture) (page.Image, error)
	Return()
}

// Files is where results go; store.Dir is one.
type Files interface {
	// Put stores the bytes of r under name, durably, and returns their number.
	Put(ctx context.Context, name string, r io.Reader, limit int64) (int64, error)
}

// Peers are the other nodes of a cluster. No call blocks.
type Peers interface {
	// Peers lists the other nodes that are up.
	Peers() []dispatch.Peer
	// Renderer is where the renderer of a node is found; nil when the node is not up.
	Renderer(events.NodeID) *actor.PID
	// Tell tells them the load of this node; of several in short order, the last.
	Tell(dispatch.Load)
}

// Config is what the attempts of a node share.
type Config struct {
	Node events.NodeID
	Log  eventlog.Log
	// Acquire waits for a page in a lane until ctx ends.
	Acquire func(ctx context.Context, lane events.Lane) (Lease, error)
	// Unseal decrypts a credential of a job.
	Unseal func(job events.JobID, sealed events.Sealed) (string, error)
	// Pages counts the pages of a PDF whose pool has not.
	Pages func(pdf []byte) (int, error)
	Files Files
	// Attempts bounds the attempts under way, those that wait for a page included.
	Attempts int
	// Slots is how many pages Acquire lends at once; the other nodes are told.
	Slots int
	// Peers are the other nodes, which must share Log and Files; nil for a node that is alone.
	Peers Peers
	// Observe hears of every attempt that has ended; nil for nobody. It must not block.
	Observe func(Report)
	Logger  *slog.Logger
	Now     func() time.Time
}

// Renderer performs the render effects of this node's shards, and takes jobs of other
// nodes. Its methods may be called from any goroutine and return at once, but for Close.
type Renderer struct {
	system  *actor.ActorSystem
	pid     *actor.PID
	cancel  context.CancelFunc
	figures *atomic.Pointer[Figures]
	active  *sync.Map // events.JobID to the *actor.PID of its actor
	end     sync.Once
}

// name is under which name the renderers of all nodes are found.
const name = "renderer"

// PID is where the renderer of the node is found whose actors have the address.
func PID(address string) *actor.PID { return actor.NewPID(address, name) }

// Start starts a renderer.
func Start(system *actor.ActorSystem, cfg Config) (*Renderer, error) {
	return startAs(name, system, cfg)
}

func startAs(name string, system *actor.ActorSystem, cfg Config) (*Renderer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Renderer{system: system, cancel: cancel, figures: &atomic.Pointer[Figures]{}, active: &sync.Map{}}
	r.figures.Store(&Figures{})
	props := actor.PropsFromProducer(func() actor.Actor { return newDispatcher(ctx, cfg, r) }, actor.WithSupervisor(stopOnFailure))
	var err error
	if r.pid, err = system.Root.SpawnNamed(props, name); err != nil {
		cancel()
		return nil, err
	}
	return r, nil
}

// stopOnFailure ends a job's actor that panics: its successor begins a new attempt.
var stopOnFailure = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

func (r *Renderer) send(in dispatch.Input) { r.system.Root.Send(r.pid, in) }

// Perform takes a job.Render up. One that waits here already is not taken twice; one
// that is under way is taken up again once that attempt has ended, for it may have lost
// the job meanwhile.
func (r *Renderer) Perform(partition int32, e job.Effect) {
	if e, ok := e.(job.Render); ok {
		r.send(dispatch.Take{Partition: partition, Effect: e})
	}
}

// Forget withdraws a job that has not begun here: the journal gave it to an attempt,
// of this node or another.
func (r *Renderer) Forget(key job.EffectKey) { r.send(dispatch.Forget{Job: key.Job}) }

// ForgetAll withdraws the jobs of a partition that have not begun.
func (r *Renderer) ForgetAll(partition int32) { r.send(dispatch.ForgetAll{Partition: partition}) }

// Folded passes on what the journal says of the jobs under way here.
func (r *Renderer) Folded(p projections.Progress) {
	for _, step := range p.Steps {
		e, ok := step.Entry.(events.Envelope)
		if !ok || !step.Accepted {
			continue
		}
		for _, ev := range e.Events {
			id, _ := events.JobOf(ev)
			if pid, working := r.active.Load(id); working {
				r.system.Root.Send(pid.(*actor.PID), attempt.Fact{Event: ev})
			}
		}
	}
}

// NodeGone reports that a node is down: what it took and has not begun is taken up here.
func (r *Renderer) NodeGone(node events.NodeID) { r.send(dispatch.NodeGone{Node: node}) }

// PeersChanged reports that other nodes came, went or have another load.
func (r *Renderer) PeersChanged() { r.system.Root.Send(r.pid, peersChanged{}) }

// Retire begins nothing more and takes nothing from other nodes, who are told so;
// what waits here is handed over as far as they take it.
func (r *Renderer) Retire() { r.send(dispatch.Retire{}) }

// Figures is the renderer at the present moment.
func (r *Renderer) Figures() Figures { return *r.figures.Load() }

// closeLimit bounds the end of the attempts that Close cancels.
const closeLimit = 5 * time.Second

// Close starts nothing more, waits for the attempts that hold a page until ctx
// ends, then ends them; those are rendered again elsewhere, or after a restart. Only the
// first call does anything.
func (r *Renderer) Close(ctx context.Context) {
	r.end.Do(func() { r.close(ctx) })
}

func (r *Renderer) close(ctx context.Context) {
	drained := make(chan struct{})
	r.system.Root.Send(r.pid, drain{drained})
	select {
	case <-drained:
	case <-ctx.Done():
		r.cancel()
		select {
		case <-drained:
		case <-time.After(closeLimit):
		}
	}
	r.cancel()
	_ = r.system.Root.StopFuture(r.pid).Wait() // only a timeout could come, and nothing hangs on it
}
