package render

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/command"
	"platen.dev/browserpool"
	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/store"
)

// attempt renders one job once.
type attempt struct {
	cfg     Config
	ctx     context.Context
	id      events.AttemptID
	account events.AccountID
	job     events.JobID
	at      place
	lane    events.Lane
	// limit is how many bytes the file may have.
	limit int64
	// accepted is when the job was, started when the attempt had its page.
	accepted, started time.Time
	report            Report
}

// place is where the content is in the command topic.
type place struct {
	partition int32
	offset    int64
}

func newAttempt(cfg Config, ctx context.Context, m take) *attempt {
	a := &attempt{
		cfg: cfg, ctx: ctx, id: events.NewAttemptID(),
		account: m.effect.Account, job: m.effect.Job, at: place{m.partition, m.effect.Content},
		limit: m.effect.MaxFile, lane: m.effect.Lane, report: Report{Lane: m.effect.Lane},
	}
	if a.limit == 0 {
		a.limit = MaxFile
	}
	return a
}

// Receive runs the attempt; its actor blocks meanwhile and ends with it.
func (a *attempt) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(*actor.Started); !ok {
		return
	}
	defer ctx.Stop(ctx.Self())
	if err := a.run(); err != nil {
		a.cfg.Logger.Warn("render attempt failed", "job", a.job.String(), "error", err)
	}
}

// run ends with FinishRender or FailRender, except when the node is stopping:
// then nobody is told, and the job is taken up again by whom it concerns.
func (a *attempt) run() error {
	submit, submitErr := a.submit() // before the page, which is scarce
	lease, err := a.page(submit)
	if err != nil {
		return fmt.Errorf("wait for a page: %w", err)
	}
	a.started = a.cfg.Now()
	a.noteWait(submit)
	announced := make(chan error, 1)
	go func() { announced <- a.tell(events.StartRender{Job: a.job, Attempt: a.id, Node: a.cfg.Node}) }()
	file, metrics, err := a.produce(lease, submit, submitErr)
	if startErr := <-announced; startErr != nil { // an outcome may only follow a start
		return errors.Join(err, startErr)
	}
	if err == nil {
		a.observe("")
		return a.tell(events.FinishRender{Job: a.job, Attempt: a.id, File: file, Metrics: metrics})
	}
	if a.ctx.Err() != nil {
		return err
	}
	code, retryable := classify(err)
	if code == events.RenderFailed && !retryable && submit.Content.Invoice != nil {
		code = events.EInvoiceFailed
	}
	a.observe(code)
	return errors.Join(err, a.tell(events.FailRender{Job: a.job, Attempt: a.id, Code: code, Retryable: retryable}))
}

// page leases a page, unless the job is a test: that shows a sample.
func (a *attempt) page(submit events.SubmitJob) (Lease, error) {
	if submit.Test {
		return noPage{}, nil
	}
	return a.cfg.Acquire(a.ctx, a.lane)
}

// submit reads the command that asked for the job.
func (a *attempt) submit() (events.SubmitJob, error) {
	ctx, cancel := context.WithTimeout(a.ctx, contentLimit)
	defer cancel()
	record, err := eventlog.ReadOne(ctx, a.cfg.Log, events.TopicCommands, a.at.partition, a.at.offset)
	if err != nil {
		return events.SubmitJob{}, fmt.Errorf("content: %w: %w", errInfrastructure, err)
	}
	c, err := events.DecodeCommand(record.Value)
	if err != nil {
		return events.SubmitJob{}, fmt.Errorf("content: %w", err)
	}
	submit, ok := c.Body.(events.SubmitJob)
	if !ok || submit.Job != a.job || c.Account != a.account {
		return events.SubmitJob{}, fmt.Errorf("content: record %d of commands %d is not of job %s", a.at.offset, a.at.partition, a.job)
	}
	a.accepted = c.At.Time()
	return submit, nil
}

const (
	contentLimit = 30 * time.Second
	// tellAgain is the pause after a command that the log did not take.
	tellAgain = 250 * time.Millisecond
)

// errInfrastructure marks faults that neither page nor caller caused.
var errInfrastructure = errors.New("infrastructure")

// tell appends a command and waits until it is durable, for as long as it takes.
// Sending a command twice is harmless.
func (a *attempt) tell(body events.CommandBody) error {
	c := events.Command{ID: events.NewCommandID(), Account: a.account, At: events.At(a.cfg.Now()), Body: body}
	for {
		err := command.AppendWait(a.ctx, a.cfg.Log, c)
		if err == nil || a.ctx.Err() != nil || errors.Is(err, eventlog.ErrClosed) {
			return err
		}
		a.cfg.Logger.Warn("command not appended, trying again", "job", a.job.String(), "error", err)
		select {
		case <-time.After(tellAgain):
		case <-a.ctx.Done():
		}
	}
}

// classify says what an attempt's error means for the job.
func classify(err error) (code events.ErrorCode, retryable bool) {
	switch {
	case errors.Is(err, page.ErrTimeout):
		return events.PageTimeout, false
	case errors.Is(err, page.ErrTooLarge), errors.Is(err, store.ErrTooLarge):
		return events.FileTooLarge, false
	case errors.Is(err, page.ErrBlocked):
		return events.SSRFBlocked, false
	case errors.Is(err, page.ErrNavigation):
		return events.NavigationFailed, false
	case errors.Is(err, page.ErrSelector):
		return events.SelectorTimeout, false
	case errors.Is(err, errDelivery):
		return events.DeliveryFailed, false
	case page.Retryable(err):
		return events.BrowserCrashed, true
	case errors.Is(err, errInfrastructure), errors.Is(err, browserpool.ErrClosed):
		return events.RenderFailed, true
	}
	return events.RenderFailed, false
}
