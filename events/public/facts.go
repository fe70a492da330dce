package public

import (
	"cmp"
	"strconv"

	"platen.dev/events"
)

// Position is where a fact comes from. It is the fact's identity: the same whoever publishes it, and however often.
type Position struct {
	// Timeline is the one in which the fact happened; empty in a partition that had not named one.
	Timeline events.TimelineID
	// Partition and Offset are those of the envelope in the journal.
	Partition int32
	Offset    int64
	// Index is the fact's number among those that this form of envelope can have. The facts of an envelope may be numbered with gaps.
	Index int
}

// factsPerEvent is the maximum number of facts that follow from one event of the journal.
const factsPerEvent = 2

// Of returns the facts of an accepted envelope, in order.
func Of(timeline events.TimelineID, partition int32, offset int64, e events.Envelope) (facts []Event) {
	for i, ev := range e.Events {
		for k, data := range factsOf(e, ev) {
			facts = append(facts, Event{
				Position: Position{timeline, partition, offset, i*factsPerEvent + k},
				Account:  e.Account, At: e.At, Subject: subject(e.Account, ev), Data: data,
			})
		}
	}
	return facts
}

// Count returns how many facts an accepted envelope has.
func Count(e events.Envelope) (n int) {
	for _, ev := range e.Events {
		n += len(factsOf(e, ev))
	}
	return n
}

// Begun returns the fact that a marker has begun a timeline, after a former one or after events without one. after is the number of the last event of
// the former timeline that still counts.
func Begun(partition int32, offset int64, m events.Marker, former events.TimelineID, after int64) Event {
	id := events.PartitionID(partition)
	return Event{
		Position: Position{Timeline: m.Timeline, Partition: partition, Offset: offset}, Account: id, At: m.At, Subject: string(id),
		Data: TimelineBegun{Partition: int(partition), Timeline: m.Timeline, Former: former, After: after, Restored: m.Restored},
	}
}

func subject(account events.AccountID, ev events.Event) string {
	if id, is := events.JobOf(ev); is {
		return id.String()
	}
	if e, is := ev.(events.QuotaDebited); is {
		return e.Job.String()
	}
	return string(account)
}

// factsOf returns the facts that follow from one event of an envelope: at most factsPerEvent.
func factsOf(e events.Envelope, ev events.Event) []Data {
	account := e.Account
	switch ev := ev.(type) {
	case events.AccountCreated:
		return one(AccountOpened{account, ev.Plan, timeOf(ev.Anchor)})
	case events.PlanChanged:
		return one(PlanChanged{account, ev.Plan})
	case events.AccountSuspended:
		return one(AccountSuspended{account, ev.Reason})
	case events.AccountResumed:
		return one(AccountResumed{account})
	case events.KeyIssued:
		return one(KeyIssued{account, ev.Key.ID, ev.Key.Prefix, ev.Key.LastFour})
	case events.KeyRevoked:
		return one(KeyRevoked{account, ev.Key})
	case events.WindowOpened:
		return one(WindowOpened{account, timeOf(ev.Window), timeOf(ev.End)})
	case events.QuotaDebited:
		return one(debited(e, ev))
	case events.UsageAdjusted:
		return one(UsageAdjusted{account, ev.Entry, ev.Kind, ev.Ref, ev.Reason, timeOf(ev.Window), Usage{ev.Units, ev.Bytes}})
	}
	return jobFactsOf(e, ev)
}

func one(d Data) []Data { return []Data{d} }

func jobFactsOf(e events.Envelope, ev events.Event) []Data {
	account := e.Account
	switch ev := ev.(type) {
	case events.JobQueued:
		return one(JobAccepted{account, ev.Job.String(), ev.Key, ev.Operation, ev.Test, ev.Delivered, timeOf(ev.Window), tagsOf(ev.Tags)})
	case events.RenderStarted:
		return one(JobStarted{account, ev.Job.String(), ev.Attempt.String()})
	case events.JobDone:
		if ev.Sent {
			return []Data{finished(e, ev), JobDownloaded{Account: account, Job: ev.Job.String()}}
		}
		return one(finished(e, ev))
	case events.JobFailed:
		return one(JobFailed{
			Account: account, Job: ev.Job.String(), Origin: originOf(ev.Origin), Test: ev.Origin.Test, Error: ev.Code, Detail: cmp.Or(ev.Detail, ev.Code.Reason()),
		})
	case events.DownloadBegun:
		return one(JobDownloaded{account, ev.Job.String(), ev.Download.String()})
	case events.FileExpired:
		return one(JobExpired{account, ev.Job.String()})
	case events.FileDeleted:
		return one(JobDeleted{account, ev.Job.String()})
	case events.WebhookAttempted:
		return webhook(account, ev)
	}
	return nil
}

func originOf(o events.JobOrigin) Origin { return Origin{o.Key, o.Operation, tagsOf(o.Tags)} }

func finished(e events.Envelope, done events.JobDone) JobFinished {
	return JobFinished{
		Account: e.Account, Job: done.Job.String(), Origin: originOf(done.Origin), Test: done.Origin.Test, Usage: charged(e),
		FileBytes: done.File.Size, Pages: done.File.Pages,
		PageLoad: done.Metrics.PageLoad, Processing: done.Metrics.Processing, Total: done.Metrics.Total, Expires: timeOf(done.Expires), Warnings: warningsOf(done.Warnings),
	}
}

// charged returns the amount that the envelope that ends a job charges for it.
func charged(e events.Envelope) Usage {
	for _, ev := range e.Events {
		if d, is := ev.(events.QuotaDebited); is {
			return Usage{1, d.Bytes}
		}
	}
	return Usage{}
}

// debited takes the job's origin from its end, which is in the same envelope.
func debited(e events.Envelope, d events.QuotaDebited) UsageDebited {
	u := UsageDebited{
		Account: e.Account, Entry: events.DebitOf(d.Job), Job: d.Job.String(), Window: timeOf(d.Window), Usage: Usage{1, d.Bytes},
	}
	for _, ev := range e.Events {
		if done, is := ev.(events.JobDone); is {
			u.Origin = originOf(done.Origin)
		}
	}
	return u
}

func webhook(account events.AccountID, a events.WebhookAttempted) []Data {
	w := Webhook{account, a.Job.String(), a.Number, a.Status}
	switch a.Outcome {
	case events.WebhookDelivered:
		return one(WebhookDelivered{w})
	case events.WebhookGivenUp:
		return one(WebhookGivenUp{w})
	}
	return nil
}

// String is the id of the fact's event.
func (p Position) String() string {
	var b []byte
	if p.Timeline != "" {
		b = append(append(b, p.Timeline...), '-')
	}
	b = strconv.AppendInt(b, int64(p.Partition), 10)
	b = strconv.AppendInt(append(b, '-'), p.Offset, 10)
	return string(strconv.AppendInt(append(b, '-'), int64(p.Index), 10))
}

// Before reports whether a fact comes before another of its partition. Offsets rise over timelines.
func (p Position) Before(other Position) bool {
	return p.Offset < other.Offset || p.Offset == other.Offset && p.Index < other.Index
}
