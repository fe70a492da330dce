package job

import (
	"slices"
	"time"

	"platen.dev/events"
)

// Decide says what a command changes in a job: nothing, when the command comes
// too late, too early, twice, or from an attempt that does not hold the job.
// Whether an account may submit is not decided here.
func Decide(s State, c events.Command, cause int64) []events.Event {
	switch b := c.Body.(type) {
	case events.SubmitJob:
		return submit(s, b, cause)
	case events.StartRender:
		return start(s, b, c.At)
	case events.FinishRender:
		return finish(s, b, c.At)
	case events.FailRender:
		return fail(s, b, c.At)
	case events.LoseRender:
		return lose(s, b.Job, b.Attempt, c.At)
	case events.WakeJob:
		return wake(s, b.Job, c.At)
	case events.ForgetFile:
		if s.Phase == Expired && s.File == b.Name {
			return one(events.FileDeleted{Job: b.Job})
		}
	case events.RenewDownload:
		return renewDownload(s, b, c.At)
	case events.EndDownload:
		if s.Phase == Done && s.Stream == b.Download {
			return one(events.DownloadEnded(b))
		}
	}
	return nil
}

func one(e events.Event) []events.Event { return []events.Event{e} }

func submit(s State, b events.SubmitJob, cause int64) []events.Event {
	if s.Phase != Absent {
		return nil
	}
	return one(events.JobQueued{
		Job: b.Job, Key: b.Key, Operation: b.Operation, Test: b.Test, Content: cause,
		Webhook: b.Webhook, Delivered: b.Summary.Delivered, Idempotency: b.Idempotency, Lane: laneOf(b),
	})
}

func start(s State, b events.StartRender, now events.Instant) []events.Event {
	if s.Phase != Queued || slices.Contains(s.Spent, b.Attempt) {
		return nil
	}
	return one(events.RenderStarted{Job: b.Job, Attempt: b.Attempt, Node: b.Node, Deadline: now.Add(AttemptLimit)})
}

// holds tells whether attempt is the one that may move the job on.
func (s State) holds(attempt events.AttemptID) bool {
	return s.Phase == Rendering && s.Attempt == attempt
}

func finish(s State, b events.FinishRender, now events.Instant) []events.Event {
	if s.File == b.File.Name { // a second copy of the command that ended the job
		return nil
	}
	if !s.holds(b.Attempt) {
		return one(events.RenderDiscarded{Job: b.Job, Name: b.File.Name, Attempt: b.Attempt})
	}
	done := events.JobDone{Job: b.Job, File: b.File, Metrics: b.Metrics}
	if !s.Delivered { // nothing is kept of a file that went to the caller's storage
		done.Expires = now.Add(FileLife)
	}
	return one(done)
}

func fail(s State, b events.FailRender, now events.Instant) []events.Event {
	if !s.holds(b.Attempt) {
		return nil
	}
	if !b.Retryable || s.Failures+1 >= MaxFailures {
		return one(events.JobFailed{Job: b.Job, Code: b.Code})
	}
	return one(events.RenderRequeued{Job: b.Job, Attempt: b.Attempt, Code: b.Code, NotBefore: now.Add(delay(s.Failures))})
}

func lose(s State, id events.JobID, attempt events.AttemptID, now events.Instant) []events.Event {
	if !s.holds(attempt) {
		return nil
	}
	if s.Losses+1 >= MaxLosses {
		return one(events.JobFailed{Job: id, Code: events.BrowserCrashed})
	}
	return one(events.RenderRequeued{Job: id, Attempt: attempt, Code: events.BrowserCrashed, NotBefore: now.Add(delay(s.Losses)), Lost: true})
}

// delay grows fourfold from a quarter of a second to a minute.
func delay(before int) time.Duration {
	d := 250 * time.Millisecond
	for range min(before, 4) {
		d *= 4
	}
	return min(d, time.Minute)
}

func wake(s State, id events.JobID, now events.Instant) []events.Event {
	if s.Due == 0 || now < s.Due {
		return nil
	}
	switch s.Phase {
	case Delayed:
		return one(events.RenderReleased{Job: id})
	case Rendering:
		return lose(s, id, s.Attempt, now)
	case Done:
		return one(events.FileExpired{Job: id})
	case Failed, Deleted:
		return one(events.JobForgotten{Job: id})
	}
	return nil
}
