package render

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/render/attempt"
)

// jobActor works on one active job on this node. It feeds the attempt with what happens (the end of
// a step, a fact of the journal) and carries out the outputs. It never blocks: each step runs on
// its own goroutine and reports back. It ends with the job's work, and its parent, the dispatcher,
// learns of the end whatever its cause.
type jobActor struct {
	work    *work
	machine *attempt.Machine
	ctx     context.Context
	cancel  context.CancelFunc
	end     *atomic.Pointer[ended] // set before the end; read by the parent after it
	fault   error                  // of the last step that met a fault of the infrastructure
}

// ended describes an attempt that has ended, for the dispatcher.
type ended struct {
	attempt.End
	// cost is how long the attempt had its page.
	cost time.Duration
	// fault is the last fault of the infrastructure, nil if there was none.
	fault error
}

// stepDone is the message that a step has ended, from a jobActor to itself.
type stepDone struct {
	step attempt.Step
	err  error
}

func newJobActor(ctx context.Context, w *work, end *atomic.Pointer[ended]) *jobActor {
	j := &jobActor{work: w, machine: attempt.New(w.id), end: end}
	j.ctx, j.cancel = context.WithCancel(ctx)
	return j
}

// Receive dispatches.
func (j *jobActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		j.take(ctx, attempt.Start{})
	case stepDone:
		j.take(ctx, j.done(m))
	case attempt.Fact:
		j.take(ctx, m)
	case *actor.Stopping:
		j.cancel() // returns the page if the actor failed while it had one
	}
}

// done is the end of a step as the attempt sees it. A step that fails because it was
// cancelled is cancelled, not failed.
func (j *jobActor) done(m stepDone) attempt.Done {
	in := attempt.Done{Step: m.step, NoPage: j.work.submission.Test}
	if m.err != nil && j.ctx.Err() != nil {
		in.Cancelled = true
		return in
	}
	if in.Fault = j.work.faultOf(m.err); in.Fault != nil {
		if in.Fault.Infrastructure {
			j.fault = m.err
		}
		j.work.cfg.Logger.Warn("render attempt failed", "job", j.work.job.String(), "error", m.err)
	}
	return in
}

func (j *jobActor) take(ctx actor.Context, in attempt.Input) {
	for _, out := range j.machine.Step(in) {
		switch out := out.(type) {
		case attempt.Do:
			j.run(ctx, out)
		case attempt.Release:
			j.work.returnPage()
		case attempt.Abort:
			j.cancel()
		case attempt.End:
			j.work.endTrace()
			j.end.Store(&ended{out, j.work.held, j.fault})
			ctx.Stop(ctx.Self())
		}
	}
}

func (j *jobActor) run(ctx actor.Context, do attempt.Do) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	go func() { root.Send(self, stepDone{do.Step, j.work.step(j.ctx, do)}) }()
}
