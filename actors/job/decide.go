package job

import (
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Decide returns the events by which a command changes a job. There are none if the command comes
// too late, too early or again, or from an attempt that does not hold the job. Package account
// decides whether the account may submit the job.
func Decide(s State, c events.Command, cause int64) []events.Event {
	switch b := c.Body.(type) {
	case events.SubmitJob:
		return submit(s, b, cause)
	case events.StartRender:
		return start(s, b, c.At)
	case events.FinishRender:
		return finish(s, b, max(c.At, c.Latest))
	case events.FailRender:
		return fail(s, b, c.At)
	case events.LoseRender:
		return lose(s, b.Job, b.Attempt, c.At)
	case events.WakeJob:
		return wake(s, b.Job, c.At)
	case events.ForgetFile:
		if s.stale() && s.File == b.Name {
			return single(events.FileDeleted{Job: b.Job})
		}
	case events.ReportUpload:
		return reportUpload(s, b, c.At)
	case events.ReportWebhook:
		return report(s, b, c.At)
	case events.RenewDownload:
		return renewDownload(s, b, c.At)
	case events.EndDownload:
		if s.Phase == Done && s.Stream == b.Download {
			return single(events.DownloadEnded(b))
		}
	}
	return nil
}

func single(e events.Event) []events.Event { return []events.Event{e} }

func submit(s State, b events.SubmitJob, cause int64) []events.Event {
	if s.Phase != Absent {
		return nil
	}
	return single(events.JobQueued{
		Job: b.Job, Key: b.Key, Operation: b.Operation, Test: b.Test, Content: cause,
		Webhook: b.Webhook, Delivered: b.Summary.Delivered, Idempotency: b.Idempotency, Lane: Lane(b.Test, b.Summary), Waits: b.Waits,
		Tags: b.Tags, Trace: b.Trace, Stored: b.Summary.Stored,
	})
}

func start(s State, b events.StartRender, now events.Instant) []events.Event {
	if s.Phase != Queued || slices.Contains(s.Spent, b.Attempt) {
		return nil
	}
	return single(events.RenderStarted{Job: b.Job, Attempt: b.Attempt, Node: b.Node, Deadline: now.Add(AttemptLimit)})
}

// holds reports whether attempt is the one that holds the job.
func (s State) holds(attempt events.AttemptID) bool {
	return s.Phase == Rendering && s.Attempt == attempt
}

func finish(s State, b events.FinishRender, latest events.Instant) []events.Event {
	if s.File == b.File.Name { // a duplicate of the command that ended the job
		return nil
	}
	if !s.holds(b.Attempt) {
		return single(events.RenderDiscarded{Job: b.Job, Name: b.File.Name, Attempt: b.Attempt})
	}
	if s.Delivered {
		return single(events.UploadBegun{Job: b.Job, File: b.File, Metrics: b.Metrics, Warnings: b.Warnings, Evidence: b.Evidence})
	}
	return single(events.JobDone{
		Job: b.Job, File: b.File, Metrics: b.Metrics, FileURL: b.FileURL, Expires: latest.Add(contract.FileLife), Sent: s.Waits, Origin: s.Origin, Warnings: b.Warnings,
		Evidence: b.Evidence,
	})
}

func (s State) failed(id events.JobID, code events.ErrorCode, detail string) events.Event {
	return events.JobFailed{Job: id, Code: code, Detail: detail, Origin: s.Origin}
}

func fail(s State, b events.FailRender, now events.Instant) []events.Event {
	if !s.holds(b.Attempt) {
		return nil
	}
	before, most := s.Failures, MaxFailures
	if b.Infrastructure {
		before, most = s.Faults, MaxFaults
	} else if !b.Retryable {
		most = 0
	}
	if before+1 >= most {
		return single(s.failed(b.Job, b.Code, b.Detail))
	}
	return single(events.RenderRequeued{
		Job: b.Job, Attempt: b.Attempt, Code: b.Code, NotBefore: now.Add(delay(before)), Infrastructure: b.Infrastructure,
	})
}

func lose(s State, id events.JobID, attempt events.AttemptID, now events.Instant) []events.Event {
	if !s.holds(attempt) {
		return nil
	}
	if s.Losses+1 >= MaxLosses {
		return single(s.failed(id, events.BrowserCrashed, ""))
	}
	return single(events.RenderRequeued{Job: id, Attempt: attempt, Code: events.BrowserCrashed, NotBefore: now.Add(delay(s.Losses)), Lost: true})
}

// delay returns the pause before the next attempt: a quarter of a second at first, four times as
// long after each further failure or loss, at most a minute.
func delay(before int) time.Duration {
	d := 250 * time.Millisecond
	for range min(before, 4) {
		d *= 4
	}
	return min(d, time.Minute)
}

// wake decides what is due: the next attempt of the webhook, and the next phase.
func wake(s State, id events.JobID, now events.Instant) (evs []events.Event) {
	if s.Notice.Due != 0 && now >= s.Notice.Due {
		evs = single(events.WebhookReleased{Job: id})
	}
	if s.Due == 0 || now < s.Due {
		return evs
	}
	switch s.Phase {
	case Delayed:
		return append(evs, events.RenderReleased{Job: id})
	case Rendering:
		return append(evs, lose(s, id, s.Attempt, now)...)
	case Uploading:
		return append(evs, events.UploadReleased{Job: id})
	case Done:
		return append(evs, events.FileExpired{Job: id})
	case Failed, Deleted:
		return single(events.JobForgotten{Job: id})
	}
	return evs
}
