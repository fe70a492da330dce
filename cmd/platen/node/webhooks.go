package node

import (
	"cmp"
	"context"
	"fmt"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/actors/webhook"
	"platen.dev/browserpool/egress"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/view"
)

func (n *Node) startWebhooks(context.Context) (err error) {
	client := webhook.NewClient(n.egress(), n.webhookPrefix(), "Platen/"+n.version, nil, n.now)
	n.notifier, err = webhook.Start(n.system, webhook.Config{Log: n.log, Client: client, Prepare: n.prepareWebhook, Now: n.now, Logger: n.logger, Observe: n.metrics.notified})
	if err == nil {
		n.onClose("webhooks", func(context.Context) error { return n.notifier.Close() })
	}
	return err
}

// egress is the policy of all connections that callers bring about.
func (n *Node) egress() egress.Policy {
	return egress.Policy{Allow: n.cfg.EgressAllow, Refuses: n.addresses.has}
}

func (n *Node) webhookPrefix() string { return cmp.Or(n.cfg.WebhookPrefix, webhook.DefaultPrefix) }

// prepareWebhook makes the message that reports how a job has ended.
func (n *Node) prepareWebhook(partition int32, e job.Notify) (m webhook.Message, err error) {
	store := account.ReplicaStore{Reader: n.replica, Partition: partition}
	s, err := store.Job(e.Account, e.Job)
	if err != nil {
		return m, err
	}
	row, known, err := projections.JobIn(n.replica, partition, e.Account, e.Job)
	if err != nil {
		return m, err
	}
	if !known || s.Active() || len(s.Notice.URL) == 0 {
		return m, webhook.ErrNothing
	}
	m = webhook.Message{ID: view.WebhookID(e.Job), Body: view.AppendNotice(nil, e.Job, row)}
	if m.URL, err = n.seal.Open(e.Job, s.Notice.URL); err != nil {
		return m, fmt.Errorf("URL: %w", err)
	}
	owner, err := store.Account(e.Account)
	if err != nil {
		return m, err
	}
	if m.Secrets, err = webhook.Secrets(n.seal, e.Account, owner.Webhooks, events.At(n.now())); err != nil {
		return m, err
	}
	m.Headers, err = webhook.Headers(n.seal, e.Account, owner.Webhooks)
	return m, err
}

// fileURL is where the file of a job can be downloaded.
func (n *Node) fileURL(id events.JobID) string {
	address := n.cfg.Listen
	if known := n.listens.Load(); known != nil {
		address = *known
	}
	return cmp.Or(n.cfg.PublicURL, "http://"+address) + "/jobs/" + id.String() + "/download"
}
