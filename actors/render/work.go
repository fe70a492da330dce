package render

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"platen.dev/actors/command"
	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/tracing"
)

// work is the I/O side of an attempt: what its steps read and make. The steps run one
// after the other, each on a goroutine of its own that owns the fields meanwhile. Only
// announce runs concurrently with others, and it uses only the ids.
type work struct {
	cfg     Config
	id      events.AttemptID
	account events.AccountID
	job     events.JobID
	content command.Position
	lane    events.Lane
	// limit is the maximum size of the file in bytes.
	limit int64

	submission events.Submission
	lease      Lease
	invoice    *invoice // nil if the job has none
	evidence   *events.Evidence
	out        output
	whole      bool             // a page of Platen's own shows everything in the e-invoice
	compared   bool             // the pages were compared with the e-invoice
	mismatches []events.Warning // terms of the e-invoice that the page lacks
	file       events.File
	metrics    events.Metrics

	// accepted is when the job was accepted, started when the attempt got its page,
	// finishing when it returned the page, all by the node's clock.
	accepted, started, finishing time.Time
	// leased is when the attempt got its page by the monotonic clock, which measures held, how
	// long it had the page.
	leased time.Time
	held   time.Duration
	report Report
	traced traced
}

func newWork(cfg Config, b dispatch.Begin) *work {
	w := &work{
		cfg: cfg, id: events.NewAttemptID(),
		account: b.Effect.Account, job: b.Effect.Job, content: command.Position{Partition: b.Partition, Offset: b.Effect.Content},
		limit: b.Effect.MaxFile, lane: b.Effect.Lane, report: Report{Lane: b.Effect.Lane, Wait: -1},
	}
	if w.limit == 0 {
		w.limit = contract.MaxFileBytes
	}
	w.traced = traced{begun: cfg.Now(), queued: b.Effect.Queued}
	return w
}

// step runs a step to its end. A panic fails the step, not the node.
func (w *work) step(ctx context.Context, do attempt.Do) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	switch do.Step {
	case attempt.Read:
		return w.read(ctx)
	case attempt.Lease:
		return w.acquire(ctx)
	case attempt.Announce:
		return w.tell(ctx, events.StartRender{Job: w.job, Attempt: w.id, Node: w.cfg.Node})
	case attempt.Render:
		return w.phase(ctx, tracing.Render, func() error { return w.render(ctx) })
	case attempt.Finish:
		return w.phase(ctx, tracing.Finish, func() error { return w.finish(ctx) })
	case attempt.Store:
		return w.phase(ctx, tracing.Store, func() error { return w.store(ctx) })
	case attempt.Tell:
		return w.tell(ctx, w.outcome(do.Fault))
	}
	return fmt.Errorf("unknown step %d", do.Step)
}

// contentLimit bounds how long reading the content may take.
const contentLimit = 30 * time.Second

// read reads the command that submitted the job.
func (w *work) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, contentLimit)
	defer cancel()
	at, submission, err := command.Submission(ctx, w.cfg.Log, w.content, w.account, w.job)
	if err != nil && !errors.Is(err, command.ErrLost) && !errors.Is(err, command.ErrDamaged) {
		err = fmt.Errorf("%w: %w", errInfrastructure, err)
	}
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	w.accepted, w.submission = at.Time(), submission
	w.traced.below = submission.Trace
	if submission.Content.Stored == nil || submission.Test {
		return nil
	}
	w.submission.Content, err = w.stored(ctx, submission.Content)
	return err
}

// acquire leases a page. The content determines its lane, as it did when the job was queued.
func (w *work) acquire(ctx context.Context) (err error) {
	lane := job.Lane(w.submission.Test, w.submission.Content.Summary())
	if w.lease, err = w.cfg.Acquire(ctx, w.account, lane); err != nil {
		return fmt.Errorf("wait for a page: %w", err)
	}
	w.leased = time.Now()
	return nil
}

// returnPage gives the page back and notes how long it was held.
func (w *work) returnPage() {
	w.lease.Return()
	w.held = time.Since(w.leased)
}

// tellAgain is the pause before a command that could not be appended is sent again.
const tellAgain = 250 * time.Millisecond

// tell appends a command and waits until it is durable, however long that takes, unless the log is
// closed. A duplicate is harmless.
func (w *work) tell(ctx context.Context, body events.CommandBody) error {
	c := events.NewCommand(w.account, w.cfg.Now(), body)
	for {
		err := command.AppendWait(ctx, w.cfg.Log, c)
		if err == nil || ctx.Err() != nil || errors.Is(err, eventlog.ErrClosed) || errors.Is(err, eventlog.ErrFailed) {
			return err
		}
		w.cfg.Logger.Warn("cannot append a command, retrying", "job", w.job.String(), "error", err)
		select {
		case <-time.After(tellAgain):
		case <-ctx.Done():
		}
	}
}

// giveBack has the journal take the job from the attempt, should the attempt hold it.
func (w *work) giveBack(ctx context.Context) error {
	return w.tell(ctx, events.LoseRender{Job: w.job, Attempt: w.id})
}

// outcome returns the command that ends the attempt.
func (w *work) outcome(f *attempt.Fault) events.CommandBody {
	if f == nil {
		w.observe("")
		return events.FinishRender{Job: w.job, Attempt: w.id, File: w.file, Metrics: w.metrics, FileURL: w.fileURL(), Warnings: w.warnings(), Evidence: w.evidence}
	}
	w.observe(f.Code)
	return events.FailRender{Job: w.job, Attempt: w.id, Code: f.Code, Retryable: f.Retryable, Infrastructure: f.Infrastructure, Detail: f.Detail}
}

// warnings returns those about the file, its invoice on the page, and the invoice's business rules, at most
// contract.MaxWarnings.
func (w *work) warnings() (all []events.Warning) {
	for _, warned := range w.out.warnings {
		all = append(all, events.Warning{Code: warned.Code, Detail: contract.Detail(warned.Detail)})
	}
	fatal, others := w.invoice.broken()
	all = slices.Concat(all, w.mismatches, fatal, others)
	return all[:min(len(all), contract.MaxWarnings)]
}

// fileURL returns the download URL that a webhook names; "" without a webhook.
func (w *work) fileURL() string {
	if len(w.submission.Webhook) == 0 || w.submission.Content.Delivery != nil {
		return ""
	}
	return w.cfg.FileURL(w.job)
}
