package webhook

import (
	"context"
	"fmt"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/seal"
	"platen.dev/projections"
	"platen.dev/projections/view"
)

// Composer makes the messages of webhooks from what a node has read.
type Composer struct {
	Replica *projections.Replica
	// Seal opens the URLs of jobs, and the secrets and headers of accounts.
	Seal       *seal.Key
	Partitions int32
	// Origin is where clients reach the API.
	Origin func() string
	// Prefix begins the older headers, which no account may set.
	Prefix string
	Client *Client
	Now    func() time.Time
}

// URL finds the address of the webhook of a job that has ended. The error is ErrNothing if it has none.
func (c *Composer) URL(partition int32, n job.Notify) (string, error) {
	url, _, err := c.destination(partition, n)
	return url, err
}

// destination returns the address of a job's webhook, and the job's place in a trace.
func (c *Composer) destination(partition int32, n job.Notify) (string, events.Trace, error) {
	s, err := account.ReplicaStore{Reader: c.Replica, Partition: partition}.Job(n.Account, n.Job)
	if err != nil {
		return "", events.Trace{}, err
	}
	if s.Active() || len(s.Notice.URL) == 0 {
		return "", events.Trace{}, ErrNothing
	}
	text, err := c.Seal.Open(n.Job, s.Notice.URL)
	if err != nil {
		return "", events.Trace{}, fmt.Errorf("URL: %w", err)
	}
	return text, s.Traced.Trace, nil
}

// Prepare makes the message that reports how a job has ended. The error is ErrNothing if there is nothing to report.
func (c *Composer) Prepare(partition int32, n job.Notify) (m Message, err error) {
	if m.URL, m.Trace, err = c.destination(partition, n); err != nil {
		return m, err
	}
	row, known, err := projections.JobIn(c.Replica, partition, n.Account, n.Job)
	if err != nil {
		return m, err
	}
	if !known {
		return m, ErrNothing
	}
	m.ID, m.Body = view.WebhookID(n.Job), view.AppendNotice(nil, n.Job, row)
	return m, c.address(&m, n.Account)
}

// address adds to a message the headers and secrets common to an account's webhooks.
func (c *Composer) address(m *Message, id events.AccountID) error {
	s, err := account.ReplicaStore{Reader: c.Replica, Partition: events.Partition(id, c.Partitions)}.Account(id)
	if err != nil {
		return err
	}
	if m.Secrets, err = Secrets(c.Seal, id, s.Webhooks, events.At(c.Now())); err != nil {
		return err
	}
	m.Headers, err = Headers(c.Seal, id, s.Webhooks)
	return err
}

// CheckHeader returns why an account may not set a header.
func (c *Composer) CheckHeader(h Header) error { return CheckHeader(h, c.Prefix) }

// SendTest sends a webhook of an account once, about a fictitious job. The error means that nothing was sent.
func (c *Composer) SendTest(ctx context.Context, id events.AccountID, url string, failed bool) (events.WebhookAttempt, error) {
	n, now := events.NewJobID(), events.At(c.Now())
	row := projections.Job{Account: id, Status: events.StatusDone, Test: true, Created: now, Finished: now, Expires: now.Add(contract.FileLife), FileURL: FileURL(c.Origin(), n)}
	if failed {
		row = projections.Job{Account: id, Status: events.StatusFailed, Test: true, Created: now, Finished: now, Error: events.NavigationFailed}
	}
	m := Message{ID: view.WebhookID(n), URL: url, Body: view.AppendNotice(nil, n, row)}
	if err := c.address(&m, id); err != nil {
		return events.WebhookAttempt{}, err
	}
	return c.Client.Send(ctx, m).WebhookAttempt, nil
}

// FileURL returns where the file of a job can be downloaded; origin is where clients reach the API.
func FileURL(origin string, id events.JobID) string {
	return origin + "/jobs/" + id.String() + "/download"
}
