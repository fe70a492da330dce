// Package retention deletes files that nobody may download any more: expired ones, and results
// of attempts that were discarded.
package retention

import (
	"context"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/command"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Files deletes stored files. Deleting a file that does not exist succeeds.
type Files interface {
	Delete(ctx context.Context, name string) error
}

// Config is what a Deleter needs.
type Config struct {
	Log    eventlog.Log
	Files  Files
	Logger *slog.Logger
	Now    func() time.Time
}

// deleteTimeout bounds one deletion, and retryAfter is the pause after one that failed.
const (
	deleteTimeout = time.Minute
	retryAfter    = time.Minute
)

// Deleter performs the job.DeleteFile effects of a node's shards, one file at a time. All
// methods may be called from any goroutine. Only Close waits.
type Deleter struct {
	system *actor.ActorSystem
	pid    *actor.PID
}

// Start starts a deleter.
func Start(system *actor.ActorSystem, cfg Config) (*Deleter, error) {
	ctx, cancel := context.WithCancel(context.Background())
	props := actor.PropsFromProducer(func() actor.Actor {
		return &deletions{cfg: cfg, ctx: ctx, cancel: cancel, pending: map[job.EffectKey]*deletion{}}
	})
	pid, err := system.Root.SpawnNamed(props, "retention")
	if err != nil {
		cancel()
	}
	return &Deleter{system, pid}, err
}

// Perform deletes a file and tries until that succeeds. An effect that is pending already is
// ignored, as are other kinds of effects.
func (d *Deleter) Perform(partition int32, e job.Effect) {
	if e, ok := e.(job.DeleteFile); ok {
		d.system.Root.Send(d.pid, &deletion{partition: partition, effect: e})
	}
}

// Resume is Perform: a deletion that is pending goes on.
func (d *Deleter) Resume(partition int32, e job.Effect) { d.Perform(partition, e) }

// Forget withdraws a deletion that has not begun.
func (d *Deleter) Forget(key job.EffectKey) { d.system.Root.Send(d.pid, forget{key}) }

// ForgetAll withdraws the deletions of a partition that have not begun.
func (d *Deleter) ForgetAll(partition int32) { d.system.Root.Send(d.pid, forgetAll{partition}) }

// Close stops the deleter and cancels a deletion that is under way.
func (d *Deleter) Close() error { return d.system.Root.StopFuture(d.pid).Wait() }

// deletion is one file to delete.
type deletion struct {
	partition int32
	effect    job.DeleteFile
	forgotten bool
}

// Messages to deletions beside *deletion itself.
type (
	forget    struct{ key job.EffectKey }
	forgetAll struct{ partition int32 }
	retry     struct{ deletion *deletion }
	ended     struct {
		deletion *deletion
		err      error
	}
)

// deletions is the actor behind Deleter.
type deletions struct {
	cfg     Config
	ctx     context.Context // ends with the actor
	cancel  context.CancelFunc
	pending map[job.EffectKey]*deletion // waiting, under way, or to be retried
	queue   []*deletion
	busy    bool
}

// Receive implements actor.Actor.
func (d *deletions) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *deletion:
		if _, known := d.pending[m.effect.Key()]; !known {
			d.pending[m.effect.Key()] = m
			d.queue = append(d.queue, m)
		}
	case forget:
		d.forget(func(f *deletion) bool { return f.effect.Key() == m.key })
	case forgetAll:
		d.forget(func(f *deletion) bool { return f.partition == m.partition })
	case retry:
		if !m.deletion.forgotten {
			d.queue = append(d.queue, m.deletion)
		}
	case ended:
		d.onEnded(ctx, m)
	case *actor.Stopping:
		d.cancel()
	}
	d.next(ctx)
}

func (d *deletions) forget(match func(*deletion) bool) {
	for key, f := range d.pending {
		if match(f) {
			f.forgotten = true
			delete(d.pending, key)
		}
	}
}

// next begins the next deletion, on a goroutine of its own, unless one is under way.
func (d *deletions) next(ctx actor.Context) {
	for !d.busy && len(d.queue) > 0 && d.ctx.Err() == nil {
		f := d.queue[0]
		d.queue = d.queue[1:]
		if f.forgotten {
			continue
		}
		d.busy = true
		self, root := ctx.Self(), ctx.ActorSystem().Root
		go func() { root.Send(self, ended{f, d.delete(f.effect)}) }()
	}
}

func (d *deletions) onEnded(ctx actor.Context, m ended) {
	d.busy = false
	if m.err == nil || m.deletion.forgotten {
		d.forget(func(f *deletion) bool { return f == m.deletion })
		return
	}
	d.cfg.Logger.Warn("file could not be deleted, trying again in a minute", "file", m.deletion.effect.Name, "error", m.err)
	self, root := ctx.Self(), ctx.ActorSystem().Root
	time.AfterFunc(retryAfter, func() { root.Send(self, retry{m.deletion}) })
}

// delete deletes a file and reports it. Doing so again changes nothing.
func (d *deletions) delete(e job.DeleteFile) error {
	ctx, cancel := context.WithTimeout(d.ctx, deleteTimeout)
	defer cancel()
	if err := d.cfg.Files.Delete(ctx, e.Name); err != nil || !e.Report {
		return err
	}
	return command.AppendWait(ctx, d.cfg.Log, events.Command{
		ID: events.NewCommandID(), Account: e.Account, At: events.At(d.cfg.Now()),
		Body: events.ForgetFile{Job: e.Job, Name: e.Name},
	})
}
