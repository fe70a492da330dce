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

// Config is what a Keeper needs.
type Config struct {
	Log    eventlog.Log
	Files  Files
	Logger *slog.Logger
	Now    func() time.Time
}

// deleteLimit bounds one deletion, tryAgain is the pause after a failed one.
const (
	deleteLimit = time.Minute
	tryAgain    = time.Minute
)

// Keeper is the actor that deletes, one file after another.
type Keeper struct {
	cfg Config
}

// Start starts a keeper.
func Start(system *actor.ActorSystem, cfg Config) (*actor.PID, error) {
	return system.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return &Keeper{cfg} }), "retention")
}

// Receive takes job.DeleteFile effects.
func (k *Keeper) Receive(ctx actor.Context) {
	e, ok := ctx.Message().(job.DeleteFile)
	if !ok {
		return
	}
	if err := k.delete(e); err != nil {
		k.cfg.Logger.Warn("file not deleted, trying again later", "file", e.Name, "error", err)
		self, root := ctx.Self(), ctx.ActorSystem().Root
		time.AfterFunc(tryAgain, func() { root.Send(self, e) })
	}
}

// delete may run twice for one file, and tell twice, without harm.
func (k *Keeper) delete(e job.DeleteFile) error {
	ctx, cancel := context.WithTimeout(context.Background(), deleteLimit)
	defer cancel()
	if err := k.cfg.Files.Delete(ctx, e.Name); err != nil || !e.Tell {
		return err
	}
	return command.AppendWait(ctx, k.cfg.Log, events.Command{
		ID: events.NewCommandID(), Account: e.Account, At: events.At(k.cfg.Now()),
		Body: events.ForgetFile{Job: e.Job, Name: e.Name},
	})
}
