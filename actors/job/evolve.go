package job

import (
	"slices"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Evolve returns the state of a job of account after an event that happened at the given
// instant. It does not change slices of s, which other states may share.
func Evolve(s State, account events.AccountID, ev events.Event, at events.Instant) State {
	switch e := ev.(type) {
	case events.JobQueued:
		return queued(account, e, at)
	case events.RenderStarted:
		s.Phase, s.Attempt, s.Node, s.Due = Rendering, e.Attempt, e.Node, e.Deadline
	case events.RenderRequeued:
		s = s.spend(e.Attempt)
		s.Phase, s.Attempt, s.Node, s.Due = Delayed, 0, "", e.NotBefore
		switch {
		case e.Lost:
			s.Losses++
		case e.Infrastructure:
			s.Faults++
		default:
			s.Failures++
		}
	case events.RenderDiscarded:
		if s.Active() {
			s = s.spend(e.Attempt)
		}
	case events.RenderReleased:
		s.Phase, s.Due = Queued, 0
		if s.Traced != (Traced{}) {
			s.Traced.Queued = at
		}
	case events.JobDone:
		s.Spent = nil
		s.Notice = s.Notice.begin(at)
		s.Phase, s.Attempt, s.Node, s.Due, s.File, s.Upload = Done, 0, "", e.Expires, e.File.Name, Upload{}
		if e.Sent {
			s.Downloads = 1
		}
		if e.Expires == 0 {
			s.Phase, s.Due = Deleted, at.Add(contract.StatusLife)
		}
	case events.JobFailed:
		s.Spent = nil
		s.Notice = s.Notice.begin(at)
		s.Phase, s.Attempt, s.Node, s.Due, s.Upload = Failed, 0, "", at.Add(contract.StatusLife), Upload{}
	case events.RequestForgotten:
		s.IdempotencyKey = ""
	case events.FileExpired:
		s.Phase, s.Due = Expired, 0
	case events.FileDeleted:
		if s.Phase == Expired {
			s.Phase, s.Due = Deleted, at.Add(contract.StatusLife-contract.FileLife)
		}
		s.File = ""
	case events.JobForgotten:
		return State{}
	default:
		s = evolveUpload(evolveDownload(s, ev), ev)
		s.Notice = evolveNotice(s.Notice, ev, at)
	}
	return s
}

func queued(account events.AccountID, e events.JobQueued, at events.Instant) State {
	s := State{
		Phase: Queued, Account: account, Content: e.Content, Window: e.Window,
		Notice: Notice{URL: e.Webhook}, Delivered: e.Delivered, MaxFile: e.MaxFile, Lane: e.Lane, Waits: e.Waits, Stored: e.Stored,
		Origin: events.JobOrigin{Key: e.Key, Operation: e.Operation, Test: e.Test, Tags: e.Tags},
	}
	if !e.Trace.IsZero() {
		s.Traced = Traced{Trace: e.Trace, Queued: at}
	}
	if e.Idempotency != nil {
		s.IdempotencyKey = e.Idempotency.Key
	}
	return s
}

// spend adds an attempt that must never hold the job again. It does not change the slice of s.
func (s State) spend(attempt events.AttemptID) State {
	if !slices.Contains(s.Spent, attempt) {
		s.Spent = append(s.Spent[:len(s.Spent):len(s.Spent)], attempt)
	}
	return s
}
