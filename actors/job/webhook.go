package job

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// NoticeStage is the stage of a webhook. The numbers are stored.
type NoticeStage uint8

// The stages. The zero stage is that of a webhook that was delivered or given up, or whose job has
// not ended.
const (
	NoNotice    NoticeStage = iota
	NoticeReady             // an attempt is due or under way
	NoticeWaits             // waits for Due before the next attempt
)

// Notice is the webhook that reports a job's outcome. There is one per job, so its id and its
// body are the job's.
type Notice struct {
	// URL is the receiver's; nil if there is none.
	URL   events.Sealed `cbor:"1,keyasint,omitempty"`
	Stage NoticeStage   `cbor:"2,keyasint,omitempty"`
	// Sent counts all finished attempts, Failed those since the schedule began.
	Sent   int            `cbor:"3,keyasint,omitempty"`
	Failed int            `cbor:"4,keyasint,omitempty"`
	Due    events.Instant `cbor:"5,keyasint,omitempty"`
	// Since is when the schedule began.
	Since events.Instant `cbor:"6,keyasint,omitempty"`
}

// Pending returns the instant since which the webhook waits to be delivered or given up; zero if it does
// not wait.
func (n Notice) Pending() events.Instant {
	if n.Stage == NoNotice {
		return 0
	}
	return n.Since
}

// begin starts the attempts, if there is a URL.
func (n Notice) begin(at events.Instant) Notice {
	if len(n.URL) == 0 {
		return n
	}
	n.Stage, n.Failed, n.Due, n.Since = NoticeReady, 0, 0, at
	return n
}

// Notify is the effect of sending a job's webhook.
type Notify struct {
	Account events.AccountID
	Job     events.JobID
	// Number counts the attempts from 1.
	Number int
}

// Key implements Effect.
func (n Notify) Key() EffectKey { return EffectKey{Kind: KindNotify, Job: n.Job} }

func (Notify) effect() {}

func notifyPending(id events.JobID, s State) (Effect, bool) {
	return Notify{Account: s.Account, Job: id, Number: s.Notice.Sent + 1}, s.Notice.Stage == NoticeReady
}

// The statuses of receivers that matter.
const (
	gone            = 410
	tooManyRequests = 429
	unavailable     = 503
)

// report decides what follows an attempt. Only the next attempt counts, and only once.
func report(s State, b events.ReportWebhook, now events.Instant) []events.Event {
	if s.Notice.Stage != NoticeReady || b.Number != s.Notice.Sent+1 {
		return nil
	}
	ended := events.WebhookAttempted{Job: b.Job, WebhookAttempt: b.WebhookAttempt}
	pauses, failed := contract.WebhookPauses(), s.Notice.Failed+1
	switch {
	case contract.Succeeded(b.Status):
		ended.Outcome = events.WebhookDelivered
	case b.Status == gone || failed >= len(pauses):
		ended.Outcome = events.WebhookGivenUp
	default:
		ended.Next = now.Add(max(spread(pauses[failed], b.Job, b.Number), asked(b)))
	}
	return single(ended)
}

// asked returns the pause that the receiver asks for.
func asked(b events.ReportWebhook) time.Duration {
	if b.Status != tooManyRequests && b.Status != unavailable {
		return 0
	}
	most := int64(contract.MaxRetryAfter / time.Second)
	return time.Duration(max(0, min(b.RetryAfter, most))) * time.Second
}

// spread lengthens or shortens a pause by up to a tenth, so that attempts that failed together are
// not retried together. The decision must not be random, so the job and the attempt determine the
// amount.
func spread(pause time.Duration, id events.JobID, number int) time.Duration {
	h := fnv.New64a()
	h.Write(id[:])
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(number)))
	part := float64(h.Sum64()>>11)/(1<<53)*0.2 - 0.1
	return pause + time.Duration(part*float64(pause)).Round(time.Millisecond)
}

// Redeliver decides whether the attempts start over. While one is under way they continue unchanged.
func Redeliver(s State, b events.RedeliverWebhook) ([]events.Event, events.Reply) {
	switch {
	case len(s.Notice.URL) == 0:
		return nil, events.Reply{Code: events.NoWebhook}
	case s.Active():
		return nil, events.Reply{Code: events.NotEnded}
	case s.Notice.Stage == NoticeReady:
		return nil, events.Reply{Code: events.Accepted}
	}
	return single(events.WebhookRedelivered(b)), events.Reply{Code: events.Accepted}
}

func evolveNotice(n Notice, ev events.Event, at events.Instant) Notice {
	switch e := ev.(type) {
	case events.WebhookAttempted:
		n.Sent = e.Number
		n.Failed++
		n.Stage, n.Due = NoticeWaits, e.Next
		if e.Next == 0 {
			n.Stage = NoNotice
		}
	case events.WebhookReleased:
		n.Stage, n.Due = NoticeReady, 0
	case events.WebhookRedelivered:
		n = n.begin(at)
	}
	return n
}
