package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/command"
	"platen.dev/browserpool"
	"platen.dev/events"
	"platen.dev/events/log"
	"platen.dev/store"
)

// MaxFile is the largest file in bytes (api-spec.md, Limits).
const MaxFile = 150 << 20

// attempt renders one job once.
type attempt struct {
	cfg     Config
	ctx     context.Context
	id      events.AttemptID
	account events.AccountID
	job     events.JobID
	at      place
	started time.Time
}

// place is where the content is in the command topic.
type place struct {
	partition int32
	offset    int64
}

func newAttempt(cfg Config, ctx context.Context, m take) *attempt {
	return &attempt{
		cfg: cfg, ctx: ctx, id: events.NewAttemptID(),
		account: m.effect.Account, job: m.effect.Job, at: place{m.partition, m.effect.Content},
	}
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
	content, contentErr := a.content() // before the page, which is scarce
	lease, err := a.cfg.Acquire(a.ctx)
	if err != nil {
		return fmt.Errorf("wait for a page: %w", err)
	}
	a.started = a.cfg.Now()
	announced := make(chan error, 1)
	go func() { announced <- a.tell(events.StartRender{Job: a.job, Attempt: a.id, Node: a.cfg.Node}) }()
	file, metrics, err := a.produce(lease, content, contentErr)
	if startErr := <-announced; startErr != nil { // an outcome may only follow a start
		return errors.Join(err, startErr)
	}
	if err == nil {
		return a.tell(events.FinishRender{Job: a.job, Attempt: a.id, File: file, Metrics: metrics})
	}
	if a.ctx.Err() != nil {
		return err
	}
	code, retryable := classify(err)
	return errors.Join(err, a.tell(events.FailRender{Job: a.job, Attempt: a.id, Code: code, Retryable: retryable}))
}

// produce prints and stores. A panic below is the job's failure, not the node's.
func (a *attempt) produce(lease Lease, content events.Content, contentErr error) (file events.File, m events.Metrics, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	result, err := a.print(lease, content, contentErr)
	if err != nil {
		return file, m, err
	}
	finishing := a.cfg.Now()
	pages, err := a.cfg.Pages(result.PDF)
	if err != nil {
		return file, m, fmt.Errorf("count pages: %w", err)
	}
	name := fmt.Sprintf("%s-%016x.pdf", a.job, uint64(a.id))
	size, err := a.cfg.Files.Put(a.ctx, name, bytes.NewReader(result.PDF), MaxFile)
	if err != nil {
		return file, m, fmt.Errorf("store: %w: %w", errInfrastructure, err)
	}
	end := a.cfg.Now()
	m = events.Metrics{
		PageLoad:   result.Load.Milliseconds(),
		Processing: (result.Print + end.Sub(finishing)).Milliseconds(),
		Total:      end.Sub(a.started).Milliseconds(),
	}
	return events.File{Name: name, Size: size, Pages: pages}, m, nil
}

// print holds the page no longer than the browser needs it.
func (a *attempt) print(lease Lease, content events.Content, contentErr error) (browserpool.Result, error) {
	defer lease.Return()
	if contentErr != nil {
		return browserpool.Result{}, contentErr
	}
	o := content.Print
	return lease.Print(a.ctx, browserpool.Print{
		HTML:     content.HTML,
		MaxBytes: MaxFile,
		Options: browserpool.PDFOptions{
			Format: o.Format, Landscape: o.Landscape, HideBackground: o.OmitBackground, Scale: o.Scale,
			Margin: browserpool.Margin{Top: o.MarginTop, Right: o.MarginRight, Bottom: o.MarginBottom, Left: o.MarginLeft},
		},
	})
}

// content reads the SubmitJob record of the job.
func (a *attempt) content() (events.Content, error) {
	ctx, cancel := context.WithTimeout(a.ctx, contentLimit)
	defer cancel()
	record, err := log.ReadOne(ctx, a.cfg.Log, events.TopicCommands, a.at.partition, a.at.offset)
	if err != nil {
		return events.Content{}, fmt.Errorf("content: %w: %w", errInfrastructure, err)
	}
	c, err := events.DecodeCommand(record.Value)
	if err != nil {
		return events.Content{}, fmt.Errorf("content: %w", err)
	}
	submit, ok := c.Body.(events.SubmitJob)
	if !ok || submit.Job != a.job {
		return events.Content{}, fmt.Errorf("content: record %d of commands %d is not of job %s", a.at.offset, a.at.partition, a.job)
	}
	return submit.Content, nil
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
		if err == nil || a.ctx.Err() != nil || errors.Is(err, log.ErrClosed) {
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
	case errors.Is(err, browserpool.ErrTimeout):
		return events.PageTimeout, false
	case errors.Is(err, browserpool.ErrTooLarge), errors.Is(err, store.ErrTooLarge):
		return events.FileTooLarge, false
	case browserpool.Retryable(err):
		return events.BrowserCrashed, true
	case errors.Is(err, errInfrastructure), errors.Is(err, browserpool.ErrClosed):
		return events.RenderFailed, true
	}
	return events.RenderFailed, false
}
