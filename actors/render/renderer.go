// Package render turns queued jobs into files. Each node has a Renderer. It decides with
// package dispatch which job begins when and where, and runs one actor per active job.
// That actor follows package attempt from step to step: read the content, lease a page,
// render, finish, store, and report to the job's shard by commands. A waiting job is an
// entry of the dispatcher and a row of the replica.
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
	"platen.dev/events/tracing"
	"platen.dev/projections"
	"platen.dev/store"
)

// Lease is one page lent to one attempt. Return must be called once.
type Lease interface {
	Print(ctx context.Context, p page.Print) (page.Result, error)
	Capture(ctx context.Context, c page.Capture) (page.Image, error)
	Return()
}

// Files stores results and reads the files that submits have stored; the back ends of package store
// implement it.
type Files interface {
	// Put durably stores the bytes of r under name and returns their number.
	Put(ctx context.Context, name string, r io.Reader, limit int64) (int64, error)
	// Open opens a file, or returns store.ErrNotExist.
	Open(ctx context.Context, name string) (*store.File, error)
}

// Peers gives access to the other nodes of a cluster. Its methods do not block.
type Peers interface {
	// Peers lists the other nodes that are up.
	Peers() []dispatch.Peer
	// Renderer returns the address of a node's renderer, nil if the node is not up.
	Renderer(events.NodeID) *actor.PID
	// Tell reports this node's load to them. Of several reports in quick succession, only the last may
	// be sent.
	Tell(dispatch.Load)
}

// Config configures a Renderer.
type Config struct {
	Node events.NodeID
	Log  eventlog.Log
	// Acquire waits for a page that suits a lane, until ctx ends.
	Acquire func(ctx context.Context, account events.AccountID, lane events.Lane) (Lease, error)
	// Weight returns an account's share of the node relative to others; nil gives all the same.
	Weight func(events.AccountID) int
	// Unseal decrypts a credential.
	Unseal func(job events.JobID, sealed events.Sealed) (string, error)
	// Engine describes the engine that makes the files, without its fonts; nil if unknown.
	Engine func() events.Engine
	// Pages counts the pages of a PDF that the browser pool has not counted.
	Pages func(pdf []byte) (int, error)
	// FileURL returns where the file of a job can be downloaded.
	FileURL func(events.JobID) string
	Files   Files
	// Attempts is the maximum number of attempts at quick and slow jobs under way, including those
	// that wait for a page.
	Attempts int
	// Slots is how many pages Acquire lends at once to quick and slow jobs, and Remotes how
	// many to remote ones. They are part of the load that other nodes see.
	Slots, Remotes int
	// Peers are the other nodes, which must share Log and Files; nil for a single node.
	Peers Peers
	// Probe tests everything that attempts depend on, and returns why one would fail. It is
	// called while rendering is suspended because several attempts in a row met a fault of
	// the infrastructure.
	Probe func(ctx context.Context) error
	// Traces makes the spans of attempts; nil for none.
	Traces *tracing.Tracer
	// Observe is called once for each attempt that has ended. It must not block, and may
	// be nil.
	Observe func(Report)
	Logger  *slog.Logger
	Now     func() time.Time
}

// Renderer performs the render effects of this node's shards, and renders jobs for other
// nodes. Its methods may be called from any goroutine. All but Close return at once.
type Renderer struct {
	system   *actor.ActorSystem
	pid      *actor.PID
	cancel   context.CancelFunc
	figures  *atomic.Pointer[Figures]
	fault    atomic.Pointer[error] // why rendering is suspended; nil if it is not
	active   *sync.Map             // events.JobID to the *actor.PID of its actor
	weights  *weights
	end      sync.Once
	cfg      Config
	previews *previews
}

// ActorName is the name of every node's renderer actor.
const ActorName = "renderer"

// PID returns the PID of the renderer of the node whose actors listen on address.
func PID(address string) *actor.PID { return actor.NewPID(address, ActorName) }

// Start starts a renderer.
func Start(system *actor.ActorSystem, cfg Config) (*Renderer, error) {
	return startAs(ActorName, system, cfg)
}

