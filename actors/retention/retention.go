// Package retention deletes files whose time is over, and tells their jobs.
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

// Files is where the files are; deleting one that is gone already succeeds.
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

// deleteLimit bounds one deletion, retryAfter is the pause after a failed one.
const (
	deleteLimit = time.Minute
	retryAfter  = time.Minute
)

// Deleter performs the job.DeleteFile effects of a node's shards, one file after
// another. Its methods may be called from any goroutine and return at once, but for Close.
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

// Perform deletes a file, unless that is under way already.
func (d *Deleter) Perform(partition int32, e job.Effect) {
	if e, ok := e.(job.DeleteFile); ok {
		d.system.Root.Send(d.pid, &deletion{partition: partition, effect: e})
	}
}

// Forget withdraws a deletion that has not begun.
func (d *Deleter) Forget(key job.EffectKey) { d.system.Root.Send(d.pid, forget{key}) }

// ForgetAll withdraws the deletions of a partition that have not begun.
func (d *Deleter) ForgetAll(partition int32) { d.system.Root.Send(d.pid, forgetAll{partition}) }

// Close ends the deleter; a deletion under way is cancelled.
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

// Receive dispatches.
func (s *deletions) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *deletion:
		if _, known := s.pending[m.effect.Key()]; !known {
			s.pending[m.effect.Key()] = m
			s.queue = append(s.queue, m)
		}
	case forget:
		s.forget(func(d *deletion) bool { return d.effect.Key() == m.key })
	case forgetAll:
		s.forget(func(d *deletion) bool { return d.partition == m.partition })
	case retry:
		if !m.deletion.forgotten {
			s.queue = append(s.queue, m.deletion)
		}
	case ended:
		s.onEnded(ctx, m)
	case *actor.Stopping:
		s.cancel()
	}
	s.next(ctx)
}

func (s *deletions) forget(match func(*deletion) bool) {
	for key, d := range s.pending {
		if match(d) {
			d.forgotten = true
			delete(s.pending, key)
		}
	}
}

// next deletes the next file, on a goroutine of its own.
func (s *deletions) next(ctx actor.Context) {
	for !s.busy && len(s.queue) > 0 && s.ctx.Err() == nil {
		d := s.queue[0]
		s.queue = s.queue[1:]
		if d.forgotten {
			continue
		}
		s.busy = true
		self, root := ctx.Self(), ctx.ActorSystem().Root
		go func() { root.Send(self, ended{d, s.delete(d.effect)}) }()
	}
}

func (s *deletions) onEnded(ctx actor.Context, m ended) {
	s.busy = false
	if m.err == nil || m.deletion.forgotten {
		s.forget(func(d *deletion) bool { return d == m.deletion })
		return
	}
	s.cfg.Logger.Warn("file not deleted, trying again later", "file", m.deletion.effect.Name, "error", m.err)
	self, root := ctx.Self(), ctx.ActorSystem().Root
	time.AfterFunc(retryAfter, func() { root.Send(self, retry{m.deletion}) })
}

// delete may run twice for one file, and tell twice, without harm.
func (s *deletions) delete(e job.DeleteFile) error {
	ctx, cancel := context.WithTimeout(s.ctx, deleteLimit)
	defer cancel()
	if err := s.cfg.Files.Delete(ctx, e.Name); err != nil || !e.Tell {
		return err
	}
	return command.AppendWait(ctx, s.cfg.Log, events.Command{
		ID: events.NewCommandID(), Account: e.Account, At: events.At(s.cfg.Now()),
		Body: events.ForgetFile{Job: e.Job, Name: e.Name},
	})
}
