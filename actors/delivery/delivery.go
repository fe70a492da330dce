// Package delivery uploads finished files to their callers' own storage, by presigned URLs
// (docs/API.md, Delivery).
package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/command"
	"platen.dev/actors/job"
	"platen.dev/actors/perform"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/tracing"
	"platen.dev/store"
)

// Config configures the performer of job.Deliver effects.
type Config struct {
	Log    eventlog.Log
	Client *Client
	// Open opens a stored file.
	Open func(ctx context.Context, name string) (*store.File, error)
	// Unseal decrypts a credential of a job. Any error means that it is damaged, or sealed with a secret that this node does not have.
	Unseal func(events.JobID, events.Sealed) (string, error)
	Now    func() time.Time
	Logger *slog.Logger
	// Traces makes the spans of attempts; nil for none.
	Traces *tracing.Tracer
	// Observe is called after each attempt; it may be nil.
	Observe func(events.UploadAttempt)
}

// limits are those of a node. A hanging storage holds at most PerAccount uploads.
var limits = perform.Limits{Total: 256, PerAccount: 8}

// retryAfter is the pause after an attempt that failed on Platen's side.
const retryAfter = 5 * time.Second

// Start starts the performer of the job.Deliver effects of a node's shards.
func Start(system *actor.ActorSystem, cfg Config) (*perform.Performer, error) {
	return perform.Start(system, perform.Config[job.Deliver]{
		Name: "deliveries", Limits: limits, RetryAfter: retryAfter,
		Place: func(_ int32, e job.Deliver) (events.AccountID, string) { return e.Account, "" },
		Do:    cfg.deliver,
		Failed: func(e job.Deliver, err error) {
			cfg.Logger.Warn("cannot upload a file or record the attempt, retrying", "job", e.Job.String(), "error", err)
		},
	})
}

// deliver makes one attempt and reports it. An error is Platen's own, not the storage's: the attempt is made again.
func (c Config) deliver(ctx context.Context, partition int32, e job.Deliver) error {
	report, err := c.attempt(ctx, partition, e)
	if err != nil || ctx.Err() != nil { // the node is stopping: the next owner makes the attempt
		return err
	}
	report.Job, report.Number = e.Job, e.Number
	report.Detail = contract.Detail(detail(report))
	if c.Observe != nil {
		c.Observe(report.UploadAttempt)
	}
	if !contract.Succeeded(report.Status) {
		c.Logger.Info("upload failed", "job", e.Job.String(), "attempt", e.Number, "status", report.Status, "error", report.Error)
	}
	return command.AppendWait(ctx, c.Log, events.NewCommand(e.Account, c.Now(), report))
}

// detail tells the caller why a file did not arrive; "" if it did.
func detail(r events.ReportUpload) string {
	switch {
	case contract.Succeeded(r.Status) || r.Code == events.RenderFailed || r.Code == events.ContentLost:
		return ""
	case r.Status != 0:
		return fmt.Sprintf("The storage answered attempt %d to upload the file with HTTP status %d.", r.Number, r.Status)
	default:
		return fmt.Sprintf("Attempt %d to upload the file failed: %s.", r.Number, r.Error)
	}
}

// errUnsealable means that the URL of an attempt could not be decrypted. A damaged URL looks the same as one sealed with another secret, so another
// node may have more luck with the next attempt.
var errUnsealable = errors.New("the URL cannot be decrypted")

// attempt uploads the file once.
func (c Config) attempt(ctx context.Context, partition int32, e job.Deliver) (events.ReportUpload, error) {
	o, err := c.upload(ctx, partition, e)
	report := events.ReportUpload{UploadAttempt: o.UploadAttempt}
	switch {
	case o.refused:
		report.Code = events.DeliveryFailed
	case errors.Is(err, errUnsealable):
		c.Logger.Error("URL of an upload cannot be decrypted, which counts as an attempt: compare the secrets of this node with the others'", "job", e.Job.String())
		report.Error, err = errUnsealable.Error(), nil
	case lost(err) != "":
		report.Code, report.Error, err = lost(err), err.Error(), nil
	}
	return report, err
}

func (c Config) upload(ctx context.Context, partition int32, e job.Deliver) (o outcome, err error) {
	url, below, err := c.url(ctx, partition, e)
	if err != nil {
		return o, fmt.Errorf("URL: %w", err)
	}
	file, err := c.Open(ctx, e.File.Name)
	if err != nil {
		return o, fmt.Errorf("file: %w", err)
	}
	defer func() { _ = file.Close() }() // it is only read
	if file.Size != e.File.Size {       // a directory keeps no checksums
		return o, fmt.Errorf("file: %w: %d bytes of %d", store.ErrCorrupt, file.Size, e.File.Size)
	}
	span := c.Traces.Span(below, tracing.Deliver, c.Now())
	o, err = c.Client.put(ctx, url, span.Below(below), file, file.Size)
	span.End(c.Now(), tracing.Facts{Job: e.Job, Partition: partition, Number: e.Number, Status: o.Status, Failed: !contract.Succeeded(o.Status), Bytes: file.Size})
	if err != nil {
		return o, fmt.Errorf("file: %w", err)
	}
	return o, nil
}

// readLimit bounds how long reading the URL may take.
const readLimit = 30 * time.Second

// url finds where to upload the file, and the job's place in a trace.
func (c Config) url(ctx context.Context, partition int32, e job.Deliver) (string, events.Trace, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	_, submission, err := command.Submission(ctx, c.Log, command.Position{Partition: partition, Offset: e.Content}, e.Account, e.Job)
	if err != nil {
		return "", events.Trace{}, err
	}
	if submission.Content.Delivery == nil {
		return "", events.Trace{}, fmt.Errorf("%w: it names no URL", command.ErrDamaged)
	}
	url, err := c.Unseal(e.Job, submission.Content.Delivery.URL)
	if err != nil {
		return "", events.Trace{}, errUnsealable
	}
	return url, submission.Trace, nil
}

// lost returns the code for a job that has lost something the upload needs; "" if err is about something else.
func lost(err error) events.ErrorCode {
	switch {
	case errors.Is(err, command.ErrLost):
		return events.ContentLost
	case errors.Is(err, command.ErrDamaged), errors.Is(err, store.ErrNotExist), errors.Is(err, store.ErrCorrupt):
		return events.RenderFailed
	}
	return ""
}
