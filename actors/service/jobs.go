package service

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"platen.dev/events"
	"platen.dev/projections"
)

// Jobs are the actions on jobs.
type Jobs struct{ *gate }

// Submit has the account accept a job. The request was counted on arrival, before its body was read. The error wraps eventlog.ErrTooLarge if the log
// can never take the content.
func (j Jobs) Submit(p Principal, s events.Submission) (events.Reply, error) {
	if !p.may(s) {
		return events.Reply{}, refuse(NotAllowed)
	}
	return j.decide(p, s)
}

// Cancel ends a job that has not ended.
func (j Jobs) Cancel(p Principal, id events.JobID) error {
	return j.run(p, events.CancelJob{Job: id})
}

// Abandon is Cancel for a job whose client has gone: a repeated request makes another job.
func (j Jobs) Abandon(p Principal, id events.JobID) error {
	return j.run(p, events.CancelJob{Job: id, Forget: true})
}

// BeginDownload spends one of a file's downloads and grants its stream.
func (j Jobs) BeginDownload(p Principal, id events.JobID, download events.DownloadID) error {
	return j.run(p, events.BeginDownload{Job: id, Download: download})
}

// Redeliver has the webhook of a job sent again.
func (j Jobs) Redeliver(p Principal, id events.JobID) error {
	return j.run(p, events.RedeliverWebhook{Job: id})
}

// redeliverAtOnce is how many redeliveries of an account are asked for at once.
const redeliverAtOnce = 64

// RedeliverEach has the webhooks of jobs sent again, and returns how many. It skips jobs that have been forgotten meanwhile. After an error some are
// sent again, and the action may be repeated.
func (j Jobs) RedeliverEach(ctx context.Context, p Principal, ids []events.JobID) (count int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	if err := j.admit(p, events.RedeliverWebhook{}); err != nil {
		return 0, err
	}
	var sent atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(redeliverAtOnce)
	for _, id := range ids {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			_, err := j.decide(p, events.RedeliverWebhook{Job: id})
			switch {
			case err == nil:
				sent.Add(1)
			case CodeOf(err) != "":
				return nil
			}
			return err
		})
	}
	err = group.Wait()
	return int(sent.Load()), err
}

// Redeliverable lists the jobs of an account with a webhook that ended at or after an instant; with undelivered, only those whose webhook was not
// delivered.
func (j Jobs) Redeliverable(account events.AccountID, since events.Instant, undelivered bool) (ids []events.JobID, err error) {
	err = j.Replica.EachJob(account, func(id events.JobID, job projections.Job) {
		if job.Webhook && job.Finished != 0 && job.Finished >= since {
			ids = append(ids, id)
		}
	})
	if err != nil || !undelivered {
		return ids, err
	}
	failed := ids[:0]
	for _, id := range ids {
		log, err := j.Replica.Webhook(account, id)
		if err != nil {
			return nil, err
		}
		if !log.Delivered() {
			failed = append(failed, id)
		}
	}
	return failed, nil
}
