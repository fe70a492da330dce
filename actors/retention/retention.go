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
	"platen.dev/actors/perform"
	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Files deletes stored files. Deleting a file that does not exist succeeds.
type Files interface {
	Delete(ctx context.Context, name string) error
}

// Config configures the performer of job.DeleteFile effects.
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
	// maxRunning bounds the deletions under way: each may wait for the store and the log.
	maxRunning = 16
)

// Start starts the performer of the job.DeleteFile effects of a node's shards.
func Start(system *actor.ActorSystem, cfg Config) (*perform.Performer, error) {
	return perform.Start(system, perform.Config[job.DeleteFile]{
		Name: "retention", Limits: perform.Limits{Total: maxRunning}, RetryAfter: retryAfter,
		Place: func(_ int32, e job.DeleteFile) (events.AccountID, string) { return e.Account, "" },
		Do:    func(ctx context.Context, _ int32, e job.DeleteFile) error { return cfg.delete(ctx, e) },
		Failed: func(e job.DeleteFile, err error) {
			cfg.Logger.Warn("file could not be deleted, retrying in a minute", "file", e.Name, "error", err)
		},
	})
}

// delete deletes a file and reports it. Doing so again changes nothing.
func (c Config) delete(ctx context.Context, e job.DeleteFile) error {
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	if err := c.Files.Delete(ctx, e.Name); err != nil || !e.Report {
		return err
	}
	return command.AppendWait(ctx, c.Log, events.NewCommand(e.Account, c.Now(), events.ForgetFile{Job: e.Job, Name: e.Name}))
}
