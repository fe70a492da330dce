// Package perform performs effects of one kind on goroutines of their own, fairly.
package perform

import (
	"context"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/job"
	"platen.dev/events"
)

// Config says what a Performer performs: effects of one type.
type Config[E job.Effect] struct {
	// Name is the actor's name.
	Name   string
	Limits Limits
	// Place returns the account of an effect, and the host that it needs; "" for none. The actor calls
	// it, so it must not block.
	Place func(partition int32, e E) (account events.AccountID, host string)
	// Do performs an effect. After an error it is called again, RetryAfter later.
	Do         func(ctx context.Context, partition int32, e E) error
	RetryAfter time.Duration
	// Failed is told of errors of Do. It must not block.
	Failed func(e E, err error)
}

// Performer performs the effects of a node's shards. Its methods are safe for concurrent use; only
// Close waits.
type Performer struct {
	system  *actor.ActorSystem
	pid     *actor.PID
	running *sync.WaitGroup // the effects under way
}

// Start starts a performer. It must only be given effects of type E.
func Start[E job.Effect](system *actor.ActorSystem, cfg Config[E]) (*Performer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	running := new(sync.WaitGroup)
	props := actor.PropsFromProducer(func() actor.Actor {
		return &performing{cfg: cfg.ofAny(), ctx: ctx, cancel: cancel, running: running, pending: map[job.EffectKey]*effect{}, queue: newQueue(cfg.Limits)}
	})
	pid, err := system.Root.SpawnNamed(props, cfg.Name)
	if err != nil {
		cancel()
	}
	return &Performer{system, pid, running}, err
}

// ofAny is the configuration for the actor, whose messages carry effects of any type.
func (c Config[E]) ofAny() Config[job.Effect] {
	return Config[job.Effect]{
		Name: c.Name, Limits: c.Limits, RetryAfter: c.RetryAfter,
		Place:  func(p int32, e job.Effect) (events.AccountID, string) { return c.Place(p, e.(E)) },
		Do:     func(ctx context.Context, p int32, e job.Effect) error { return c.Do(ctx, p, e.(E)) },
		Failed: func(e job.Effect, err error) { c.Failed(e.(E), err) },
	}
}

// Perform performs an effect, retrying until it succeeds. An effect that is already pending is
// ignored.
func (p *Performer) Perform(partition int32, e job.Effect) {
	p.system.Root.Send(p.pid, &effect{partition: partition, effect: e})
}

// Resume is Perform: pending effects continue.
func (p *Performer) Resume(partition int32, e job.Effect) { p.Perform(partition, e) }

// Forget withdraws an effect that has not begun.
func (p *Performer) Forget(key job.EffectKey) { p.system.Root.Send(p.pid, forget{key}) }

// ForgetAll withdraws the effects of a partition that have not begun.
func (p *Performer) ForgetAll(partition int32) { p.system.Root.Send(p.pid, forgetAll{partition}) }

// Close stops the performer, cancels the effects under way and waits for them: what they use may be closed next.
func (p *Performer) Close() error {
	if err := p.system.Root.StopFuture(p.pid).Wait(); err != nil {
		return err // the actor may still begin some
	}
	p.running.Wait()
	return nil
}

// effect is one effect to perform.
type effect struct {
	partition int32
	effect    job.Effect
	place     place
	forgotten bool
}

// Messages to performing, besides *effect.
type (
	forget    struct{ key job.EffectKey }
	forgetAll struct{ partition int32 }
	retry     struct{ effect *effect }
	ended     struct {
		effect *effect
		err    error
	}
)

// performing is the actor behind Performer.
type performing struct {
	cfg     Config[job.Effect]
	ctx     context.Context // ends with the actor
	cancel  context.CancelFunc
	running *sync.WaitGroup
	pending map[job.EffectKey]*effect // waiting, under way, or to be retried
	queue   *queue
}

// Receive implements actor.Actor.
func (p *performing) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *effect:
		if _, known := p.pending[m.effect.Key()]; !known {
			m.place.account, m.place.host = p.cfg.Place(m.partition, m.effect)
			p.pending[m.effect.Key()] = m
			p.queue.add(m)
		}
	case forget:
		if e, known := p.pending[m.key]; known {
			p.drop(e)
		}
	case forgetAll:
		for _, e := range p.pending {
			if e.partition == m.partition {
				p.drop(e)
			}
		}
	case retry:
		if !m.effect.forgotten {
			p.queue.add(m.effect)
		}
	case ended:
		p.onEnded(ctx, m)
	case *actor.Stopping:
		p.cancel()
	}
	p.next(ctx)
}

func (p *performing) drop(e *effect) {
	e.forgotten = true
	delete(p.pending, e.effect.Key())
}

// next begins the next effects, each on a goroutine of its own.
func (p *performing) next(ctx actor.Context) {
	for p.ctx.Err() == nil {
		e := p.queue.next()
		if e == nil {
			return
		}
		self, root := ctx.Self(), ctx.ActorSystem().Root
		p.running.Go(func() { root.Send(self, ended{e, p.cfg.Do(p.ctx, e.partition, e.effect)}) })
	}
}

func (p *performing) onEnded(ctx actor.Context, m ended) {
	p.queue.done(m.effect)
	if m.effect.forgotten {
		return
	}
	if m.err == nil {
		p.drop(m.effect)
		return
	}
	p.cfg.Failed(m.effect.effect, m.err)
	self, root := ctx.Self(), ctx.ActorSystem().Root
	time.AfterFunc(p.cfg.RetryAfter, func() { root.Send(self, retry{m.effect}) })
}
