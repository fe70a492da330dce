package page

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/contract"
)

const (
	// forwardStep is by how much a page's clock advances between two frames. Animation libraries assume that the page was hidden
	// during a longer pause, and leave it out.
	forwardStep = 400 * time.Millisecond
	// forwardSteps is the maximum number of steps: 3.2 seconds, after which most animations have ended, and before which few pages ask
	// for attention.
	forwardSteps = 8
	// restSteps is the number of steps without motion after which a page is at rest: it may begin after a pause.
	restSteps = 2
	// followFor is how long, in real time, a page that still moves then is followed by steps of followStep: script may go by the browser's time of
	// frames, which cannot be advanced.
	followFor  = 2 * time.Second
	followStep = 16 * time.Millisecond
	// stillSteps is the number of steps without a change of the document after which a page is followed no longer: it moves without end, or where
	// that cannot be seen.
	stillSteps = 16
	// forwardTimeout bounds all of it, in real time: what a page fetches meanwhile, for which its clock waits, may never arrive.
	forwardTimeout = 5 * time.Second
	// lead is by how much at least the page's clock is ahead of real time before a frame is shown: one that is late is never shown (measured with
	// Chromium 156).
	lead = 100 * time.Millisecond
	// openTimeout bounds the wait for requests that are under way before: the clock does not wait for them.
	openTimeout = 1500 * time.Millisecond
	// forwardTasks is the maximum number of tasks at one moment of the page's clock.
	forwardTasks = 1000
)

// moving shows a frame and reports whether the page has moved since the last call.
//
//go:embed script/moving.js
var moving string

// timing has the time of frames follow the page's clock, for scripts that do not keep the browser's own function.
//
//go:embed script/timing.js
var timing string

// motion is what a page does on its own.
type motion struct{ Moves, Changed, Used bool }

// forward advances the clock of a visit until its script is at rest: charts have grown, numbers have counted up and
// text is written, as if somebody had waited. Each step takes a frame. A page that uses no timer and does not move keeps its clock.
// Otherwise the clock stands still afterwards, and no other document may be shown on the page.
func (p visit) forward(ctx context.Context, until string) error {
	if !p.scripted {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, forwardTimeout, errBudget)
	defer cancel()
	if err := p.awaitRequested(ctx, until, openTimeout); err != nil {
		return err
	}
	var now motion
	for range 2 { // the first has nothing to compare with
		if ran, err := p.run(ctx, moving, nil, &now); err != nil || !ran {
			return err
		}
	}
	if !now.Moves && !now.Used {
		return nil
	}
	p.stopped = true
	if _, err := (proto.RuntimeEvaluate{Expression: timing}).Call(p.session.With(ctx)); err != nil {
		return unlessReplaced(err)
	}
	c := &clock{page: p.page, policy: proto.EmulationVirtualTimePolicyPauseIfNetworkFetchesPending, begun: time.Now()}
	if p.progress.isFetching() { // it may do so for ever
		c.policy = proto.EmulationVirtualTimePolicyAdvance
	}
	rests, err := c.advanceToRest(ctx)
	if err == nil && !rests {
		err = c.follow(ctx)
	}
	if errors.Is(err, errElsewhere) {
		return c.arriveElsewhere(ctx)
	}
	p.stands.Store(true)
	if err == nil && p.progress.isFetching() {
		err = c.receive(ctx)
	}
	return err
}

// clock is the time by which the script of a visit goes.
type clock struct {
	*page
	policy proto.EmulationVirtualTimePolicy
	// begun is when it was first set, advanced by how much it has been advanced since.
	begun    time.Time
	advanced time.Duration
}

// errElsewhere means that the page has gone elsewhere.
var errElsewhere = errors.New("the page has gone elsewhere")

// advanceToRest advances until the page is at rest, or has moved for too long.
func (p *clock) advanceToRest(ctx context.Context) (rests bool, err error) {
	resting := 0
	for step := 0; resting < restSteps && step < forwardSteps; step++ {
		mark := p.progress.mark()
		now, err := p.step(ctx, forwardStep)
		if err != nil {
			return false, err
		}
		if resting++; now.Moves || p.progress.begunSince(mark) > 0 {
			resting = 0
		}
	}
	return resting > 0, nil
}

// follow accompanies a page that moves by the time of frames.
func (p *clock) follow(ctx context.Context) error {
	end := time.Now().Add(followFor)
	for still := 0; still < stillSteps && time.Now().Before(end); still++ {
		now, err := p.step(ctx, followStep)
		if err != nil {
			return err
		}
		if now.Changed {
			still = 0
		}
	}
	return nil
}

// step advances by a step and shows a frame.
func (p *clock) step(ctx context.Context, by time.Duration) (now motion, err error) {
	if err := p.advance(ctx, by); err != nil {
		return now, err
	}
	ran, err := p.run(ctx, moving, nil, &now)
	if err == nil && (!ran || p.progress.isLeaving()) {
		err = errElsewhere
	}
	return now, err
}

// advance advances by a step, and then past real time, which passes while the clock waits for a fetch. Timers run in between, one after another
// without pauses.
func (p *clock) advance(ctx context.Context, by time.Duration) error {
	for {
		stops := p.progress.clockStops()
		if err := p.runFor(ctx, p.policy, by); err != nil {
			return err
		}
		for p.progress.clockStops() == stops {
			if err := p.waitFor(ctx, p.progress.changed, 0); err != nil {
				return err
			}
		}
		p.advanced += by
		ahead := p.advanced - time.Since(p.begun)
		if ahead >= lead {
			return nil
		}
		by = 2*lead - ahead
	}
}

// receive has the page's tasks run for a moment, and while something is under way for which its clock waits. Otherwise what arrives would not be
// shown, and printing, which waits for pictures, would not end.
func (p *clock) receive(ctx context.Context) error {
	return p.runFor(ctx, proto.EmulationVirtualTimePolicyPauseIfNetworkFetchesPending, time.Millisecond)
}

// arriveElsewhere awaits the document to which the page has gone, which is not read while the clock stands still.
func (p *clock) arriveElsewhere(ctx context.Context) error {
	if err := p.runFor(ctx, proto.EmulationVirtualTimePolicyPauseIfNetworkFetchesPending, 0); err != nil {
		return err
	}
	return p.await(ctx, contract.UntilLoad)
}

// runFor has the clock advance by an amount, as fast as the page's tasks allow; 0 means for ever.
func (p *clock) runFor(ctx context.Context, policy proto.EmulationVirtualTimePolicy, by time.Duration) error {
	set, tasks, budget := proto.EmulationSetVirtualTimePolicy{Policy: policy}, forwardTasks, float64(by.Milliseconds())
	if set.MaxVirtualTimeTaskStarvationCount = &tasks; by > 0 {
		set.Budget = &budget
	}
	_, err := set.Call(p.session.With(ctx))
	return err
}
