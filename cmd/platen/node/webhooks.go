package node

import (
	"cmp"
	"context"
	"fmt"

	"platen.dev/actors/account"
	"platen.dev/actors/delivery"
	"platen.dev/actors/job"
	"platen.dev/actors/webhook"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/view"
)

func (n *Node) startWebhooks(context.Context) (err error) {
	n.webhooks = webhook.NewClient(n.egress(), n.webhookPrefix(), "Platen/"+n.version, n.now)
	n.notifier, err = webhook.Start(n.system, webhook.Config{
		Log: n.log, Client: n.webhooks, URL: n.webhookURL, Prepare: n.prepareWebhook, Now: n.now, Logger: n.logger, Traces: n.traces, Observe: n.metrics.notified,
	})
	if err == nil {
		n.onClose("webhooks", func(context.Context) error { return n.notifier.Close() })
	}
	return err
}

func (n *Node) startDeliveries(context.Context) (err error) {
	n.uploader, err = delivery.Start(n.system, delivery.Config{
		Log: n.log, Client: delivery.NewClient(n.egress(), "Platen/"+n.version), Open: n.files.Open, Unseal: n.seal.Open,
		Now: n.now, Logger: n.logger, Traces: n.traces, Observe: n.metrics.uploaded,
	})
	if err == nil {
		n.onClose("deliveries", func(context.Context) error { return n.uploader.Close() })
	}
	return err
}

func (n *Node) webhookPrefix() string { return cmp.Or(n.cfg.WebhookPrefix, webhook.DefaultPrefix) }

// webhookURL finds where the webhook of a job that has ended is sent to.
func (n *Node) webhookURL(partition int32, e job.Notify) (string, error) {
	url, _, err := n.webhookOf(partition, e)
	return url, err
}

// webhookOf finds where the webhook of a job that has ended is sent to, and where the job belongs in a
// trace.
func (n *Node) webhookOf(partition int32, e job.Notify) (string, events.Trace, error) {
	s, err := account.ReplicaStore{Reader: n.replica, Partition: partition}.Job(e.Account, e.Job)
	if err != nil {
		return "", events.Trace{}, err
	}
	if s.Active() || len(s.Notice.URL) == 0 {
		return "", events.Trace{}, webhook.ErrNothing
	}
	text, err := n.seal.Open(e.Job, s.Notice.URL)
	if err != nil {
		return "", events.Trace{}, fmt.Errorf("URL: %w", err)
	}
	return text, s.Traced.Trace, nil
}

// prepareWebhook makes the message that reports how a job has ended.
func (n *Node) prepareWebhook(partition int32, e job.Notify) (m webhook.Message, err error) {
	if m.URL, m.Trace, err = n.webhookOf(partition, e); err != nil {
		return m, err
	}
	row, known, err := projections.JobIn(n.replica, partition, e.Account, e.Job)
	if err != nil {
		return m, err
	}
	if !known {
		return m, webhook.ErrNothing
	}
	m.ID, m.Body = view.WebhookID(e.Job), view.AppendNotice(nil, e.Job, row)
	return m, n.address(&m, e.Account)
}

// address adds to a message what an account's webhooks have in common.
func (n *Node) address(m *webhook.Message, id events.AccountID) error {
	owner, err := n.storeOf(id).Account(id)
	if err != nil {
		return err
	}
	if m.Secrets, err = webhook.Secrets(n.seal, id, owner.Webhooks, events.At(n.now())); err != nil {
		return err
	}
	m.Headers, err = webhook.Headers(n.seal, id, owner.Webhooks)
	return err
}

// fileURL is where the file of a job can be downloaded.
func (n *Node) fileURL(id events.JobID) string {
	return n.origin() + "/jobs/" + id.String() + "/download"
}

// origin is where clients reach the API.
func (n *Node) origin() string {
	address := n.cfg.Listen
	if known := n.listens.Load(); known != nil {
		address = *known
	}
	return cmp.Or(n.cfg.PublicURL, n.cfg.scheme()+address)
}
