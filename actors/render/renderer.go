// Package render turns queued jobs into files: a Renderer per node starts one
// Attempt actor per job it takes up; an attempt leases a page, prints, stores the
// file and tells the job's shard with commands. Whatever an attempt does is void
// unless the journal says that it holds the job, so attempts may be lost,
// repeated or run twice without harm.
package render

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/job"
	"platen.dev/browserpool"
	"platen.dev/events"
	"platen.dev/events/log"
)

// Lease is one page lent to one attempt. Return must be called once.
type Lease interface {
	Print(ctx context.Context, p browserpool.Print) (browserpool.Result, error)
	Capture(ctx context.Context, c browserpool.Capture) (browserpool.Image, error)
	Return()
}

// Files is where results go; store.Dir is one.
type Files interface {
	// Put stores the bytes of r under name, durably, and returns their number.
	Put(ctx context.Context, name string, r io.Reader, limit int64) (int64, error)
}

// Config is what the attempts of a node share.
type Config struct {
	Node events.NodeID
	Log  log.Log
	// Acquire waits for a page until ctx ends.
	Acquire func(ctx context.Context) (Lease, error)
	// Unseal decrypts a credential of a job.
	Unseal func(job events.JobID, sealed events.Sealed) (string, error)
	// Pages counts the pages of a PDF whose pool has not.
	Pages func(pdf []byte) (int, error)
	Files Files
	// Attempts bounds the attempts under way, those that wait for a page included.
	Attempts int
	Logger   *slog.Logger
	Now      func() time.Time
}

// Renderer takes up the render effects of this node's shards, first come first served.
type Renderer struct {
	system *actor.ActorSystem
	pid    *actor.PID
	cancel context.CancelFunc
}

// Start starts a renderer.
func Start(system *actor.ActorSystem, cfg Config) (*Renderer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	props := actor.PropsFromProducer(func() actor.Actor {
		return &dispatcher{cfg: cfg, ctx: ctx, known: map[events.JobID]*entry{}, running: map[string]events.JobID{}}
	}, actor.WithSupervisor(stopOnFailure))
	pid, err := system.Root.SpawnNamed(props, "renderer")
	if err != nil {
		cancel()
		return nil, err
	}
	return &Renderer{system: system, pid: pid, cancel: cancel}, nil
}

var stopOnFailure = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

// Render takes a job up. One that waits here already is not taken twice; one that
// is under way is taken up again once that attempt has ended, for it may have
// lost the job meanwhile.
func (r *Renderer) Render(partition int32, e job.Render) {
	r.system.Root.Send(r.pid, take{partition, e})
}

// Drop forgets the jobs of a partition that wait for their turn.
func (r *Renderer) Drop(partition int32) { r.system.Root.Send(r.pid, drop{partition}) }

// Close starts nothing more, waits for the attempts that hold a page until ctx
// ends, then ends them; those are rendered again elsewhere, or after a restart.
func (r *Renderer) Close(ctx context.Context) {
	drained := make(chan struct{})
	r.system.Root.Send(r.pid, drain{drained})
	select {
	case <-drained:
	case <-ctx.Done():
	}
	r.cancel()
	_ = r.system.Root.StopFuture(r.pid).Wait() // only a timeout could come, and nothing hangs on it
}

// Messages to the dispatcher.
type (
	take struct {
		partition int32
		effect    job.Render
	}
	drop  struct{ partition int32 }
	drain struct{ done chan struct{} }
)

// dispatcher is the actor behind Renderer.
type dispatcher struct {
	cfg     Config
	ctx     context.Context
	queue   []take
	known   map[events.JobID]*entry
	running map[string]events.JobID // by the id of the attempt's actor
	drained chan struct{}           // closed and nil again once drained
	closing bool
}

// entry is a job that waits for its turn, or has an attempt under way.
type entry struct {
	running bool
	again   *take
}

// Receive dispatches.
func (d *dispatcher) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case take:
		d.onTake(ctx, m)
	case drop:
		d.onDrop(m.partition)
	case drain:
		d.drained, d.closing = m.done, true
		d.queue = nil
		d.settle()
	case *actor.Terminated:
		d.onTerminated(ctx, m.Who)
	}
}

func (d *dispatcher) onTake(ctx actor.Context, m take) {
	e, known := d.known[m.effect.Job]
	switch {
	case d.closing:
	case !known:
		d.known[m.effect.Job] = &entry{}
		d.queue = append(d.queue, m)
		d.next(ctx)
	case e.running:
		e.again = &m
	}
}

func (d *dispatcher) next(ctx actor.Context) {
	for len(d.running) < d.cfg.Attempts && len(d.queue) > 0 {
		m := d.queue[0]
		d.queue = d.queue[1:]
		d.known[m.effect.Job].running = true
		pid := ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return newAttempt(d.cfg, d.ctx, m) }))
		d.running[pid.Id] = m.effect.Job
	}
}

func (d *dispatcher) onDrop(partition int32) {
	kept := d.queue[:0]
	for _, m := range d.queue {
		if m.partition != partition {
			kept = append(kept, m)
			continue
		}
		delete(d.known, m.effect.Job)
	}
	d.queue = kept
}

func (d *dispatcher) onTerminated(ctx actor.Context, who *actor.PID) {
	id := d.running[who.Id]
	again := d.known[id].again
	delete(d.running, who.Id)
	delete(d.known, id)
	if again != nil {
		d.onTake(ctx, *again)
	}
	d.next(ctx)
	d.settle()
}

func (d *dispatcher) settle() {
	if d.drained != nil && len(d.running) == 0 {
		close(d.drained)
		d.drained = nil
	}
}
