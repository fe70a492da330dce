package render

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/render/attempt"
	"platen.dev/actors/render/dispatch"
)

// Messages to the dispatcher that are not yet inputs.
type (
	peersChanged struct{}
	drain        struct{ done chan struct{} }
	// probed is the result of a probe.
	probed struct{ err error }
	// usageRequest asks for up to limit accounts with the most jobs.
	usageRequest struct {
		limit int
		to    chan []dispatch.Usage
	}
)

// dispatcher is the actor behind Renderer. It turns messages into inputs of the
// dispatch.Machine and carries out its outputs. The actors of jobs are its children.
type dispatcher struct {
	cfg      Config
	ctx      context.Context
	renderer *Renderer
	machine  *dispatch.Machine
	children map[string]child // by the id of the job's actor
	drained  chan struct{}
	// fault is the error of the last attempt that met a fault of the infrastructure, nil if there was none since rendering was resumed.
	fault error
	// announced is set while the log's last word is that rendering is suspended.
	announced bool
}

type child struct {
	work *work
	end  *atomic.Pointer[ended]
}

func newDispatcher(ctx context.Context, cfg Config, r *Renderer) *dispatcher {
	return &dispatcher{
		cfg: cfg, ctx: ctx, renderer: r, children: map[string]child{},
		machine: dispatch.New(dispatch.Settings{Attempts: cfg.Attempts, Slots: cfg.Slots, Remotes: cfg.Remotes}),
	}
}

// Receive implements actor.Actor.
func (d *dispatcher) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started, peersChanged:
		d.take(ctx, dispatch.PeersChanged{Peers: d.peers()})
	case *wrapperspb.BytesValue:
		d.onOffered(ctx, m.Value)
	case drain:
		d.drained = m.done
		d.take(ctx, dispatch.Drain{})
	case usageRequest:
		m.to <- d.machine.Usage(m.limit)
	case *actor.Terminated:
		d.onTerminated(ctx, m.Who)
	case probed:
		d.onProbed(ctx, m.err)
	case dispatch.Retire:
		d.take(ctx, m)
		f := d.renderer.Figures()
		d.cfg.Logger.Debug("renderer retired", "running", f.Load.Running, "queued", f.Load.Queued)
	case dispatch.Input:
		d.take(ctx, m)
	}
}

func (d *dispatcher) peers() []dispatch.Peer {
	if d.cfg.Peers == nil {
		return nil
	}
	return d.cfg.Peers.Peers()
}

func (d *dispatcher) take(ctx actor.Context, in dispatch.Input) {
	for _, out := range d.machine.Step(in) {
		d.do(ctx, out)
	}
}

func (d *dispatcher) do(ctx actor.Context, out dispatch.Output) {
	switch out := out.(type) {
	case dispatch.Begin:
		d.begin(ctx, out)
	case dispatch.Offer:
		d.offer(ctx, out)
	case dispatch.Answer:
		respond(ctx, out)
	case dispatch.Remind:
		self, root := ctx.Self(), ctx.ActorSystem().Root
		time.AfterFunc(out.After, func() { root.Send(self, out.Of) })
	case dispatch.Probe:
		d.probe(ctx)
	case dispatch.Report:
		d.report(out)
	case dispatch.Drained:
		close(d.drained)
	}
}

func (d *dispatcher) begin(ctx actor.Context, out dispatch.Begin) {
	w, end := newWork(d.cfg, out), &atomic.Pointer[ended]{}
	end.Store(&ended{End: attempt.End{GivesBack: true}}) // of an actor that panics
	pid := ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return newJobActor(d.ctx, w, end) }))
	d.children[pid.Id] = child{w, end}
	d.renderer.active.Store(w.job, pid)
}

func (d *dispatcher) onTerminated(ctx actor.Context, who *actor.PID) {
	c, known := d.children[who.Id]
	if !known {
		return
	}
	delete(d.children, who.Id)
	d.renderer.active.Delete(c.work.job)
	end := c.end.Load()
	if end.GivesBack {
		go func() { _ = c.work.giveBack(d.ctx) }() // it fails only when the node or its log ends, and then the job is lost with the node
	}
	if end.Health == attempt.Faulty {
		d.fault = end.fault
	}
	d.take(ctx, dispatch.Ended{Job: c.work.job, Told: end.Told, Health: end.Health, Cost: end.cost})
}

// probeLimit bounds one probe.
const probeLimit = 30 * time.Second

// probe tests what the node depends on, on a goroutine of its own.
func (d *dispatcher) probe(ctx actor.Context) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	go func() {
		ctx, cancel := context.WithTimeout(d.ctx, probeLimit)
		defer cancel()
		root.Send(self, probed{d.cfg.Probe(ctx)})
	}()
}

// onProbed logs once why rendering is suspended. If the probe finds nothing, the attempts' fault is the reason: a fault that only jobs meet must show.
func (d *dispatcher) onProbed(ctx actor.Context, err error) {
	fault := cmp.Or(err, d.fault)
	d.renderer.fault.Store(&fault)
	if !d.announced && d.ctx.Err() == nil {
		d.announced = true
		d.cfg.Logger.Error("rendering is suspended: jobs wait until the fault is mended", "error", fault)
	}
	d.take(ctx, dispatch.Probed{Sound: err == nil})
}

// report publishes the figures, and tells the other nodes if the load has changed. Until a probe ends, rendering is suspended for the attempts' fault.
func (d *dispatcher) report(out dispatch.Report) {
	before := d.renderer.figures.Swap(&Figures{out.Load, out.Counts})
	switch was, is := before.Load.Suspended, out.Load.Suspended; {
	case !was && is:
		fault := d.fault
		d.renderer.fault.Store(&fault)
	case was && !is:
		d.fault = nil
		d.renderer.fault.Store(nil)
	}
	if d.announced && !out.Load.Suspended {
		d.announced = false
		d.cfg.Logger.Info("rendering is resumed")
	}
	if d.cfg.Peers != nil && before.Load != out.Load {
		d.cfg.Peers.Tell(out.Load)
	}
}
