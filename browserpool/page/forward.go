package page

import (
	"context"
	_ "embed"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

const (
	// forwardStep is by how much a page's clock is put forward between two frames. Animation libraries take a longer pause
	// for one in which the page was not shown, and go on from where they were.
	forwardStep = 400 * time.Millisecond
	// forwardSteps is how often it is put forward at most: for 3.2 seconds, in which most of what moves comes to its end, and few
	// pages show what asks for attention.
	forwardSteps = 8
	// restSteps is for how many steps a page must not move to be at rest: it may begin after a pause.
	restSteps = 2
	// followFor is how long, in real time, a page that still moves then is shown, while it changes with each frame: script may go by the time of
	// frames, which cannot be put forward.
	followFor = 2 * time.Second
	// forwardTimeout bounds all of it, in real time: what a page fetches meanwhile, for which its clock waits, may never arrive.
	forwardTimeout = 5 * time.Second
	// forwardTasks is how many tasks may run at one moment of the page's clock.
	forwardTasks = 1000
)

// moving shows a frame and reports whether the page moves.
//
//go:embed script/moving.js
var moving string

// motion is what a page does on its own.
type motion struct{ Moves, Used bool }

// forward puts the clock of a visit forward until its script comes to rest: charts have grown, numbers have counted up and
// text is written, as if somebody had waited. That takes a frame each step. A page that uses no timer and does not move keeps its clock.
// Afterwards the clock stands still, and no other document may be shown on the page.
func (p *page) forward(ctx context.Context) error {
	if !p.scripted {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, forwardTimeout, errBudget)
	defer cancel()
	var now motion
	for range 2 { // the first has nothing to compare with
		if ran, err := p.run(ctx, moving, 0, &now); err != nil || !ran {
			return err
		}
	}
	if !now.Moves && !now.Used {
		return nil
	}
	moves, err := p.advanceToRest(ctx)
	if err == nil && moves {
		_, err = p.run(ctx, moving, followFor.Milliseconds(), nil)
	}
	return err
}

// advanceToRest puts the clock forward until the page is at rest, or has gone elsewhere, or moves for too long.
func (p *page) advanceToRest(ctx context.Context) (moves bool, err error) {
	policy := proto.EmulationVirtualTimePolicyPauseIfNetworkFetchesPending
	if p.progress.isFetching() { // it may do so for ever
		policy = proto.EmulationVirtualTimePolicyAdvance
	}
	var now motion
	for resting, step := 0, 0; resting < restSteps && step < forwardSteps; step++ {
		mark := p.progress.mark()
		if err := p.advance(ctx, policy); err != nil {
			return false, err
		}
		if ran, err := p.run(ctx, moving, 0, &now); err != nil {
			return false, err
		} else if !ran || p.progress.isLeaving() {
			return false, p.arriveElsewhere(ctx)
		}
		if resting++; now.Moves || p.progress.begunSince(mark) > 0 {
			resting = 0
		}
	}
	return now.Moves, nil
}

// advance puts the clock forward by a step. Timers and what they cause run in between, one after another without pauses.
func (p *page) advance(ctx context.Context, policy proto.EmulationVirtualTimePolicy) error {
	stops := p.progress.clockStops()
	if err := p.runClock(ctx, policy, forwardStep); err != nil {
		return err
	}
	for p.progress.clockStops() == stops {
		if err := p.waitFor(ctx, p.progress.changed, 0); err != nil {
			return err
		}
	}
	return nil
}

// arriveElsewhere awaits the document to which the page has gone, which is not read while the clock stands still.
func (p *page) arriveElsewhere(ctx context.Context) error {
	if err := p.runClock(ctx, proto.EmulationVirtualTimePolicyPauseIfNetworkFetchesPending, 0); err != nil {
		return err
	}
	return p.await(ctx, contract.UntilLoad)
}

// runClock has the clock go, as fast as the page's tasks allow, until it is put forward by an amount; 0 means for good.
func (p *page) runClock(ctx context.Context, policy proto.EmulationVirtualTimePolicy, by time.Duration) error {
	p.stopped = true
	set, tasks, budget := proto.EmulationSetVirtualTimePolicy{Policy: policy}, forwardTasks, float64(by.Milliseconds())
	if set.MaxVirtualTimeTaskStarvationCount = &tasks; by > 0 {
		set.Budget = &budget
	}
	_, err := set.Call(p.session.With(ctx))
	return err
}
