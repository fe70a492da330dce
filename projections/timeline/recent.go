package timeline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Recent summarises the last jobs of all accounts.
type Recent struct {
	// Since is the time from which everything was read.
	Since events.Instant `json:"since_ms"`
	// Done and Failed count the jobs that have ended, test jobs included.
	Done   int `json:"done"`
	Failed int `json:"failed"`
	// Causes are the errors of the failed jobs, the most frequent first.
	Causes []Cause `json:"causes"`
	// Failures are the failed jobs, newest first; Slowest those that took longest from acceptance to file. Each has at most MostShown.
	Failures []Ended `json:"failures"`
	Slowest  []Ended `json:"slowest"`
	// Undelivered are the jobs with a webhook whose last attempt has failed, the newest first, at most MostUndelivered.
	Undelivered []Undelivered `json:"-"`
}

// Cause counts the jobs that failed with an error.
type Cause struct {
	Code  events.ErrorCode `json:"error"`
	Count int              `json:"count"`
}

// Ended is a job that has ended: with an error, or with metrics.
type Ended struct {
	At        events.Instant   `json:"at_ms"`
	Account   events.AccountID `json:"account"`
	Job       events.JobID     `json:"job_id"`
	Operation events.Operation `json:"operation"`
	Test      bool             `json:"test"`
	Error     events.ErrorCode `json:"error,omitempty"`
	Detail    string           `json:"error_detail,omitempty"`
	Metrics   events.Metrics   `json:"metrics,omitzero"`
}

// Undelivered is a job with the last, failed attempt to send its webhook.
type Undelivered struct {
	At      events.Instant
	Account events.AccountID
	Job     events.JobID
	Last    events.WebhookAttempt
	GivenUp bool
}

// Bounds of Recent: how many records of each partition are read, and how many rows are kept.
const (
	recentRecords   = 4_096
	MostShown       = 50
	MostUndelivered = 500
)

// ReadRecent reads the end of the journal: all partitions from a time on, limited to their last 4,096 records. The first of these may be of an owner
// that had been replaced.
func ReadRecent(ctx context.Context, l eventlog.Log, since events.Instant) (Recent, error) {
	var reading errgroup.Group
	reading.SetLimit(4)
	o := outcomes{since: since, ended: map[events.JobID]Ended{}, webhooks: map[events.JobID]Undelivered{}}
	for partition := range l.Partitions() {
		reading.Go(func() error { return o.read(ctx, l, partition) })
	}
	if err := reading.Wait(); err != nil {
		return Recent{}, fmt.Errorf("read the journal: %w", err)
	}
	return o.recent(), nil
}

// outcomes are the last events about each job.
type outcomes struct {
	mu       sync.Mutex
	since    events.Instant
	ended    map[events.JobID]Ended
	webhooks map[events.JobID]Undelivered
}

func (o *outcomes) read(ctx context.Context, l eventlog.Log, partition int32) error {
	start, end, err := l.Bounds(ctx, events.TopicJournal, partition)
	if err != nil {
		return err
	}
	from := max(start, end-recentRecords)
	var first events.Instant
	var valid epochs
	err = visit(ctx, l.Read(events.TopicJournal, partition, from), from, end, func(r eventlog.Record) bool {
		e, ok := valid.accept(r)
		if ok {
			first = cmp.Or(first, e.At)
			o.take(e)
		}
		return true
	})
	if from > start {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.since = max(o.since, first)
	}
	return err
}

// take keeps what an envelope says about the outcome of jobs.
func (o *outcomes) take(e events.Envelope) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, ev := range e.Events {
		switch ev := ev.(type) {
		case events.JobDone:
			o.ended[ev.Job] = Ended{At: e.At, Account: e.Account, Job: ev.Job, Operation: ev.Origin.Operation, Test: ev.Origin.Test, Metrics: ev.Metrics}
		case events.JobFailed:
			o.ended[ev.Job] = Ended{At: e.At, Account: e.Account, Job: ev.Job, Operation: ev.Origin.Operation, Test: ev.Origin.Test, Error: ev.Code, Detail: ev.Detail}
		case events.WebhookAttempted:
			o.webhooks[ev.Job] = Undelivered{e.At, e.Account, ev.Job, ev.WebhookAttempt, ev.Outcome == events.WebhookGivenUp}
			if ev.Outcome == events.WebhookDelivered {
				delete(o.webhooks, ev.Job)
			}
		}
	}
}

// recent summarises what was read from o.since on.
func (o *outcomes) recent() Recent {
	r := Recent{Since: o.since, Causes: []Cause{}, Failures: []Ended{}, Slowest: []Ended{}}
	counts := map[events.ErrorCode]int{}
	for _, e := range o.ended {
		switch {
		case e.At < o.since:
		case e.Error != "":
			counts[e.Error]++
			r.Failed++
			r.Failures = append(r.Failures, e)
		default:
			r.Done++
			r.Slowest = append(r.Slowest, e)
		}
	}
	for code, n := range counts {
		r.Causes = append(r.Causes, Cause{code, n})
	}
	for _, u := range o.webhooks {
		if u.At >= o.since {
			r.Undelivered = append(r.Undelivered, u)
		}
	}
	slices.SortFunc(r.Causes, func(a, b Cause) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code)) })
	slices.SortFunc(r.Undelivered, func(a, b Undelivered) int { return cmp.Or(cmp.Compare(b.At, a.At), bytes.Compare(a.Job[:], b.Job[:])) })
	newest := func(a, b Ended) int { return cmp.Or(cmp.Compare(b.At, a.At), bytes.Compare(a.Job[:], b.Job[:])) }
	slices.SortFunc(r.Failures, newest)
	slices.SortFunc(r.Slowest, func(a, b Ended) int { return cmp.Or(cmp.Compare(b.Metrics.Total, a.Metrics.Total), newest(a, b)) })
	r.Failures, r.Slowest = r.Failures[:min(len(r.Failures), MostShown)], r.Slowest[:min(len(r.Slowest), MostShown)]
	r.Undelivered = r.Undelivered[:min(len(r.Undelivered), MostUndelivered)]
	return r
}
