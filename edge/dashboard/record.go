package dashboard

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/projections/timeline"
)

// JobLog reads of the log what the read models do not keep of a job.
type JobLog interface {
	// Submission is the command that made a job.
	Submission(ctx context.Context, account events.AccountID, id events.JobID) (events.Submission, error)
	// Timeline is the timeline of a job, as far as it was read in time.
	Timeline(ctx context.Context, account events.AccountID, id events.JobID) (timeline.Timeline, error)
}

// ErrGone means that the log no longer has what a JobLog was asked for.
var ErrGone = errors.New("no longer in the log")

// Bounds of reading the log for pages: the time of one read, and the number at once per account and in all.
const (
	logTime        = 3 * time.Second
	logsPerAccount = 1
	logsPerNode    = 4
)

// record shows what the log has of the job in the path.
func (d jobPages) record(ctx *fasthttp.RequestCtx, v visitor) {
	f := d.frame(ctx, v)
	id, j, ok := d.inPath(ctx, v)
	if !ok {
		return
	}
	view := page.Record{Frame: f, Job: id, Operation: j.Operation}
	_, err := d.readLog(v.Account, func(within context.Context) (events.Submission, error) {
		return events.Submission{}, d.fillRecord(within, &view, v.Account, id)
	})
	switch {
	case errors.Is(err, errLogBusy):
		d.message(ctx, 503, "busy")
	case err != nil:
		d.unavailable(ctx, "read the log of a job", err)
	default:
		d.show(ctx, view)
	}
}

// errLogBusy means that the limit of concurrent reads of the log is reached.
var errLogBusy = errors.New("too many pages are reading the log")

// readLog reads the log for a page of an account, unless too many others do.
func (d *site) readLog(account events.AccountID, read func(context.Context) (events.Submission, error)) (events.Submission, error) {
	end, free := d.logs.Begin(account)
	if !free {
		return events.Submission{}, errLogBusy
	}
	defer end()
	within, cancel := context.WithTimeout(context.Background(), logTime)
	defer cancel()
	return read(within)
}

// fillRecord adds what the log has about a job to its record.
func (d jobPages) fillRecord(ctx context.Context, view *page.Record, account events.AccountID, id events.JobID) error {
	command, err := d.cfg.Log.Submission(ctx, account, id)
	if view.Lost = errors.Is(err, ErrGone); err != nil && !view.Lost {
		return err
	}
	if !view.Lost {
		view.Asked = options(flat(request.Kept(command)))
	}
	line, err := d.cfg.Log.Timeline(ctx, account, id)
	if view.Gone = errors.Is(err, ErrGone); err != nil && !view.Gone {
		return err
	}
	view.Steps = recordSteps(line.Steps)
	if !line.Whole {
		view.Until = timeOf(line.Read)
	}
	return nil
}

// recordSteps are the events of a job as its page shows them.
func recordSteps(all []timeline.Step) (steps []page.RecordStep) {
	for i, s := range all {
		step := page.RecordStep{At: s.At.Time(), Event: events.TypeName(s.Event)}
		if i > 0 {
			step.Since = step.At.Sub(all[i-1].At.Time())
		}
		explain(&step, s.Event)
		steps = append(steps, step)
	}
	return steps
}

// explain adds to a step what its event tells beyond its type.
func explain(step *page.RecordStep, ev events.Event) {
	switch e := ev.(type) {
	case events.JobQueued:
		step.Detail = asked("lane") + " " + e.Lane.String()
	case events.RenderStarted:
		step.Node = e.Node
	case events.RenderRequeued:
		step.Code = e.Code
		if e.Lost {
			step.Detail = asked("lost")
		}
	case events.UploadBegun:
		step.Detail = made(e.Metrics)
	case events.UploadAttempted:
		step.Detail = answered(e.Status, e.Error, e.Millis)
	case events.JobDone:
		step.Detail = made(e.Metrics)
	case events.JobFailed:
		step.Code, step.Detail = e.Code, e.Detail
	case events.WebhookAttempted:
		step.Detail = answered(e.Status, e.Error, e.Millis)
	}
}

// made formats the durations of the phases of making a file.
func made(m events.Metrics) string {
	if m.PageLoad == 0 {
		return fmt.Sprintf("processing_ms %d", m.Processing)
	}
	return fmt.Sprintf("page_load_ms %d, processing_ms %d", m.PageLoad, m.Processing)
}

// answered formats a server's response to an attempt.
func answered(status int, wrong string, millis int64) string {
	if status > 0 {
		wrong = strconv.Itoa(status)
	}
	return fmt.Sprintf("%s (%s)", wrong, milliseconds(millis))
}