func startAs(name string, system *actor.ActorSystem, cfg Config) (*Renderer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Renderer{system: system, cancel: cancel, figures: &atomic.Pointer[Figures]{}, active: &sync.Map{}, weights: newWeights(cfg.Weight), cfg: cfg, previews: newPreviews()}
	r.figures.Store(&Figures{})
	props := actor.PropsFromProducer(func() actor.Actor { return newDispatcher(ctx, cfg, r) }, actor.WithSupervisor(stopOnFailure))
	var err error
	if r.pid, err = system.Root.SpawnNamed(props, name); err != nil {
		cancel()
		return nil, err
	}
	return r, nil
}

// stopOnFailure stops a job's actor that panics. Its successor begins a new attempt.
var stopOnFailure = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

func (r *Renderer) send(in dispatch.Input) { r.system.Root.Send(r.pid, in) }

// Perform takes a job.Render. If the job is already waiting here, nothing changes. If an
// attempt is under way, the job is begun again after it, because that attempt may have
// lost the job meanwhile.
func (r *Renderer) Perform(partition int32, e job.Effect) {
	if e, ok := e.(job.Render); ok {
		r.send(dispatch.Take{Partition: partition, Effect: e, Weight: r.weights.get(e.Account)})
	}
}

// Resume takes a job.Render that may have been lost: it begins only a job that this node knows
// nothing of.
func (r *Renderer) Resume(partition int32, e job.Effect) {
	if e, ok := e.(job.Render); ok {
		r.send(dispatch.Resume{Partition: partition, Effect: e, Weight: r.weights.get(e.Account)})
	}
}

// Forget withdraws a job that has not begun here: the journal gave it to an attempt on
// this node or another.
func (r *Renderer) Forget(key job.EffectKey) { r.send(dispatch.Forget{Job: key.Job}) }

// ForgetAll withdraws the jobs of a partition that have not begun.
func (r *Renderer) ForgetAll(partition int32) { r.send(dispatch.ForgetAll{Partition: partition}) }

// Folded passes the journal's events about the jobs under way here to their actors.
func (r *Renderer) Folded(p projections.Progress) {
	p.Events(func(ev events.Event) {
		id, _ := events.JobOf(ev)
		if pid, working := r.active.Load(id); working {
			r.system.Root.Send(pid.(*actor.PID), attempt.Fact{Event: ev})
		}
	})
}

// NodeGone reports that a node is down. Jobs that it took and did not begin are taken
// back.
func (r *Renderer) NodeGone(node events.NodeID) { r.send(dispatch.NodeGone{Node: node}) }

// PeersChanged reports that other nodes joined, left or changed their load.
func (r *Renderer) PeersChanged() { r.system.Root.Send(r.pid, peersChanged{}) }

// Retire stops beginning jobs and taking those of other nodes, and tells them so. Waiting jobs are
// handed over to nodes that take them.
func (r *Renderer) Retire() { r.send(dispatch.Retire{}) }

// Return ends a Retire: jobs are begun, and taken from other nodes, again.
func (r *Renderer) Return() { r.send(dispatch.Return{}) }

// Figures returns a snapshot of the renderer.
func (r *Renderer) Figures() Figures { return *r.figures.Load() }

// Usage returns up to limit accounts with the most jobs here, or the error of ctx.
func (r *Renderer) Usage(ctx context.Context, limit int) ([]dispatch.Usage, error) {
	to := make(chan []dispatch.Usage, 1)
	r.system.Root.Send(r.pid, usageRequest{limit, to})
	select {
	case all := <-to:
		return all, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Fault returns why rendering is suspended, as the last probe or else the attempts found; nil if it is not.
func (r *Renderer) Fault() error {
	fault := r.fault.Load()
	if fault == nil || !r.Figures().Load.Suspended {
		return nil
	}
	return *fault
}

// closeLimit bounds how long Close waits for the attempts that it cancels.
const closeLimit = 5 * time.Second

// Close begins nothing more. It waits until ctx ends for the attempts that hold a page, then
// cancels them; their jobs are rendered again elsewhere or after a restart. Only the first call
// does anything.
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
	_ = r.system.Root.StopFuture(r.pid).Wait() // the only error is a timeout, which changes nothing
}
