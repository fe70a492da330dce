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
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/job"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/eventlog"
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

// Renderer takes up the render effects of this node's shards: in each lane first
// come first served. What it cannot begin itself, it hands over to a node that can.
type Renderer struct {
	system  *actor.ActorSystem
	pid     *actor.PID
	cancel  context.CancelFunc
	figures *atomic.Pointer[Figures]
}

// name is under which name the dispatchers of all nodes are found.
const name = "renderer"

// PID is where the renderer of the node is found whose actors have the address.
func PID(address string) *actor.PID { return actor.NewPID(address, name) }

// Start starts a renderer.
func Start(system *actor.ActorSystem, cfg Config) (*Renderer, error) {
	return startAs(name, system, cfg)
}

func startAs(name string, system *actor.ActorSystem, cfg Config) (*Renderer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Renderer{system: system, cancel: cancel, figures: &atomic.Pointer[Figures]{}}
	r.figures.Store(&Figures{})
	props := actor.PropsFromProducer(func() actor.Actor { return newDispatcher(ctx, cfg, r.figures) }, actor.WithSupervisor(stopOnFailure))
	var err error
	if r.pid, err = system.Root.SpawnNamed(props, name); err != nil {
		cancel()
		return nil, err
	}
	return r, nil
}

var stopOnFailure = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

// Render takes a job up. One that waits here already is not taken twice; one that
// is under way is taken up again once that attempt has ended, for it may have
// lost the job meanwhile.
func (r *Renderer) Render(partition int32, e job.Render) {
	r.system.Root.Send(r.pid, take{partition: partition, effect: e})
}

// Begun tells that the journal gave a job to an attempt, of this node or another:
// it need not be begun any more.
func (r *Renderer) Begun(id events.JobID) { r.system.Root.Send(r.pid, begun{id}) }

// Drop forgets the jobs of a partition that wait for their turn, here or elsewhere.
func (r *Renderer) Drop(partition int32) { r.system.Root.Send(r.pid, drop{partition}) }

// NodeGone tells that a node is down: what it took and has not begun is taken up here.
func (r *Renderer) NodeGone(node events.NodeID) { r.system.Root.Send(r.pid, nodeGone{node}) }

// PeersChanged tells that other nodes came or have another load.
func (r *Renderer) PeersChanged() { r.system.Root.Send(r.pid, reconsider{}) }

// Retire begins nothing more and takes nothing from other nodes, who are told so;
// what waits here is handed over as far as they take it.
func (r *Renderer) Retire() { r.system.Root.Send(r.pid, retire{}) }

// Figures is the renderer at the present moment.
func (r *Renderer) Figures() Figures { return *r.figures.Load() }

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
